#include "ppgnn/attack/column_attack.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ppgnn/graph/generator.hpp"

namespace ppgnn::attack {
namespace {

graph::Dataset people() {
  graph::SocialOptions options;
  options.nodes = 300;
  options.attributes = 40;
  return graph::generate_social(options).value();
}

const ColumnVictim& named(const std::vector<ColumnVictim>& victims, const std::string& name) {
  for (const ColumnVictim& victim : victims) {
    if (victim.name == name) return victim;
  }
  ADD_FAILURE() << name;
  return victims.front();
}

TEST(ColumnAttack, NothingExceedsTheCertificateAndAHostileQuestionReachesIt) {
  for (const auto secrecy : {ldp::LevelSecrecy::protected_level, ldp::LevelSecrecy::public_level}) {
    const auto victims = infer_column(people(), {.budgets = {1, 4, 16},
                                                 .secrecy = secrecy,
                                                 .level_budget = {},
                                                 .gamma = 0,
                                                 .columns = 4,
                                                 .trials = 1000,
                                                 .seed = 1});
    ASSERT_TRUE(victims) << victims.error().message;
    ASSERT_EQ(victims->size(), 5u);
    for (const ColumnVictim& victim : *victims) {
      for (const ColumnGuesses& level : victim.levels) {
        EXPECT_TRUE(level.within_bound()) << victim.name << " " << level.success() << " " << level.bound;
        EXPECT_LE(level.spent, level.budget);
        EXPECT_GT(level.success(), .4) << victim.name;
      }
    }
    // Six standard deviations of 1,000 guesses are .095 at most.
    for (const ColumnGuesses& level : named(*victims, "hostile").levels) {
      EXPECT_NEAR(level.success(), level.bound, .095);
    }
    // One column hardly matters to a report that is about all of them.
    EXPECT_LT(named(*victims, "signs").levels[0].success(), .6);
  }
}

TEST(ColumnAttack, SameSeedSameGuesses) {
  const ColumnAttackOptions options{
      .budgets = {1, 2}, .secrecy = {}, .level_budget = {}, .gamma = 0, .columns = 2, .trials = 200, .seed = 5};
  const auto one = infer_column(people(), options).value();
  const auto other = infer_column(people(), options).value();
  for (std::size_t i = 0; i < one.size(); ++i) {
    for (std::size_t level = 0; level < 2; ++level) EXPECT_EQ(one[i].levels[level].right, other[i].levels[level].right);
  }
}

TEST(ColumnGuesses, SaysWhenTheBoundIsExceeded) {
  ColumnGuesses guesses{.budget = 1, .spent = 1, .guesses = 10000, .right = 7311, .bound = .7310585786300049};
  EXPECT_TRUE(guesses.within_bound());
  guesses.right = 7600;
  EXPECT_FALSE(guesses.within_bound());
}

}  // namespace
}  // namespace ppgnn::attack
