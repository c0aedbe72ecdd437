#include "ppgnn/simulate/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace ppgnn::simulate {
namespace {

// Five runs .80 .82 .81 .79 .83: mean .81, s^2 = 2.5e-4, t of 4 degrees at 97.5% 2.776445.
TEST(Interval, MatchesAHandCalculation) {
  const std::vector<double> values{.80, .82, .81, .79, .83};
  const Interval apart = resampled_t_interval(values, 0);
  EXPECT_TRUE(apart.known);
  EXPECT_NEAR(apart.mean, .81, 1e-12);
  EXPECT_NEAR(apart.high - apart.mean, 2.776445 * std::sqrt(2.5e-4 / 5), 1e-8);
  EXPECT_NEAR(apart.mean - apart.low, apart.high - apart.mean, 1e-12);
  const Interval overlap = resampled_t_interval(values, .5);
  EXPECT_NEAR(overlap.high - overlap.mean, 2.776445 * std::sqrt(2.5e-4 * (.2 + .5)), 1e-8);
}

TEST(Interval, FewRunsHaveNone) {
  for (const std::vector<double>& few : {std::vector<double>{.5}, std::vector<double>{.4, .6}}) {
    const Interval interval = resampled_t_interval(few, .5);
    EXPECT_FALSE(interval.known);
    EXPECT_EQ(interval.mean, .5);
    EXPECT_EQ(interval.low, .5);
    EXPECT_EQ(interval.high, .5);
  }
  EXPECT_FALSE(resampled_t_interval({}, 0).known);
  EXPECT_TRUE(resampled_t_interval(std::vector<double>{.5, .5, .5}, 0).known);
}

// Of independent runs 95 of 100 intervals hold the true mean, at three runs as at ten.
TEST(Interval, CoversAtTheNumberOfRunsThereAre) {
  constexpr int kTrials = 2000;
  for (const std::size_t runs : {3u, 5u, 10u}) {
    int covered = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::mt19937_64 bits(static_cast<std::uint64_t>(trial));
      std::normal_distribution<double> normal(.8, .02);
      std::vector<double> values(runs);
      for (double& value : values) value = normal(bits);
      const Interval interval = resampled_t_interval(values, 0);
      covered += interval.low <= .8 && .8 <= interval.high ? 1 : 0;
    }
    EXPECT_NEAR(covered / double{kTrials}, .95, 6 * std::sqrt(.95 * .05 / kTrials)) << runs;
  }
}

TEST(Holm, MultipliesTheSmallestMostAndNeverFalls) {
  EXPECT_EQ(holm(std::vector<double>{.03, .01, .04}), (std::vector<double>{.06, .03, .06}));
  EXPECT_EQ(holm(std::vector<double>{.6, .7}), (std::vector<double>{1, 1}));
  EXPECT_TRUE(holm({}).empty());
}

// Against the formula worked by hand: differences .01 .02 .03, mean .02, s^2 = 1e-4, variance 1e-4 (1/3 + 1/2),
// t = 2.1909 on 2 degrees: p = 0.1598.
TEST(CorrectedResampledT, MatchesAHandCalculation) {
  const std::vector<double> first{.81, .82, .83};
  const std::vector<double> second{.80, .80, .80};
  const PairedTest test = corrected_resampled_t(first, second, .5);
  EXPECT_NEAR(test.difference, .02, 1e-12);
  const double t = .02 / std::sqrt(1e-4 * (1.0 / 3 + .5));
  EXPECT_NEAR(test.p_value, 1 - t / std::sqrt(t * t + 2), 1e-9);  // closed form for 2 degrees of freedom
}

TEST(CorrectedResampledT, DegenerateCases) {
  const std::vector<double> same{.8, .8};
  EXPECT_EQ(corrected_resampled_t(same, same, .5).p_value, 1);
  const std::vector<double> two_above{.9, .9};
  EXPECT_EQ(corrected_resampled_t(two_above, same, .5).p_value, 1);  // two runs show nothing
  // Equal differences, five times: a sign test, not certainty.
  const std::vector<double> high{.9, .9, .9, .9, .9};
  const std::vector<double> low{.8, .8, .8, .8, .8};
  EXPECT_NEAR(corrected_resampled_t(high, low, .5).p_value, 1.0 / 16, 1e-12);
  // Two people more of 677 each time: in doubles the differences are not quite equal.
  const std::vector<double> more{570.0 / 677, 571.0 / 677, 572.0 / 677};
  const std::vector<double> fewer{568.0 / 677, 569.0 / 677, 570.0 / 677};
  EXPECT_NEAR(corrected_resampled_t(more, fewer, .5).p_value, .25, 1e-12);
  std::vector<double> shifted = fewer;  // equal after a margin
  for (double& value : shifted) value += 2.0 / 677;
  EXPECT_EQ(corrected_resampled_t(more, shifted, .5).p_value, 1);
  EXPECT_EQ(corrected_resampled_t(more, shifted, .5).difference, 0);
  const std::vector<double> one{.8};
  EXPECT_EQ(corrected_resampled_t(one, one, .5).p_value, 1);
}

}  // namespace
}  // namespace ppgnn::simulate
