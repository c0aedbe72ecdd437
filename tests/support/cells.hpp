#pragma once

#include "support/scripted_bits.hpp"

/// Exact looks at single cells of a sampler's probability space: what no sample shows at 2^-60.
namespace ppgnn::test {

/// Whether + is given by exactly the draws below 2^92 + feature * threshold, at both sides of the turn and at both
/// ends.
template <class Sign>
bool sign_cells_are_exact(Sign&& sign) {
  for (const std::int64_t feature : {-(std::int64_t{1} << 30), std::int64_t{-12345}, std::int64_t{0},
                                     std::int64_t{1} << 28, std::int64_t{1} << 30}) {
    for (const std::uint64_t threshold : {std::uint64_t{1}, std::uint64_t{1} << 40, (std::uint64_t{1} << 62) - 1}) {
      const auto plus = static_cast<random::UInt128>((random::Int128{1} << 92) +
                                                     random::Int128{feature} * static_cast<std::int64_t>(threshold));
      const random::UInt128 last = (random::UInt128{1} << 93) - 1;
      for (const random::UInt128 draw : {random::UInt128{0}, plus - 1, plus, last}) {
        const auto [high, low] = words_for_sign(draw);
        ScriptedBits bits({high, low});
        if (sign(feature, threshold, bits) != (draw < plus) || bits.used() != 2) return false;
      }
    }
  }
  return true;
}

/// The same at every threshold 2^62 - 2^k: from a fair coin to 43 nats a bit, where no sample sees anything.
template <class Sign>
bool large_thresholds_are_exact(Sign&& sign) {
  constexpr std::int64_t kOne = std::int64_t{1} << 30;
  for (int k = 0; k < 62; ++k) {
    const std::uint64_t threshold = (std::uint64_t{1} << 62) - (std::uint64_t{1} << k);
    for (const std::int64_t feature : {-kOne, -kOne + 1, std::int64_t{-1}, std::int64_t{1}, kOne - 1, kOne}) {
      const auto plus = static_cast<random::UInt128>((random::Int128{1} << 92) +
                                                     random::Int128{feature} * static_cast<std::int64_t>(threshold));
      for (const random::UInt128 draw : {plus - 1, plus}) {
        const auto [high, low] = words_for_sign(draw);
        ScriptedBits bits({high, low});
        if (sign(feature, threshold, bits) != (draw < plus) || bits.used() != 2) return false;
      }
    }
  }
  return true;
}

/// Whether every value gets exactly floor(2^64 / bound) words: at the first and last of its words, and one before.
template <class Below>
bool below_cells_are_exact(Below&& below) {
  for (const std::uint64_t bound : {std::uint64_t{3}, std::uint64_t{7}, std::uint64_t{4714}, std::uint64_t{1} << 40,
                                    (std::uint64_t{1} << 63) + 12345, ~std::uint64_t{0}}) {
    const auto share = static_cast<std::uint64_t>((random::UInt128{1} << 64) / bound);
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, bound / 2, bound - 1}) {
      const std::uint64_t last = word_for(value, bound);
      const std::uint64_t first = last - share + 1;
      ScriptedBits at_last({last});
      ScriptedBits at_first({first});
      if (below(bound, at_last) != value || below(bound, at_first) != value || at_last.exhausted() ||
          at_first.exhausted()) {
        return false;
      }
      if (first == 0) continue;
      // The word before belongs to another value, or is surplus and makes the sampler draw again.
      ScriptedBits before({first - 1, word_for(bound - 1, bound)});
      if (below(bound, before) == value && before.used() == 1) return false;
    }
  }
  return true;
}

}  // namespace ppgnn::test
