#include "ppgnn/ldp/level_response.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "ppgnn/ldp/bound.hpp"
#include "ppgnn/random/samplers.hpp"

namespace ppgnn::ldp {

namespace {

// e^x - 1 - x.
double exp_tail(double x) noexcept {
  if (std::abs(x) >= 1) return std::expm1(x) - x;
  double term = x * x / 2;
  double sum = term;
  for (int k = 3; std::abs(term) > 0x1p-60 * std::abs(sum); ++k) {
    term *= x / k;
    sum += term;
  }
  return sum;
}

}  // namespace

double window_share(double budget) noexcept {
  if (!(budget > 1e-100)) return .5;  // where the square of the budget is no number any more
  if (budget > 700) return 0;         // less than one level in e^690
  return exp_tail(-budget) / (2 * exp_tail(budget));
}

LevelResponse LevelResponse::make(double budget, std::uint32_t levels) noexcept {
  // The second bound guards even `levels` where the share rounds to 1/2.
  const auto radius = std::min(static_cast<std::uint32_t>(window_share(budget) * levels), (levels - 1) / 2);
  // Any budget is taken, NaN and negative ones as none: whether it makes sense is the plan's to say.
  const double most = budget > 0 ? std::min(budget, 12.0) : 0;
  // The largest weight is reached at 17 ln 2 = 11.8; a larger budget is not spent. Inward twice: for the rounding of
  // the loss, which grows with the budget, and for that of exp, which does not.
  const double weight = std::ldexp(std::exp(most * (1 - kInward)) * (1 - kInward), 40);
  return {levels, radius, std::clamp(static_cast<std::uint64_t>(weight), random::kWeightOut, random::kMaxWeightIn)};
}

bool LevelResponse::agrees_with(double budget) const noexcept {
  constexpr double kRounding = 1e-9;
  const double window = window_share(budget) * levels;
  const double half = (levels - 1) / 2;  // NOLINT(bugprone-integer-division): the middle level
  const bool same_radius = radius >= std::min(std::floor(window - kRounding), half) &&
                           radius <= std::min(std::floor(window + kRounding), half);
  const double most = std::ldexp(static_cast<double>(random::kMaxWeightIn), -40);
  const double wanted = std::min(std::exp(std::min(budget, 12.0)), most);
  const double kept = std::ldexp(static_cast<double>(weight), -40);
  return same_radius && kept <= wanted && kept >= wanted * (1 - kRounding);
}

double LevelResponse::loss() const noexcept {
  if (levels == 1) return 0;
  const auto excess = static_cast<double>(weight - random::kWeightOut);
  return outward(std::log1p(excess / static_cast<double>(random::kWeightOut)));
}

double LevelResponse::probability(std::uint32_t level, std::int32_t reported) const noexcept {
  const auto distance = static_cast<std::uint32_t>(std::abs(reported - static_cast<std::int32_t>(level)));
  const std::uint64_t share = distance <= radius ? weight : random::kWeightOut;
  return static_cast<double>(share) / static_cast<double>(random::window_total(levels, radius, weight));
}

}  // namespace ppgnn::ldp
