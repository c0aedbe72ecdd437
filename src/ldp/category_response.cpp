#include "ppgnn/ldp/category_response.hpp"

#include <algorithm>
#include <cmath>

#include "ppgnn/ldp/payload.hpp"

namespace ppgnn::ldp {

namespace {

using random::UInt128;

// ln(numerator / denominator) of integers with numerator >= denominator > 0.
double log_ratio(UInt128 numerator, UInt128 denominator) noexcept {
  return std::log1p(static_cast<double>(numerator - denominator) / static_cast<double>(denominator));
}

constexpr std::uint64_t kOne = std::uint64_t{1} << random::kThresholdBits;

UInt128 others(const Shape& shape) noexcept {
  return shape.classes - 1;
}

std::size_t width_for(const Shape& shape) noexcept {
  return width_of(shape.classes - 1);
}

}  // namespace

std::string CategoryResponse::problem_with(const Schema& schema) {
  const bool one = schema.dim() == 1 && schema.groups().front().kind == ColumnKind::category;
  return one ? "" : "a category plan has exactly one column, of kind category";
}

Shape CategoryResponse::shape(const Schema& schema, std::uint32_t sampled) noexcept {
  return {schema.dim(), sampled, static_cast<std::uint32_t>(schema.groups().front().high) + 1};
}

EntryRange CategoryResponse::entries(const Shape& shape) noexcept {
  return {kOne / shape.classes + 1, kOne - 1};
}

std::uint64_t CategoryResponse::quantise(double budget, const Shape& shape) noexcept {
  // The chance of another class, raised twice: for the rounding of the loss, which grows with the budget, and for that
  // of exp and the division, which does not.
  const double odds = (shape.classes - 1.0) * std::exp(-budget * (1 - kInward));
  const double away = std::ldexp(odds / (1 + odds) * (1 + kInward), random::kThresholdBits);
  const auto other = static_cast<std::uint64_t>(away) + 2;
  return other < kOne ? kOne - other : 0;
}

double CategoryResponse::features_loss(std::uint64_t entry, const Shape& shape) noexcept {
  return pair_loss(entry, entry, shape);
}

double CategoryResponse::level_loss(std::uint64_t first, std::uint64_t second, const Shape& shape) noexcept {
  // Reported = true: W1 / W2; reported another: (2^62 - W1) / (2^62 - W2).
  static_cast<void>(shape);
  return outward(first < second ? log_ratio(kOne - first, kOne - second) : log_ratio(first, second));
}

double CategoryResponse::pair_loss(std::uint64_t first, std::uint64_t second, const Shape& shape) noexcept {
  // Reported the first person's class, which is not the second's: W1 (C - 1) / (2^62 - W2).
  return outward(log_ratio(first * others(shape), kOne - second));
}

double CategoryResponse::cap(double level_budget, double strictest, const Shape& shape) noexcept {
  const double rest = shape.classes - 1.0;
  const double weight = std::exp(strictest);
  // Reported another class: (e^cap + C - 1) / (e^strictest + C - 1) <= e^level_budget, without overflow.
  const double other = level_budget + std::log(weight - rest * std::expm1(-level_budget));
  // Reported the true class: its probability may rise by e^level_budget at most. With many classes this is
  // the tighter one.
  const double chance = std::exp(level_budget) * (weight / (weight + rest));
  return chance < 1 ? std::min(other, std::log(chance * rest / (1 - chance))) : other;
}

double CategoryResponse::gain(std::uint64_t entry, const Shape& shape) noexcept {
  // W / 2^62 - (2^62 - W) / (2^62 (C - 1)); entries are above 2^62 / C.
  const UInt128 surplus = shape.classes * UInt128{entry} - kOne;
  return std::ldexp(static_cast<double>(surplus) / (shape.classes - 1.0), -random::kThresholdBits);
}

double CategoryResponse::information(double gain, const Shape&) noexcept {
  return gain * gain;
}

double CategoryResponse::variance(double gain, double x, const Shape& shape) noexcept {
  const double chance = x * gain + (1 - gain) / shape.classes;
  return chance * (1 - chance) / (gain * gain);
}

std::uint32_t CategoryResponse::class_of(const Schema& schema, const Row& row) noexcept {
  const ColumnGroup& group = schema.groups().front();
  const double value = row.value(0, group.absent);
  // No class is a midpoint: NaN counts as the absent value. Out of range is clamped, as everywhere.
  const double kept = std::clamp(std::isnan(value) ? group.absent : value, group.low, group.high);
  return static_cast<std::uint32_t>(std::lrint(kept));
}

std::uint32_t CategoryResponse::estimated_columns(const Shape& shape) noexcept {
  return shape.classes;
}

void CategoryResponse::estimate(const Report& report, double gain, const Shape& shape,
                                std::vector<EstimateEntry>& out) {
  const double away = -(1 - gain) / (shape.classes * gain);
  for (std::uint32_t category = 0; category < shape.classes; ++category) {
    out.push_back({category, away + (category == report.category ? 1 / gain : 0)});
  }
}

double CategoryResponse::log_likelihood(const Report& report, const Row& row, const Schema& schema, std::uint64_t entry,
                                        const Shape& shape) {
  const double kept = gain(entry, shape);
  const bool same = class_of(schema, row) == report.category;
  return std::log((1 - kept) / shape.classes + (same ? kept : 0));
}

void CategoryResponse::encode(const Report& report, const Shape& shape, std::vector<std::uint8_t>& payload) {
  append_big_endian(report.category, width_for(shape), payload);
}

std::string CategoryResponse::decode(std::span<const std::uint8_t> payload, const Shape& shape, Report& report) {
  if (payload.size() != width_for(shape)) return "wrong length";
  const std::uint64_t category = read_big_endian(payload);
  if (category >= shape.classes) return "out of range";
  report.category = static_cast<std::uint32_t>(category);
  return {};
}

std::string CategoryResponse::title(const Shape& shape) {
  return "one class of " + std::to_string(shape.classes);
}

std::string CategoryResponse::content(const Shape& shape) {
  return title(shape) + ", which chance may have replaced";
}

}  // namespace ppgnn::ldp
