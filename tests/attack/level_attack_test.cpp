#include "ppgnn/attack/level_attack.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/ldp_research/paper_ppm.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "support/plans.hpp"

namespace ppgnn::attack {
namespace {

using ldp::Level;
using ldp::Row;

// Scaled by the own level, every single report gives the level away.
TEST(LevelAttack, ReadsTheLevelOffPaperReportsEveryTime) {
  const auto schema = ldp::Schema::make(test::signs_request({1}, 1433).columns).value();
  for (const double epsilon : {.01, 1.0, 3.0}) {
    for (const double gamma : {.1, .5, .9}) {
      const ldp_research::PaperOptions options{test::six_levels(epsilon), gamma, {}, {}};
      const auto mechanism = ldp_research::make_paper_ppm(schema, options).value();
      ldp_research::NoisyRow sent;
      for (std::uint32_t i = 0; i < 6000; ++i) {
        seeded::SeededStream bits(1, seeded::Purpose::test, i);
        const Level level{i % 6 + 1};
        mechanism->perturb(level, Row::ones({}), bits, sent);
        ASSERT_EQ(mechanism->guess_level(sent, Row::ones({}), {}).level, level) << epsilon << " " << gamma;
      }
    }
  }
}

// The best possible guess at strict reports stays within what the certificate implies, and above blind guessing.
TEST(LevelAttack, StaysWithinTheCertificateForStrictReports) {
  constexpr int kReports = 60000;
  for (const double epsilon : {.1, 1.0, 3.0}) {
    for (const double gamma : {0.0, .3}) {
      for (const bool category : {false, true}) {
        ldp::PlanRequest request = category ? test::category_request(test::six_levels(epsilon), 4)
                                            : test::signs_request(test::six_levels(epsilon), 100);
        request.gamma = gamma;
        const ldp::Plan plan = test::plan_of(request);
        seeded::SeededStream bits(2, seeded::Purpose::test, 0);
        const std::vector<float> features(plan.schema().dim(), 0.0F);  // known to the attacker: no word occurs
        ldp::Report report;
        int right = 0;
        for (int i = 0; i < kReports; ++i) {
          const Level level{static_cast<std::uint32_t>(random::below(6, bits)) + 1};
          ldp::perturb(plan, level, Row::dense(features), bits, report);
          right += guess_level(plan, report, Row::dense(features)) == level ? 1 : 0;
        }
        const double accuracy = right / static_cast<double>(kReports);
        const double error = 6 * std::sqrt(.25 / kReports);  // z = 6
        EXPECT_LE(accuracy, guess_level_bound(plan) + error);
        EXPECT_GE(accuracy, 1 / 6.0 - error);
      }
    }
  }
  // The review's figure for epsilon 1, gamma 0, level budget 1: 19.5%.
  const ldp::Plan plan = test::plan_of(test::signs_request(test::six_levels(1), 100));
  EXPECT_NEAR(guess_level_bound(plan), std::exp(1) / (std::exp(1) + 5), 1e-9);
}

TEST(LevelAttack, PublicLevelsAreKnown) {
  ldp::PlanRequest request = test::signs_request({1, 2, 4}, 10);
  request.secrecy = ldp::LevelSecrecy::public_level;
  const ldp::Plan plan = test::plan_of(request);
  EXPECT_EQ(guess_level_bound(plan), 1);
  seeded::SeededStream bits(1, seeded::Purpose::test, 0);
  ldp::Report report;
  ldp::perturb(plan, Level{2}, Row::ones({}), bits, report);
  EXPECT_EQ(guess_level(plan, report, Row::ones({})), Level{2});
}

}  // namespace
}  // namespace ppgnn::attack
