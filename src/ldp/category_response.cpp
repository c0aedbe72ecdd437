#include "ppgnn/ldp/category_response.hpp"

namespace ppgnn::ldp {

namespace {

using random::UInt128;

// ln(numerator / denominator) of integers with numerator >= denominator > 0.
double log_ratio(UInt128 numerator, UInt128 denominator) noexcept {
  return std::log1p(static_cast<double>(numerator - denominator) / static_cast<double>(denominator));
}

UInt128 total(std::uint64_t entry, const Shape& shape) noexcept {
  return random::window_total(shape.classes, 0, entry);
}

}  // namespace

std::uint64_t CategoryResponse::quantise(double budget, const Shape&) noexcept {
  // The largest weight is reached at 17 ln 2 = 11.8; a larger budget is not spent. Inward twice: for the rounding of
  // the loss, which grows with the budget, and for that of exp, which does not.
  const double weight = std::ldexp(std::exp(std::min(budget, 12.0) * (1 - kInward)) * (1 - kInward), 40);
  return std::clamp(static_cast<std::uint64_t>(weight), random::kWeightOut, random::kMaxWeightIn);
}

double CategoryResponse::features_loss(std::uint64_t entry, const Shape&) noexcept {
  return outward(log_ratio(entry, random::kWeightOut));
}

double CategoryResponse::level_loss(std::uint64_t first, std::uint64_t second, const Shape& shape) noexcept {
  // Reported = true: (W1 / N1) / (W2 / N2); reported another: N2 / N1.
  const UInt128 n1 = total(first, shape);
  const UInt128 n2 = total(second, shape);
  return outward(first < second ? log_ratio(n2, n1) : log_ratio(first * n2, second * n1));
}

double CategoryResponse::pair_loss(std::uint64_t first, std::uint64_t second, const Shape& shape) noexcept {
  // Reported the first person's class, which is not the second's: (W1 / N1) / (2^40 / N2), at least 1.
  return outward(log_ratio(first * total(second, shape), random::kWeightOut * total(first, shape)));
}

double CategoryResponse::cap(double level_budget, double strictest, const Shape& shape) noexcept {
  const double others = shape.classes - 1.0;
  const double weight = std::exp(strictest);
  // Reported another class: (e^cap + C - 1) / (e^strictest + C - 1) <= e^level_budget, without overflow.
  const double other = level_budget + std::log(weight - others * std::expm1(-level_budget));
  // Reported the true class: its probability may rise by e^level_budget at most. With many classes this is the tighter
  // one.
  const double chance = std::exp(level_budget) * (weight / (weight + others));
  return chance < 1 ? std::min(other, std::log(chance * others / (1 - chance))) : other;
}

double CategoryResponse::gain(std::uint64_t entry, const Shape& shape) noexcept {
  return static_cast<double>(entry - random::kWeightOut) / static_cast<double>(total(entry, shape));
}

double CategoryResponse::information(double gain, const Shape&) noexcept {
  return gain * gain;
}

double CategoryResponse::variance(double gain, double x, const Shape& shape) noexcept {
  const double chance = x * gain + (1 - gain) / shape.classes;
  return chance * (1 - chance) / (gain * gain);
}

}  // namespace ppgnn::ldp
