#include "ppgnn/ldp/sign_bits.hpp"

#include <algorithm>
#include <cmath>

#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/messages.hpp"
#include "ppgnn/ldp/payload.hpp"

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

std::size_t width_for(const Shape& shape) noexcept {
  return width_of(std::uint64_t{shape.dim} * 2 - 1);
}

}  // namespace

std::string SignBits::problem_with(const PlanTables& tables) {
  const std::vector<ColumnGroup>& groups = tables.schema.groups();
  const bool has_category =
      std::any_of(groups.begin(), groups.end(), [](const auto& group) { return group.kind == ColumnKind::category; });
  return has_category ? "schema: a category column needs a category plan" : "";
}

std::string SignBits::problem_with(const PlanTables& tables, const PlanLevel& level) {
  const std::uint32_t most = std::min<std::uint32_t>(tables.schema.dim(), random::kMaxSubset);
  if (level.outcomes != 0 || level.favoured != 0) return "outcomes: have no meaning for signs";
  if (level.sampled >= 1 && level.sampled <= most) return {};
  return filled("sampled: must be between 1 and {}, but is {}", {most, level.sampled});
}

Shape SignBits::shape(const Schema& schema, const PlanLevel& level) noexcept {
  return {schema.dim(), level.sampled};
}

std::vector<PlanLevel> SignBits::candidates(const PlanTables& tables, const ShapeWishes& wishes) {
  const PlanLevel wish{.sampled = wishes.sampled.value_or(1),
                       .outcomes = wishes.outcomes.value_or(0),
                       .favoured = wishes.favoured.value_or(0)};
  if (wishes.sampled || wishes.outcomes || wishes.favoured) return {wish};
  // No single sample size pays beyond the one that is best for the largest budget.
  const std::uint32_t most = best_sampled(tables.levels.back().budget, tables.schema.dim());
  std::vector<PlanLevel> found;
  for (std::uint32_t sampled = 1; sampled <= most; ++sampled) found.push_back({.sampled = sampled});
  return found;
}

EntryRange SignBits::entries(const Shape&) noexcept {
  return {1, kOne - 1};
}

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

double SignBits::scale(double gain, const Shape& shape) noexcept {
  return shape.dim / (shape.sampled * gain);
}

std::uint32_t SignBits::estimated_columns(const Shape& shape) noexcept {
  return shape.dim;
}

void SignBits::estimate(const Report& report, double gain, const Shape& shape, std::vector<EstimateEntry>& out) {
  for (std::size_t i = 0; i < report.columns.size(); ++i) {
    out.push_back({report.columns[i], scale(gain, shape) * report.signs[i]});
  }
}

double SignBits::log_likelihood(const Report& report, const Row& row, const PlanTables& tables, const Asked&,
                                std::uint64_t entry, const Shape& shape) {
  const Schema& schema = tables.schema;
  double sum = 0;
  for (std::size_t i = 0; i < report.columns.size(); ++i) {
    const ColumnGroup& group = schema.group_of(report.columns[i]);
    const std::int64_t feature = Schema::quantise(group, row.value(report.columns[i], group.absent));
    const double x = std::ldexp(static_cast<double>(feature), -random::kFeatureBits);
    sum += std::log1p(report.signs[i] * x * gain(entry, shape));
  }
  return sum;
}

void SignBits::encode(const Report& report, const Shape& shape, std::vector<std::uint8_t>& payload) {
  for (std::size_t i = 0; i < report.columns.size(); ++i) {
    const std::uint64_t plus = report.signs[i] > 0 ? 1 : 0;
    append_big_endian(std::uint64_t{report.columns[i]} * 2 + plus, width_for(shape), payload);
  }
}

std::string SignBits::decode(std::span<const std::uint8_t> payload, const Shape& shape, Report& report) {
  const std::size_t width = width_for(shape);
  if (payload.size() != shape.sampled * width) return "wrong length";
  for (; !payload.empty(); payload = payload.subspan(width)) {
    const std::uint64_t entry = read_big_endian(payload.first(width));
    const std::uint64_t column = entry >> 1;
    if (column >= shape.dim) return "column out of range";
    if (!report.columns.empty() && column <= report.columns.back()) return "columns not ascending";
    report.columns.push_back(static_cast<std::uint32_t>(column));
    report.signs.push_back((entry & 1) != 0 ? 1 : -1);
  }
  return {};
}

std::string SignBits::title(const Shape& shape) {
  return filled(messages::kSignsTitle, {shape.dim});
}

std::string SignBits::content(const Shape& shape) {
  return filled(messages::kSigns, {shape.sampled, shape.dim});
}

}  // namespace ppgnn::ldp
