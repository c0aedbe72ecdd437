#include "ppgnn/ldp_research/strict_mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/ldp/perturb.hpp"

namespace ppgnn::ldp_research {

namespace {

class StrictMechanism final : public FeatureMechanism {
 public:
  explicit StrictMechanism(ldp::Plan plan) : plan_(std::move(plan)), estimator_(plan_.tables()) {}

  [[nodiscard]] std::string name() const override { return "strict"; }
  [[nodiscard]] StatedBound bound(Level level) const override {
    const bool is_public = plan_.tables().secrecy == ldp::LevelSecrecy::public_level;
    return {plan_.certificate().features[static_cast<std::uint32_t>(level) - 1], 0,
            is_public ? "public" : "protected within the level budget", true};
  }
  void perturb(Level level, const Row& row, random::AnyBits bits, NoisyRow& out) const override {
    ldp::Report report;
    ldp::perturb(plan_, level, row, bits, report);
    out.reported_level = report.reported_level;
    out.columns = std::move(report.columns);
    out.values.assign(report.signs.begin(), report.signs.end());
  }
  void estimate(NoisyRow& row) const override {
    const double scale = scale_of(estimator_.case_of(row.reported_level));
    for (double& value : row.values) value *= scale;
  }
  [[nodiscard]] double log_ratio(const NoisyRow& row, std::size_t index) const override {
    // The sign, with the gain that belongs to the level field; estimates are dim / (sampled * gain).
    const double gain = std::min(estimator_.gain(estimator_.case_of(row.reported_level)), 1 - 1e-15);
    return std::copysign(2 * std::atanh(gain), row.values[index]);
  }
  [[nodiscard]] double mean(Level level, double x) const override { return moments(level, x).first; }
  [[nodiscard]] double variance(Level level, double x) const override { return moments(level, x).second; }

 private:
  // Size of an estimate in one case of the level field.
  [[nodiscard]] double scale_of(std::size_t index) const noexcept {
    return ldp::SignBits::scale(estimator_.gain(index), estimator_.shape(index));
  }

  // Mean and variance for one level: an entry is +-scale with probability sampled / dim, else 0.
  [[nodiscard]] std::pair<double, double> moments(Level level, double x) const {
    const auto number = static_cast<std::uint32_t>(level);
    const ldp::PlanLevel& entry = plan_.levels()[number - 1];
    const double gain = ldp::SignBits::gain(entry.entry, plan_.tables().shape(entry));
    const double share = static_cast<double>(entry.sampled) / plan_.schema().dim();
    const auto& response = plan_.tables().level_response;
    double mean = 0;
    double square = 0;
    for (std::size_t i = 0; i < estimator_.cases(); ++i) {
      const std::optional<std::int32_t> reported = estimator_.reported_level(i);
      double chance = 1;
      if (response) chance = response->probability(number, *reported);
      if (!response && reported) chance = *reported == static_cast<std::int32_t>(number) ? 1 : 0;
      mean += chance * share * scale_of(i) * gain * x;
      square += chance * share * scale_of(i) * scale_of(i);
    }
    return {mean, square - mean * mean};
  }

  ldp::Plan plan_;
  ldp::Estimator estimator_;
};

}  // namespace

Result<FeatureMechanismPtr> make_strict(ldp::Plan plan) {
  if (plan.kind() != ldp::SignBits::kKind) {
    return Error{ErrorCode::mismatch, "plan: only reports of signs can be compared with the baselines"};
  }
  return FeatureMechanismPtr(std::make_unique<StrictMechanism>(std::move(plan)));
}

}  // namespace ppgnn::ldp_research
