#include "ppgnn/simulate/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ppgnn::simulate {
namespace {

TEST(Bootstrap, CoversTheMeanAndIsReproducible) {
  const std::vector<double> values{.80, .82, .81, .79, .85, .80, .83, .78, .81, .82};
  const Interval interval = bootstrap(values, 1);
  EXPECT_NEAR(interval.mean, .811, 1e-12);
  EXPECT_LT(interval.low, interval.mean);
  EXPECT_GT(interval.high, interval.mean);
  EXPECT_GE(interval.low, .78);
  EXPECT_LE(interval.high, .85);
  // Near the normal interval: 1.96 standard errors of .0196 / sqrt(10).
  EXPECT_NEAR(interval.high - interval.low, 2 * 1.96 * .0188 / std::sqrt(10.0), .006);
  EXPECT_EQ(bootstrap(values, 1).low, interval.low);
  EXPECT_EQ(bootstrap(std::vector<double>{.5}, 1).low, .5);
  EXPECT_EQ(bootstrap({}, 1).mean, 0);
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
