#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ppgnn/core/heap.hpp"
#include "ppgnn/random/bit_source.hpp"

/// Exact samplers on integers: each output has exactly the stated rational probability. No floating point, no remainder
/// of a random number, no standard-library distribution (their bits differ between platforms).
namespace ppgnn::random {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

/// Uniform on 0 .. bound-1, by multiplication with rejection.
///
/// Cost   One word; a second with probability below bound / 2^64.
/// Source Lemire, Fast random integer generation in an interval, 2019.
template <BitSource Bits>
std::uint64_t below(std::uint64_t bound, Bits& bits) noexcept {
  assert(bound > 0);
  UInt128 product = UInt128{bits.next()} * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    // 2^64 mod bound low halves are surplus; rejecting them leaves floor(2^64 / bound) words for every output.
    const std::uint64_t negated = 0 - bound;
    const std::uint64_t surplus = negated - (negated / bound) * bound;
    while (static_cast<std::uint64_t>(product) < surplus) product = UInt128{bits.next()} * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

/// Scale of the integers `sign` takes: a feature of 1 is 2^30, a threshold of 1 is 2^62.
inline constexpr int kFeatureBits = 30;
inline constexpr int kThresholdBits = 62;

/// True (+1) with probability exactly (2^92 + feature * threshold) / 2^93, where |feature| <= 2^30, threshold < 2^62:
/// (1 + x t) / 2 for x = feature / 2^30 and t = threshold / 2^62.
///
/// Cost  93 of the 128 bits of two words, always.
template <BitSource Bits>
bool sign(std::int64_t feature, std::uint64_t threshold, Bits& bits) noexcept {
  assert(feature >= -(std::int64_t{1} << kFeatureBits) && feature <= std::int64_t{1} << kFeatureBits);
  assert(threshold < std::uint64_t{1} << kThresholdBits);
  const UInt128 high = bits.next() >> 35;  // 29 bits
  const UInt128 draw = high << 64 | bits.next();
  const Int128 limit = (Int128{1} << 92) + Int128{feature} * static_cast<std::int64_t>(threshold);
  return draw < static_cast<UInt128>(limit);
}

/// Weight of one output outside the window of `window_response`.
inline constexpr std::uint64_t kWeightOut = std::uint64_t{1} << 40;
/// Largest weight of one output inside it: keeps every total below 2^64 for radius <= 31 and 2^16 inputs.
inline constexpr std::uint64_t kMaxWeightIn = std::uint64_t{1} << 57;

/// Sum of the weights of all `inputs` + 2 `radius` outputs.
constexpr std::uint64_t window_total(std::uint32_t inputs, std::uint32_t radius, std::uint64_t weight_in) noexcept {
  return (2 * std::uint64_t{radius} + 1) * weight_in + (std::uint64_t{inputs} - 1) * kWeightOut;
}

/// Randomised response with a window: for `input` in 0 .. inputs-1 returns an output in -radius ..
/// inputs-1+radius, with probability proportional to `weight_in` within `radius` of the input and to 2^40
/// elsewhere. Radius 0 is k-ary response.
///
/// Privacy  Time does not depend on the input: no branch on it. `below` may take a second word, by a draw that is
///          independent of the input and a bound that is the same for all inputs.
template <BitSource Bits>
std::int64_t window_response(std::uint32_t input, std::uint32_t inputs, std::uint32_t radius, std::uint64_t weight_in,
                             Bits& bits) noexcept {
  assert(input < inputs && weight_in >= kWeightOut && weight_in <= kMaxWeightIn);
  const std::uint64_t draw = below(window_total(inputs, radius, weight_in), bits);
  const std::uint64_t window = (2 * std::uint64_t{radius} + 1) * weight_in;

  // Inside: the input's window is cut in 2 radius + 1 equal parts.
  std::int64_t inside = std::int64_t{input} - radius;
  for (std::uint32_t part = 1; part <= 2 * radius; ++part)
    inside += static_cast<std::int64_t>(draw >= part * weight_in);

  // Outside: `input` outputs lie left of the window, the others right of it.
  const std::int64_t rank = static_cast<std::int64_t>((draw - window) >> 40);
  const std::int64_t right = static_cast<std::int64_t>(rank >= std::int64_t{input});
  const std::int64_t outside = rank - radius + right * (2 * std::int64_t{radius} + 1);

  const std::int64_t choose_inside = -static_cast<std::int64_t>(draw < window);  // all ones or zero
  return (inside & choose_inside) | (outside & ~choose_inside);
}

/// Most elements `subset` draws at once.
inline constexpr std::size_t kMaxSubset = 512;

/// A uniform subset of 0 .. universe-1 with chosen.size() elements, written in ascending order.
///
/// Cost    One `below` an element, O(size) look-ups, one sort.
/// Source  Floyd's sampling without replacement (Bentley and Floyd, 1987), with a small hash set.
template <BitSource Bits>
void subset(std::uint32_t universe, std::span<std::uint32_t> chosen, Bits& bits) noexcept {
  assert(chosen.size() <= universe && chosen.size() <= kMaxSubset);
  const auto size = static_cast<std::uint32_t>(chosen.size());
  // Open addressing at most half full; element + 1 is stored, so that 0 means free.
  std::array<std::uint32_t, 2 * kMaxSubset> table;
  const std::uint32_t slots = std::bit_ceil(2 * size);
  const int shift = 32 - std::countr_zero(slots);
  std::fill_n(table.begin(), slots, 0);
  const auto insert = [&](std::uint32_t element) noexcept {
    std::uint32_t slot = (element * 2654435769u) >> shift;
    while (table[slot] != 0 && table[slot] != element + 1) slot = (slot + 1) & (slots - 1);
    const bool added = table[slot] == 0;
    table[slot] = element + 1;
    return added;
  };
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t last = universe - size + i;
    const auto drawn = static_cast<std::uint32_t>(below(std::uint64_t{last} + 1, bits));
    const bool is_new = insert(drawn);
    if (!is_new) insert(last);
    chosen[i] = is_new ? drawn : last;
  }
  heap_sort(chosen);
}

}  // namespace ppgnn::random
