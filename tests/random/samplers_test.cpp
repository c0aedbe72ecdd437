#include "ppgnn/random/samplers.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "ppgnn/seeded/seeded_stream.hpp"
#include "support/cells.hpp"
#include "support/scripted_bits.hpp"

namespace ppgnn::random {
namespace {

using test::ScriptedBits;
using test::word_for;

TEST(Below, GivesEveryValueTheSameNumberOfWords) {
  EXPECT_TRUE(test::below_cells_are_exact([](std::uint64_t bound, auto& bits) { return below(bound, bits); }));
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

TEST(Sign, TurnsAtExactlyTheStatedDraw) {
  EXPECT_TRUE(test::sign_cells_are_exact(
      [](std::int64_t feature, std::uint64_t threshold, auto& bits) { return sign(feature, threshold, bits); }));
}

TEST(Sign, IsExactAtEveryLargeThreshold) {
  EXPECT_TRUE(test::large_thresholds_are_exact(
      [](std::int64_t feature, std::uint64_t threshold, auto& bits) { return sign(feature, threshold, bits); }));
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

// One element: every value owns one unbroken stretch of words, at both sides of 16 bits and in the widest schema.
TEST(Subset, ReachesEveryElementOfAWideUniverse) {
  const auto drawn = [](std::uint32_t universe, std::uint64_t word) {
    ScriptedBits bits({word});
    std::vector<std::uint32_t> chosen(1);
    subset(universe, chosen, bits);
    EXPECT_FALSE(bits.exhausted());
    return chosen[0];
  };
  for (std::uint32_t element = 0; element < 65537; ++element) {
    ASSERT_EQ(drawn(65537, word_for(element, 65537)), element);
  }
  constexpr std::uint32_t kWidest = std::uint32_t{1} << 30;
  const auto check = [&](std::uint32_t element) {
    ASSERT_EQ(drawn(kWidest, std::uint64_t{element} << 34), element);
    ASSERT_EQ(drawn(kWidest, word_for(element, kWidest)), element);
  };
  for (std::uint32_t element = 0; element < kWidest; element += 9973) check(element);
  for (std::uint32_t last = 1; last <= 4; ++last) check(kWidest - last);
  // A repeated draw stands for the last element of its turn.
  ScriptedBits bits({word_for(kWidest - 2, kWidest - 1), word_for(kWidest - 2, kWidest)});
  std::vector<std::uint32_t> chosen(2);
  subset(kWidest, chosen, bits);
  EXPECT_EQ(chosen, (std::vector{kWidest - 2, kWidest - 1}));
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
