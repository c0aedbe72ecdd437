#include "ppgnn/random/samplers.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "ppgnn/seeded/seeded_stream.hpp"
#include "support/scripted_bits.hpp"

namespace ppgnn::random {
namespace {

using test::ScriptedBits;
using test::word_for;

// Exactly floor(2^64 / n) words lead to each value: the first and the last word of each stretch, and the rejected ones.
TEST(Below, GivesEveryValueTheSameNumberOfWords) {
  for (const std::uint64_t bound : {std::uint64_t{3}, std::uint64_t{7}, std::uint64_t{4714}, std::uint64_t{1} << 40,
                                    (std::uint64_t{1} << 63) + 12345, ~std::uint64_t{0}}) {
    const UInt128 two64 = UInt128{1} << 64;
    const UInt128 share = two64 / bound;
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, bound / 2, bound - 1}) {
      // The accepted words of a value end where its stretch ends and begin `share` words before.
      const std::uint64_t last = word_for(value, bound);
      const auto first = static_cast<std::uint64_t>(last - share + 1);
      ScriptedBits at_last({last}), at_first({first});
      EXPECT_EQ(below(bound, at_last), value);
      EXPECT_EQ(below(bound, at_first), value);
      EXPECT_FALSE(at_last.exhausted() || at_first.exhausted());
      // The word before is another value's, or surplus and rejected.
      if (first > 0) {
        ScriptedBits before({first - 1, word_for(bound - 1, bound)});
        const std::uint64_t other = below(bound, before);
        EXPECT_TRUE(other != value || before.used() == 2) << bound << " " << value;
      }
    }
  }
}

TEST(Below, RejectsTheSurplusExactly) {
  // 2^64 mod 3 = 1: of 2^64 words one is rejected, the word 0.
  ScriptedBits zero({0, word_for(2, 3)});
  EXPECT_EQ(below(3, zero), 2u);
  EXPECT_EQ(zero.used(), 2u);
  ScriptedBits one({1});
  EXPECT_EQ(below(3, one), 0u);
  EXPECT_EQ(one.used(), 1u);
  // A power of two needs no rejection.
  ScriptedBits power({0});
  EXPECT_EQ(below(std::uint64_t{1} << 20, power), 0u);
  EXPECT_EQ(power.used(), 1u);
}

// The number of the 2^93 draws that give + is exactly 2^92 + feature * threshold: + on the last such draw, - on the
// next.
TEST(Sign, TurnsAtExactlyTheStatedDraw) {
  for (const std::int64_t feature : {-(std::int64_t{1} << 30), std::int64_t{-12345}, std::int64_t{0},
                                     std::int64_t{1} << 28, std::int64_t{1} << 30}) {
    for (const std::uint64_t threshold : {std::uint64_t{1}, std::uint64_t{1} << 40, (std::uint64_t{1} << 62) - 1}) {
      const auto plus =
          static_cast<UInt128>((Int128{1} << 92) + Int128{feature} * static_cast<std::int64_t>(threshold));
      ASSERT_GT(plus, 0);
      ASSERT_LT(plus, UInt128{1} << 93);
      const auto [last_high, last_low] = test::words_for_sign(plus - 1);
      const auto [next_high, next_low] = test::words_for_sign(plus);
      ScriptedBits last({last_high, last_low}), next({next_high, next_low});
      EXPECT_TRUE(sign(feature, threshold, last));
      EXPECT_FALSE(sign(feature, threshold, next));
      EXPECT_EQ(last.used(), 2u);
    }
  }
}

// Every output's stretch of the total weight, end to end, for all small windows.
TEST(WindowResponse, GivesEveryOutputExactlyItsWeight) {
  for (std::uint32_t inputs = 1; inputs <= 7; ++inputs) {
    for (std::uint32_t radius = 0; radius <= (inputs - 1) / 2; ++radius) {
      for (const std::uint64_t weight : {kWeightOut, kWeightOut + 12345, std::uint64_t{1812788208096}, kMaxWeightIn}) {
        const std::uint64_t total = window_total(inputs, radius, weight);
        for (std::uint32_t input = 0; input < inputs; ++input) {
          std::map<std::int64_t, std::uint64_t> weights;
          const auto count_stretch = [&](std::uint64_t begin, std::uint64_t size) {
            ScriptedBits first({word_for(begin, total)}), last({word_for(begin + size - 1, total)});
            const std::int64_t output = window_response(input, inputs, radius, weight, first);
            EXPECT_EQ(window_response(input, inputs, radius, weight, last), output);
            weights[output] += size;
          };
          std::uint64_t at = 0;
          for (std::uint32_t part = 0; part < 2 * radius + 1; ++part, at += weight) count_stretch(at, weight);
          for (std::uint32_t part = 1; part < inputs; ++part, at += kWeightOut) count_stretch(at, kWeightOut);
          ASSERT_EQ(at, total);
          ASSERT_EQ(weights.size(), inputs + 2 * radius);
          for (const auto& [output, got] : weights) {
            const std::int64_t distance = output - std::int64_t{input};
            const bool inside = distance >= -std::int64_t{radius} && distance <= std::int64_t{radius};
            EXPECT_EQ(got, inside ? weight : kWeightOut) << inputs << " " << radius << " " << input << " " << output;
            EXPECT_TRUE(output >= -std::int64_t{radius} && output < std::int64_t{inputs} + radius);
          }
        }
      }
    }
  }
}

// Walks every sequence of draws: each subset must come out the same number of times, in ascending order.
TEST(Subset, IsUniformOverAllSubsets) {
  for (std::uint32_t universe = 1; universe <= 6; ++universe) {
    for (std::uint32_t size = 0; size <= universe; ++size) {
      std::map<std::vector<std::uint32_t>, int> counts;
      std::vector<std::uint64_t> draws(size, 0);
      int sequences = 0;
      for (bool more = true; more; ++sequences) {
        std::vector<std::uint64_t> words;
        for (std::uint32_t i = 0; i < size; ++i) words.push_back(word_for(draws[i], universe - size + i + 1));
        ScriptedBits bits(words);
        std::vector<std::uint32_t> chosen(size);
        subset(universe, chosen, bits);
        ASSERT_FALSE(bits.exhausted());
        ++counts[chosen];
        more = false;
        for (std::uint32_t i = 0; i < size && !more; ++i) {
          more = ++draws[i] <= universe - size + i;
          if (!more) draws[i] = 0;
        }
      }
      int subsets = 1;
      for (std::uint32_t i = 0; i < size; ++i)
        subsets = subsets * static_cast<int>(universe - i) / static_cast<int>(i + 1);
      ASSERT_EQ(counts.size(), static_cast<std::size_t>(subsets)) << universe << " " << size;
      for (const auto& [chosen, count] : counts) {
        EXPECT_EQ(count * subsets, sequences);
        EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
      }
    }
  }
}

TEST(Subset, IsDistinctSortedAndInRangeAtEverySize) {
  seeded::SeededStream bits(1, seeded::Purpose::test, 0);
  for (const std::uint32_t universe : {1u, 512u, 513u, 4714u, 4000000000u}) {
    for (std::uint32_t size = 0; size <= std::min<std::uint32_t>(universe, kMaxSubset); size += 1 + size / 3) {
      std::vector<std::uint32_t> chosen(size);
      subset(universe, chosen, bits);
      const std::set<std::uint32_t> distinct(chosen.begin(), chosen.end());
      ASSERT_EQ(distinct.size(), size);
      ASSERT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
      if (size > 0) {
        ASSERT_LT(chosen.back(), universe);
      }
    }
  }
}

}  // namespace
}  // namespace ppgnn::random
