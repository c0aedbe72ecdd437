#include "ppgnn/ldp/subset_response.hpp"

#include <algorithm>
#include <cmath>

#include "ppgnn/ldp/payload.hpp"

namespace ppgnn::ldp {

namespace {

using random::UInt128;

constexpr std::uint64_t kWhole = std::uint64_t{1} << random::kThresholdBits;

// The nearest double, a tie to the even one, as every compiler's conversion gives; those of a page take four times the code.
double to_double(UInt128 number) noexcept {
  int shift = 0;
  bool more = false;
  for (; number >> 64 != 0; ++shift, number >>= 1) more = more || (number & 1) != 0;
  return std::ldexp(static_cast<double>(static_cast<std::uint64_t>(number) | (more ? 1 : 0)), shift);
}

// ln(numerator / denominator) of integers with numerator >= denominator > 0.
double log_ratio(UInt128 numerator, UInt128 denominator) noexcept {
  return std::log1p(to_double(numerator - denominator) / to_double(denominator));
}

std::uint32_t others(const Shape& shape) noexcept {
  return shape.outcomes - shape.favoured;
}

// R: outsiders for each member.
double ratio(const Shape& shape) noexcept {
  return static_cast<double>(others(shape)) / shape.favoured;
}

// h: the share of the outcomes that are favoured.
double share(const Shape& shape) noexcept {
  return static_cast<double>(shape.favoured) / shape.outcomes;
}

std::size_t bytes_for(const Shape& shape) noexcept {
  return width_of(shape.outcomes - 1);
}

// The chance of an outcome that is not favoured.
double chance_outside(double gain, const Shape& shape) noexcept {
  return (1 - gain * shape.favoured) / shape.outcomes;
}

}  // namespace

Shape SubsetResponse::shape(const Schema& schema, const PlanLevel& level) noexcept {
  return {schema.dim(), level.sampled, level.outcomes, level.favoured};
}

EntryRange SubsetResponse::entries(const Shape& shape) noexcept {
  // Above 2^62 K / M, rounded down: without a division of 128 bits, which takes half a kilobyte in a page.
  const std::uint64_t whole = kWhole / shape.outcomes * shape.favoured;
  return {whole + kWhole % shape.outcomes * shape.favoured / shape.outcomes + 1, kWhole - 1};
}

std::uint64_t SubsetResponse::quantise(double budget, const Shape& shape) noexcept {
  // The chance of an outsider, raised twice: for the rounding of the loss, which grows with the budget, and for that of
  // exp and the division, which does not.
  const double odds = ratio(shape) * std::exp(-budget / shape.sampled * (1 - kInward));
  const double away = std::ldexp(odds / (1 + odds) * (1 + kInward), random::kThresholdBits);
  const auto other = static_cast<std::uint64_t>(away) + 2;
  return other < kWhole ? kWhole - other : 0;
}

double SubsetResponse::features_loss(std::uint64_t entry, const Shape& shape) noexcept {
  return pair_loss(entry, entry, shape);
}

double SubsetResponse::level_loss(std::uint64_t first, std::uint64_t second, const Shape& shape) noexcept {
  // Each draw: W1 / W2 inside, (2^62 - W1) / (2^62 - W2) outside.
  const double one = first < second ? log_ratio(kWhole - first, kWhole - second) : log_ratio(first, second);
  return outward(shape.sampled * one);
}

double SubsetResponse::pair_loss(std::uint64_t first, std::uint64_t second, const Shape& shape) noexcept {
  // Each draw: one that the first person favours and the second does not, W1 (M - K) / (K (2^62 - W2)).
  const double one = log_ratio(UInt128{first} * others(shape), UInt128{kWhole - second} * shape.favoured);
  return outward(shape.sampled * one);
}

double SubsetResponse::cap(double level_budget, double strictest, const Shape& shape) noexcept {
  const double budget = level_budget / shape.sampled;
  const double rest = ratio(shape);
  const double weight = std::exp(strictest / shape.sampled);
  // An outsider sent: (e^cap + R) / (e^strictest + R) <= e^budget, without overflow.
  const double outside = budget + std::log(weight - rest * std::expm1(-budget));
  // A member sent: its chance may rise by e^budget at most. With many outsiders this is the tighter one.
  const double chance = std::exp(budget) * (weight / (weight + rest));
  const double cap = chance < 1 ? std::min(outside, std::log(chance * rest / (1 - chance))) : outside;
  return shape.sampled * cap;
}

double SubsetResponse::gain(std::uint64_t entry, const Shape& shape) noexcept {
  // (W M - 2^62 K) / (2^62 K (M - K)); entries are above 2^62 K / M.
  const UInt128 surplus = UInt128{entry} * shape.outcomes - UInt128{kWhole} * shape.favoured;
  return std::ldexp(to_double(surplus) / shape.favoured / others(shape), -random::kThresholdBits);
}

double SubsetResponse::information(double gain, const Shape& shape) noexcept {
  const double h = share(shape);
  const double surplus = gain * others(shape) * h;  // p - h
  return shape.sampled * surplus * surplus / h;
}

double SubsetResponse::variance(double gain, double x, const Shape& shape, double spread) noexcept {
  const double chance = chance_outside(gain, shape) + x * gain;
  const double between = (x - share(shape)) * (x - share(shape)) * spread;  // of the chance, over the levels
  return (chance * (1 - chance) + (shape.sampled - 1) * between) / (shape.sampled * gain * gain);
}

std::uint32_t SubsetResponse::estimated_columns(const Shape& shape) noexcept {
  return shape.outcomes;
}

void SubsetResponse::estimate(const Report& report, double gain, const Shape& shape, std::vector<EstimateEntry>& out) {
  const double away = -chance_outside(gain, shape) / gain;
  const std::size_t first = out.size();
  for (std::uint32_t outcome = 0; outcome < shape.outcomes; ++outcome) out.push_back({outcome, away});
  for (const std::uint32_t outcome : report.outcomes) out[first + outcome].value += 1 / (gain * shape.sampled);
}

double SubsetResponse::log_likelihood(const Report& report, std::span<const std::uint32_t> favoured,
                                      std::uint64_t entry, const Shape& shape) {
  const double inside = std::ldexp(static_cast<double>(entry), -random::kThresholdBits) / shape.favoured;
  const double outside = std::ldexp(static_cast<double>(kWhole - entry), -random::kThresholdBits) / others(shape);
  double sum = 0;
  for (const std::uint32_t outcome : report.outcomes) {
    sum += std::log(std::binary_search(favoured.begin(), favoured.end(), outcome) ? inside : outside);
  }
  return sum;
}

void SubsetResponse::encode(const Report& report, const Shape& shape, std::vector<std::uint8_t>& payload) {
  for (const std::uint32_t outcome : report.outcomes) append_big_endian(outcome, bytes_for(shape), payload);
}

std::string SubsetResponse::decode(std::span<const std::uint8_t> payload, const Shape& shape, Report& report) {
  const std::size_t width = bytes_for(shape);
  if (payload.size() != shape.sampled * width) return "wrong length";
  for (; !payload.empty(); payload = payload.subspan(width)) {
    const std::uint64_t outcome = read_big_endian(payload.first(width));
    if (outcome >= shape.outcomes) return "out of range";
    report.outcomes.push_back(static_cast<std::uint32_t>(outcome));
  }
  return {};
}

}  // namespace ppgnn::ldp
