#include "ppgnn/ldp/level_response.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "ppgnn/ldp/category_response.hpp"

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
  return exp_tail(-budget) / (2 * exp_tail(budget));
}

LevelResponse LevelResponse::make(double budget, std::uint32_t levels) noexcept {
  // The second bound guards even `levels` where the share rounds to 1/2.
  const auto radius = std::min(static_cast<std::uint32_t>(window_share(budget) * levels), (levels - 1) / 2);
  return {levels, radius, CategoryResponse::quantise(budget, {})};
}

double LevelResponse::loss() const noexcept {
  return levels == 1 ? 0 : CategoryResponse::features_loss(weight, {});
}

double LevelResponse::probability(std::uint32_t level, std::int32_t reported) const noexcept {
  const auto distance = static_cast<std::uint32_t>(std::abs(reported - static_cast<std::int32_t>(level)));
  const std::uint64_t share = distance <= radius ? weight : random::kWeightOut;
  return static_cast<double>(share) / static_cast<double>(random::window_total(levels, radius, weight));
}

}  // namespace ppgnn::ldp
