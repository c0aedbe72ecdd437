#include "ppgnn/ldp/category_response.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/plans.hpp"

namespace ppgnn::ldp {
namespace {

using test::expect_relative;

TEST(CategoryResponse, MatchesTheVectors) {
  expect_relative(CategoryResponse::cap(1, 1, {1, 1, 3, 1}), 2.38191552452211, 1e-12);

  const Shape three{1, 1, 3, 1};
  const std::uint64_t strict3 = CategoryResponse::quantise(1, three);
  const std::uint64_t capped = CategoryResponse::quantise(2.38191552452211, three);
  expect_relative(CategoryResponse::level_loss(strict3, capped, three), 1, 1e-12);

  const Shape four{1, 1, 4, 1};
  const std::uint64_t strict = CategoryResponse::quantise(0.5, four);
  const std::uint64_t relaxed = CategoryResponse::quantise(4, four);
  expect_relative(CategoryResponse::level_loss(strict, relaxed, four), 2.51689826347324, 1e-12);
  expect_relative(CategoryResponse::pair_loss(strict, relaxed, four), 3.01689826347324, 1e-12);
}

// With many classes the true class itself tells a relaxed person from a strict one; the review's formula, which looks
// at the other classes only, would allow 4.6 here and lose 3.4 nats about the level instead of 1.
TEST(CategoryResponse, CapHoldsForTheTrueClassToo) {
  for (const std::uint32_t classes : {2u, 3u, 10u, 100u, 65536u}) {
    for (const double strictest : {.01, .5, 1.0, 4.0}) {
      for (const double level_budget : {.01, 1.0, 3.0}) {
        const Shape shape{1, 1, classes, 1};
        const double cap = CategoryResponse::cap(level_budget, strictest, shape);
        if (cap > 30) continue;  // too few of 2^62 left to be exact to 1e-9
        const std::uint64_t strict = CategoryResponse::quantise(strictest, shape);
        const std::uint64_t relaxed = CategoryResponse::quantise(cap, shape);
        const double loss = std::max(CategoryResponse::level_loss(strict, relaxed, shape),
                                     CategoryResponse::level_loss(relaxed, strict, shape));
        EXPECT_NEAR(loss, level_budget, 1e-9) << classes << " " << strictest;  // kept, and used up
      }
    }
  }
}

// Losses against the definition, over all reported classes and both orders.
TEST(CategoryResponse, LossesAreTheLargestLogRatios) {
  for (const std::uint32_t classes : {2u, 3u, 10u, 65536u}) {
    const Shape shape{1, 1, classes, 1};
    for (const double a : {1e-6, 0.1, 1.0, 5.0, 11.0}) {
      for (const double b : {1e-6, 0.5, 2.0, 11.5, 400.0}) {
        const std::uint64_t first = CategoryResponse::quantise(a, shape);
        const std::uint64_t second = CategoryResponse::quantise(b, shape);
        const auto chance = [&](std::uint64_t entry, bool same) {
          const long double kept = static_cast<long double>(entry) * 0x1p-62L;
          return same ? kept : (1 - kept) / (classes - 1.0L);
        };
        long double level = 0;
        long double pair = 0;
        for (const bool same : {true, false}) {
          level = std::max(level, std::log(chance(first, same) / chance(second, same)));
          for (const bool other : {true, false}) {
            if (classes == 2 && same == other) continue;  // two classes: the report is one of them
            pair = std::max(pair, std::log(chance(first, same) / chance(second, other)));
          }
        }
        EXPECT_NEAR(CategoryResponse::level_loss(first, second, shape), static_cast<double>(level),
                    1e-14 * (2 + a + b));
        EXPECT_NEAR(CategoryResponse::pair_loss(first, second, shape), static_cast<double>(pair), 1e-14 * (2 + a + b));
      }
    }
    for (double budget = 1e-9; budget < 512; budget *= 1.01) {
      const std::uint64_t entry = CategoryResponse::quantise(budget, shape);
      // In integers as far as it goes: a logarithm near 1 would be off by more than the margin that is tested.
      const random::UInt128 away = (std::uint64_t{1} << 62) - entry;
      const random::UInt128 excess = random::UInt128{entry} * (classes - 1) - away;
      const long double exact = std::log1p(static_cast<long double>(excess) / static_cast<long double>(away));
      EXPECT_LE(CategoryResponse::features_loss(entry, shape), budget);
      EXPECT_GE(static_cast<long double>(CategoryResponse::features_loss(entry, shape)), exact);
    }
  }
}

TEST(CategoryResponse, EstimateHasTheStatedMeanAndVariance) {
  const Shape shape{1, 1, 5, 1};
  const std::uint64_t entry = CategoryResponse::quantise(1.5, shape);
  const double gain = CategoryResponse::gain(entry, shape);
  const double kept = static_cast<double>(entry) * 0x1p-62;
  for (const double x : {0.0, 1.0}) {
    const double chance = x == 1 ? kept : (1 - kept) / 4;
    const double hit = (1 - (1 - gain) / 5) / gain;
    const double miss = -(1 - gain) / 5 / gain;
    const double mean = chance * hit + (1 - chance) * miss;
    EXPECT_NEAR(mean, x, 1e-13);
    const double variance = chance * hit * hit + (1 - chance) * miss * miss - mean * mean;
    expect_relative(CategoryResponse::variance(gain, x, shape), variance, 1e-12);
  }
}

}  // namespace
}  // namespace ppgnn::ldp
