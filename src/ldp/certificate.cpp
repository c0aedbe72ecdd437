#include "ppgnn/ldp/certificate.hpp"

#include <algorithm>
#include <limits>

#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/ldp/plan.hpp"

namespace ppgnn::ldp {

namespace {

// What a mechanism says about entries.
struct Losses {
  double (*features)(std::uint64_t, const Shape&) noexcept;
  double (*level)(std::uint64_t, std::uint64_t, const Shape&) noexcept;
  double (*pair)(std::uint64_t, std::uint64_t, const Shape&) noexcept;
};

Certificate certify_with(const Losses& losses, const PlanTables& tables) {
  Certificate certificate;
  const auto require = [&](double loss, double claim, std::string_view what, std::initializer_list<Part> parts) {
    if (loss <= claim) return;
    certificate.violations.push_back(filled("{}: {} is more than {}", {filled(what, parts), loss, claim}));
  };

  const std::vector<PlanLevel>& levels = tables.levels;
  certificate.level_report = tables.level_response ? tables.level_response->loss() : 0;
  certificate.features = std::vector<double>(levels.size());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    certificate.features[i] = losses.features(levels[i].entry, tables.shape(levels[i]));
    require(certificate.features[i] + certificate.level_report, levels[i].budget, "features at level {}", {i + 1});
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
    certificate.violations.push_back(
        filled("level given features: reports of level {} have a form of their own", {i + 1}));
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    for (std::size_t j = 0; j < levels.size(); ++j) {
      const Shape shape = tables.shape(levels[i]);
      const double report = i == j ? 0 : certificate.level_report;
      const double level = i == j ? 0 : report + losses.level(levels[i].entry, levels[j].entry, shape);
      const double pair = report + losses.pair(levels[i].entry, levels[j].entry, shape);
      const auto between = [&](std::string_view what, double loss, double claim) {
        require(loss, claim, "{}, level {} against level {}", {what, i + 1, j + 1});
      };
      between("level given features", level, tables.level_budget);
      between("pair", pair, std::max(levels[i].budget, levels[j].budget));
      if (i == 0 || j == 0) {
        between("pair with the strictest", pair, tables.level_budget + levels[0].budget);
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
  return certify_with(
      with_mechanism(tables.kind,
                     [](auto mechanism) {
                       using Mechanism = decltype(mechanism);
                       return Losses{Mechanism::features_loss, Mechanism::level_loss, Mechanism::pair_loss};
                     }),
      tables);
}

}  // namespace ppgnn::ldp
