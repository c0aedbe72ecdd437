#include "ppgnn/ldp_research/gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ppgnn/core/number.hpp"
#include "ppgnn/ldp_research/noise.hpp"
#include "ppgnn/ldp_research/sampled_columns.hpp"

namespace ppgnn::ldp_research {

namespace {

double normal_cdf(double x) noexcept {
  return std::erfc(-x * std::numbers::sqrt2 / 2) / 2;
}

// The delta that noise of standard deviation `ratio` * sensitivity has at epsilon; falls with the ratio.
double delta_of(double epsilon, double ratio) noexcept {
  const double half = 1 / (2 * ratio);
  return normal_cdf(half - epsilon * ratio) - std::exp(epsilon) * normal_cdf(-half - epsilon * ratio);
}

class Gaussian final : public FeatureMechanism {
 public:
  Gaussian(Schema schema, double epsilon, double delta, double sigma)
      : schema_(std::move(schema)), epsilon_(epsilon), delta_(delta), sigma_(sigma) {}

  [[nodiscard]] std::string name() const override { return "gm"; }
  [[nodiscard]] StatedBound bound(Level) const override { return {epsilon_, delta_, "", false}; }
  void perturb(Level, const Row& row, random::AnyBits bits, NoisyRow& out) const override {
    out.reported_level.reset();
    out.columns.clear();
    out.values.resize(schema_.dim());
    double spare = 0;
    for (std::uint32_t column = 0; column < schema_.dim(); ++column) {
      double normal = spare;
      if ((column & 1) == 0) {  // Box and Muller: two at a time
        const double radius = std::sqrt(-2 * std::log(open_uniform(bits)));
        const double angle = 2 * std::numbers::pi * open_uniform(bits);
        normal = radius * std::cos(angle);
        spare = radius * std::sin(angle);
      }
      out.values[column] = scaled_feature(schema_, row, column) + sigma_ * normal;
    }
  }
  void estimate(NoisyRow&) const override {}  // unbiased as sent
  [[nodiscard]] double log_ratio(const NoisyRow& row, std::size_t index) const override {
    return 2 * row.values[index] / (sigma_ * sigma_);
  }
  [[nodiscard]] double mean(Level, double x) const override { return x; }
  [[nodiscard]] double variance(Level, double) const override { return sigma_ * sigma_; }

 private:
  Schema schema_;
  double epsilon_;
  double delta_;
  double sigma_;
};

}  // namespace

double gaussian_sigma(double epsilon, double delta, double sensitivity) noexcept {
  double low = 1e-6;
  double high = 1;
  while (delta_of(epsilon, high) > delta) high *= 2;
  for (int step = 0; step < 200 && low < high; ++step) {
    const double middle = (low + high) / 2;
    (delta_of(epsilon, middle) > delta ? low : high) = middle;
  }
  return high * sensitivity;
}

Result<FeatureMechanismPtr> make_gaussian(Schema schema, double epsilon, double delta, bool as_printed) {
  if (Result<void> valid = check_budget(epsilon, "epsilon"); !valid) return valid.error();
  if (!(delta >= 1e-15 && delta < 0.5)) {
    return Error{ErrorCode::invalid_argument,
                 "delta: must be at least 1e-15 and below 0.5, but is " + format_number(delta)};
  }
  const double sensitivity = 2 * std::sqrt(schema.dim());
  if (as_printed) {
    const double sigma = std::sqrt(2 * std::log(1.25 / delta)) * schema.dim() / epsilon;
    const double real = std::max(0.0, delta_of(epsilon, sigma / sensitivity));
    return FeatureMechanismPtr(std::make_unique<Gaussian>(std::move(schema), epsilon, real, sigma));
  }
  const double sigma = gaussian_sigma(epsilon, delta, sensitivity);
  return FeatureMechanismPtr(std::make_unique<Gaussian>(std::move(schema), epsilon, delta, sigma));
}

}  // namespace ppgnn::ldp_research
