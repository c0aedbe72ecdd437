#include "ppgnn/ldp/sign_bits.hpp"

#include <algorithm>
#include <cmath>

namespace ppgnn::ldp {

namespace {

constexpr std::uint64_t kOne = std::uint64_t{1} << random::kThresholdBits;

double softplus(double x) noexcept {
  return std::log1p(std::exp(x));
}

// ln((numerator + rise) / numerator) of integers below 2^64.
double log_rise(std::uint64_t rise, std::uint64_t numerator) noexcept {
  return std::log1p(static_cast<double>(rise) / static_cast<double>(numerator));
}

// Variance at x = 0 without the factor dim: coth^2(budget / 2m) / m.
double spread(double budget, double sampled) noexcept {
  const double t = std::tanh(budget / (2 * sampled));
  return 1 / (sampled * t * t);
}

}  // namespace

std::uint64_t SignBits::quantise(double budget, const Shape& shape) noexcept {
  const double t = std::tanh(std::max(0.0, budget) / (2.0 * shape.sampled));
  const auto threshold = static_cast<std::uint64_t>(std::ldexp(t, random::kThresholdBits));
  const std::uint64_t inward = (threshold >> 48) + 1;  // kInward
  return threshold > inward ? threshold - inward : 0;
}

double SignBits::features_loss(std::uint64_t entry, const Shape& shape) noexcept {
  return pair_loss(entry, entry, shape);
}

double SignBits::level_loss(std::uint64_t first, std::uint64_t second, const Shape& shape) noexcept {
  // One bit: the ratio (1 + s x t1) / (1 + s x t2) is monotone in s x, so the ends decide.
  const double bit = first < second ? log_rise(second - first, kOne - second) : log_rise(first - second, kOne + second);
  return outward(shape.sampled * bit);
}

double SignBits::pair_loss(std::uint64_t first, std::uint64_t second, const Shape& shape) noexcept {
  return outward(shape.sampled * log_rise(first + second, kOne - second));  // (1 + t1) / (1 - t2)
}

double SignBits::cap(double level_budget, double strictest, const Shape& shape) noexcept {
  // m ln(expm1(y)), y = level_budget / m + ln(1 + e^(strictest / m)) >= ln 2, without overflow.
  const double m = shape.sampled;
  const double y = level_budget / m + softplus(strictest / m);
  return m * (y + std::log1p(-std::exp(-y)));
}

double SignBits::gain(std::uint64_t entry, const Shape&) noexcept {
  return std::ldexp(static_cast<double>(entry), -random::kThresholdBits);
}

double SignBits::information(double gain, const Shape& shape) noexcept {
  return shape.sampled * gain * gain;
}

double SignBits::variance(double gain, double x, const Shape& shape) noexcept {
  return shape.dim / (shape.sampled * gain * gain) - x * x;
}

std::uint32_t SignBits::best_sampled(double budget, std::uint32_t dim) noexcept {
  constexpr double kRatio = 2.177318984965307;  // the root of sinh z = 2 z: the best budget a bit
  const double below = std::max(1.0, std::floor(budget / kRatio));
  const double best = spread(budget, below) <= spread(budget, below + 1) ? below : below + 1;
  return static_cast<std::uint32_t>(std::min<double>(best, std::min<double>(dim, random::kMaxSubset)));
}

}  // namespace ppgnn::ldp
