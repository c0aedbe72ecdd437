#include "ppgnn/ldp/certificate.hpp"

#include <algorithm>
#include <limits>

#include "ppgnn/core/number.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/ldp/plan.hpp"

namespace ppgnn::ldp {

namespace {

template <class Mechanism>
Certificate certify_with(const PlanTables& tables) {
  Certificate certificate;
  const auto require = [&](double loss, double claim, const std::string& what) {
    if (loss <= claim) return;
    certificate.violations.push_back(what + ": " + format_number(loss) + " is more than " + format_number(claim));
  };
  const auto name = [](std::size_t index) { return "level " + std::to_string(index + 1); };

  const std::vector<PlanLevel>& levels = tables.levels;
  certificate.level_report = tables.level_response ? tables.level_response->loss() : 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    certificate.features.push_back(Mechanism::features_loss(levels[i].entry, tables.shape(levels[i])));
    require(certificate.features[i] + certificate.level_report, levels[i].budget, "features at " + name(i));
  }
  if (tables.secrecy == LevelSecrecy::public_level) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    certificate.level_given_features = certificate.pair_max = certificate.pair_strictest = kInfinity;
    return certificate;
  }

  for (std::size_t i = 1; i < levels.size(); ++i) {
    const Shape first = tables.shape(levels[0]);
    const Shape other = tables.shape(levels[i]);
    if (first.sampled == other.sampled && first.outcomes == other.outcomes && first.favoured == other.favoured)
      continue;
    certificate.violations.push_back("level given features: reports of " + name(i) + " have a form of their own");
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    for (std::size_t j = 0; j < levels.size(); ++j) {
      const Shape shape = tables.shape(levels[i]);
      const double report = i == j ? 0 : certificate.level_report;
      const double level = i == j ? 0 : report + Mechanism::level_loss(levels[i].entry, levels[j].entry, shape);
      const double pair = report + Mechanism::pair_loss(levels[i].entry, levels[j].entry, shape);
      const std::string names = name(i) + " against " + name(j);
      require(level, tables.level_budget, "level given features, " + names);
      require(pair, std::max(levels[i].budget, levels[j].budget), "pair, " + names);
      if (i == 0 || j == 0) {
        require(pair, tables.level_budget + levels[0].budget, "pair with the strictest, " + names);
        certificate.pair_strictest = std::max(certificate.pair_strictest, pair);
      }
      certificate.level_given_features = std::max(certificate.level_given_features, level);
      certificate.pair_max = std::max(certificate.pair_max, pair);
    }
  }
  return certificate;
}

}  // namespace

Certificate certify(const PlanTables& tables) {
  return with_mechanism(tables.kind, [&](auto mechanism) { return certify_with<decltype(mechanism)>(tables); });
}

}  // namespace ppgnn::ldp
