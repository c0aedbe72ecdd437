#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>

/// Sizes that come from options or files are multiplied and added here: a product that wraps is a small array that is
/// written as a large one.
namespace ppgnn {

/// The product; nothing where it does not fit. Nothing at all multiplies to 1, and a zero makes everything 0.
[[nodiscard]] constexpr std::optional<std::size_t> checked_product(
    std::initializer_list<std::size_t> factors) noexcept {
  for (const std::size_t factor : factors) {
    if (factor == 0) return 0;
  }
  std::size_t product = 1;
  for (const std::size_t factor : factors) {
    if (product > std::numeric_limits<std::size_t>::max() / factor) return std::nullopt;
    product *= factor;
  }
  return product;
}

/// The sum; nothing where it does not fit.
[[nodiscard]] constexpr std::optional<std::size_t> checked_sum(std::initializer_list<std::size_t> terms) noexcept {
  std::size_t sum = 0;
  for (const std::size_t term : terms) {
    if (term > std::numeric_limits<std::size_t>::max() - sum) return std::nullopt;
    sum += term;
  }
  return sum;
}

/// As checked_product and checked_sum, with the largest size for what does not fit: no memory is that large, so whoever
/// asks for it is refused.
[[nodiscard]] constexpr std::size_t capped_product(std::initializer_list<std::size_t> factors) noexcept {
  return checked_product(factors).value_or(std::numeric_limits<std::size_t>::max());
}
[[nodiscard]] constexpr std::size_t capped_sum(std::initializer_list<std::size_t> terms) noexcept {
  return checked_sum(terms).value_or(std::numeric_limits<std::size_t>::max());
}

}  // namespace ppgnn
