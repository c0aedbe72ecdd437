#include "ppgnn/ldp/level_response.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ppgnn/random/samplers.hpp"
#include "support/plans.hpp"

namespace ppgnn::ldp {
namespace {

using test::expect_relative;

TEST(LevelResponse, WindowShareMatchesTheTable) {
  const std::vector<std::pair<double, double>> table{
      {1e-4, .499966667777752}, {1e-3, .499666777751857}, {.01, .496677751901154}, {.05, .483607900983724},
      {.1, .467752337707818},   {.25, .423224546163766},  {.5, .358155424611167},  {1, .256082937501473},
      {1.5, .182452981896163},  {2, .129337066745766},    {3, .0637152206406318},  {4, .0304277038243536},
      {5, .0140673023906208},   {10, .000204402793104945}};
  for (const auto& [budget, share] : table) expect_relative(window_share(budget), share, 1e-12);
  // The printed formula collapses here; the series does not.
  expect_relative(window_share(1e-8), 0.5 - 1e-8 / 3, 1e-15);
  expect_relative(window_share(1e-12), 0.5, 1e-12);
}

TEST(LevelResponse, RadiusMatchesTheTable) {
  const std::vector<std::pair<std::vector<double>, std::vector<std::uint32_t>>> table{
      {{1e-4, 1e-3, .01, .05, .1}, {0, 0, 1, 1, 2, 2, 3, 3}},
      {{.25}, {0, 0, 1, 1, 2, 2, 2, 3}},
      {{.5}, {0, 0, 1, 1, 1, 2, 2, 2}},
      {{1}, {0, 0, 0, 1, 1, 1, 1, 2}},
      {{1.5}, {0, 0, 0, 0, 0, 1, 1, 1}},
      {{2}, {0, 0, 0, 0, 0, 0, 0, 1}},
      {{3, 4, 5, 7, 10}, {0, 0, 0, 0, 0, 0, 0, 0}}};
  for (const auto& [budgets, radii] : table) {
    for (const double budget : budgets) {
      for (std::uint32_t levels = 1; levels <= 8; ++levels) {
        EXPECT_EQ(LevelResponse::make(budget, levels).radius, radii[levels - 1]) << budget << " " << levels;
      }
    }
  }
  // Even level counts where the share rounds to 1/2.
  EXPECT_EQ(LevelResponse::make(1e-17, 6).radius, 2u);
}

TEST(LevelResponse, RadiusSwitchesExactlyWhereTheReviewSays) {
  struct Switch {
    std::uint32_t levels, radius;
    double at;
  };
  for (const Switch& s : {Switch{3, 1, .607371442188}, Switch{4, 1, 1.0356584794}, Switch{5, 2, .334576796514},
                          Switch{5, 1, 1.36521681504}, Switch{6, 2, .607371442188}, Switch{6, 1, 1.63230659272},
                          Switch{7, 3, .231180288562}, Switch{7, 2, .837267833777}, Switch{7, 1, 1.85638623919},
                          Switch{8, 3, .431226766914}, Switch{8, 2, 1.0356584794}, Switch{8, 1, 2.04909698693}}) {
    EXPECT_GE(LevelResponse::make(s.at * (1 - 1e-11), s.levels).radius, s.radius) << s.levels << " " << s.at;
    EXPECT_LT(LevelResponse::make(s.at * (1 + 1e-11), s.levels).radius, s.radius) << s.levels << " " << s.at;
  }
}

TEST(LevelResponse, ProbabilitiesMatchTheVectors) {
  struct Vector {
    std::uint32_t levels;
    double budget;
    std::uint32_t radius, outputs;
    double inside, outside;
  };
  for (const Vector& v : {Vector{6, .005, 2, 10, 0.1002499994791680, 0.09975000052083203},
                          Vector{6, .05, 2, 10, 0.1024994792968421, 0.09750052070315793},
                          Vector{6, .5, 2, 10, 0.1244918662403709, 0.07550813375962909},
                          Vector{6, 1, 1, 8, 0.2066373057350369, 0.07601761655897785},
                          Vector{6, 1.5, 1, 8, 0.2429749384519397, 0.05421503692883618},
                          Vector{6, 1.6, 1, 8, 0.2494087397961902, 0.05035475612228585},
                          Vector{6, 1.7, 0, 6, 0.5226250607341004, 0.09547498785317993},
                          Vector{6, 2.7, 0, 6, 0.7484875515827926, 0.05030248968344148},
                          Vector{5, .5, 1, 7, 0.1842936598668252, 0.1117797550998811},
                          Vector{5, 1.5, 0, 5, 0.5283958222438627, 0.1179010444390343},
                          Vector{4, 1.0356, 1, 6, 0.2460000437732535, 0.08733328956007985},
                          Vector{4, 1.0357, 0, 4, 0.4842771133654572, 0.1719076288781809},
                          Vector{8, .25, 3, 14, 0.08031092869797116, 0.06254621415917170},
                          Vector{2, 1, 0, 2, 0.7310585786300049, 0.2689414213699951}}) {
    const LevelResponse response = LevelResponse::make(v.budget, v.levels);
    ASSERT_EQ(response.radius, v.radius);
    EXPECT_EQ(response.last() - response.first() + 1, static_cast<std::int32_t>(v.outputs));
    for (std::uint32_t level = 1; level <= v.levels; ++level) {
      double sum = 0;
      for (std::int32_t reported = response.first(); reported <= response.last(); ++reported) {
        const bool inside =
            std::abs(reported - static_cast<std::int32_t>(level)) <= static_cast<std::int32_t>(v.radius);
        const double chance = response.probability(level, reported);
        expect_relative(chance, inside ? v.inside : v.outside, 1e-12);
        sum += chance;
      }
      EXPECT_NEAR(sum, 1, 1e-12);
    }
    EXPECT_LE(response.loss(), v.budget);
    EXPECT_GE(response.loss(), v.budget * (1 - 1e-9));
  }
  // One level is reported as itself. A budget of 16 is more than the weights hold (17 ln 2 = 11.8): not spent, still
  // safe.
  EXPECT_EQ(LevelResponse::make(1, 1).probability(1, 1), 1);
  EXPECT_EQ(LevelResponse::make(1, 1).loss(), 0);
  EXPECT_NEAR(LevelResponse::make(16, 6).loss(), 17 * std::log(2), 1e-12);
}

TEST(LevelResponse, WeightMatchesTheReviewsInteger) {
  const LevelResponse response = LevelResponse::make(.5, 6);
  EXPECT_EQ(response.weight, 1812788208096u);
  EXPECT_EQ(random::window_total(6, response.radius, response.weight), 14561499179360u);
}

// Another machine may round the weight down by a little; up, by nothing.
TEST(LevelResponse, AgreesUpToRoundingDownAndNeverUp) {
  for (const std::uint32_t levels : {2u, 6u, 20u, 63u}) {
    for (const double budget : {.01, .5, 1.0, 3.0, 11.0}) {
      LevelResponse response = LevelResponse::make(budget, levels);
      EXPECT_TRUE(response.agrees_with(budget));
      const auto exact = static_cast<std::uint64_t>(std::ldexp(std::exp(static_cast<long double>(budget)), 40));
      response.weight = exact + (exact >> 49) + 2;  // more than a double rounds to
      EXPECT_FALSE(response.agrees_with(budget)) << levels << " levels, " << budget;
      response.weight = exact - exact / 2'000'000'000;
      EXPECT_TRUE(response.agrees_with(budget)) << levels << " levels, " << budget;
      response.weight = exact - exact / 500'000'000;
      EXPECT_FALSE(response.agrees_with(budget)) << levels << " levels, " << budget;
    }
  }
}

}  // namespace
}  // namespace ppgnn::ldp
