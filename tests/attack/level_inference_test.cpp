#include <gtest/gtest.h>

#include <cmath>

#include "ppgnn/attack/level_attack.hpp"
#include "ppgnn/graph/generator.hpp"
#include "ppgnn/population/levels.hpp"

namespace ppgnn::attack {
namespace {

graph::Dataset people(std::size_t count) {
  graph::SocialOptions options;
  options.nodes = count;
  options.attributes = 40;
  return graph::generate_social(options).value();
}

LevelInference level_attack(const graph::Dataset& data, const simulate::SourceConfig& config,
                            population::LevelChoice choice = population::LevelChoice::uniform) {
  const simulate::Source source = simulate::Source::make(data, config).value();
  const auto levels = population::choose_levels(choice, data.num_nodes(), config.budgets.size(), 5, 0);
  return infer_levels(data, source, {&data.features, levels, 5, 0, source.content()}).value();
}

// The best guess there is stays within the certificate, and is no worse than guessing blindly. False alarm 1e-6 each.
TEST(InferLevels, StrictReportsStayWithinTheCertifiedBound) {
  const graph::Dataset data = people(20000);
  for (const double epsilon : {.01, .1, 1.0, 3.0}) {
    for (const double gamma : {0.0, .3}) {
      for (const population::LevelChoice choice :
           {population::LevelChoice::uniform, population::LevelChoice::bimodal}) {
        simulate::SourceConfig config;
        config.budgets = ldp::doubling_budgets(epsilon).value();
        config.gamma = gamma;
        const LevelInference result = level_attack(data, config, choice);
        EXPECT_TRUE(result.applies && result.certified);
        EXPECT_TRUE(result.within_bound()) << epsilon << ": " << result.success() << " of " << result.bound;
        EXPECT_GE(result.success(), result.prior - 6 * std::sqrt(.25 / 20000));
        EXPECT_LT(result.bound, 1);
      }
    }
  }
}

// Where the level budget allows much, much is found: the attack is not blind.
TEST(InferLevels, ALargeLevelBudgetIsUsed) {
  simulate::SourceConfig config;
  config.budgets = {.1, 16};
  config.level_budget = 16;
  const LevelInference result = level_attack(people(5000), config);
  EXPECT_GT(result.success(), .65);
  EXPECT_TRUE(result.within_bound());
}

TEST(InferLevels, ReadsEveryLevelOffReportsThatTheDeviceScales) {
  const graph::Dataset data = people(5000);
  for (const double epsilon : {.01, .1, 1.0}) {
    simulate::SourceConfig config;
    config.mechanism = "ppm";
    config.budgets = ldp::doubling_budgets(epsilon).value();
    const LevelInference result = level_attack(data, config);
    EXPECT_EQ(result.right, 5000u) << epsilon;
    EXPECT_FALSE(result.certified);
    // Laplace noise hides the level a little; it is guessed far better than blindly.
    config.mechanism = "ppm*";
    const LevelInference laplace = level_attack(data, config);
    EXPECT_GT(laplace.certain_success(), .3) << epsilon;
    EXPECT_LT(laplace.success(), 1) << epsilon;
  }
}

TEST(InferLevels, PublicLevelsAreKnownAndOneBudgetHasNone) {
  const graph::Dataset data = people(300);
  simulate::SourceConfig config;
  config.secrecy = ldp::LevelSecrecy::public_level;
  const LevelInference known = level_attack(data, config);
  EXPECT_EQ(known.right, 300u);
  EXPECT_FALSE(known.certified);
  EXPECT_TRUE(known.within_bound());
  for (const char* mechanism : {"", "mb"}) {
    config.mechanism = mechanism;
    const LevelInference none = level_attack(data, config);
    EXPECT_FALSE(none.applies);
    EXPECT_TRUE(none.metrics().empty());
  }
}

TEST(InferLevels, NoticesABoundThatDoesNotHold) {
  LevelInference result;
  result.applies = result.certified = true;
  result.guesses = 1000;
  result.bound = .4;
  result.right = 400;
  EXPECT_TRUE(result.within_bound());
  result.right = 440;  // 2.6 standard errors: chance
  EXPECT_TRUE(result.within_bound());
  result.right = 500;
  EXPECT_FALSE(result.within_bound());
  // Always right: p^n = 1e-6 at the lower end.
  result.right = 1000;
  EXPECT_NEAR(result.certain_success(), std::pow(1e-6, 1e-3), 1e-9);
  EXPECT_EQ(result.metrics().at("level.success"), 1);
  result.right = 0;
  EXPECT_EQ(result.certain_success(), 0);
}

TEST(GuessLevelBound, GrowsWithTheMostPopularLevel) {
  const ldp::Plan plan = simulate::plan_of(people(100), {}).value();
  EXPECT_NEAR(guess_level_bound(plan), guess_level_bound(plan, .2), 1e-15);
  EXPECT_NEAR(guess_level_bound(plan, .5), 1 / (1 + std::exp(-plan.certificate().level_given_features)), 1e-12);
  EXPECT_EQ(guess_level_bound(plan, 1), 1);
}

}  // namespace
}  // namespace ppgnn::attack
