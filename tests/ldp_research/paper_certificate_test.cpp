#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ppgnn/ldp_research/paper_ppm.hpp"
#include "support/plans.hpp"

namespace ppgnn::ldp_research {
namespace {

PaperCertificate certificate(double epsilon, double gamma) {
  return certify_paper(1433, {.budgets = test::six_levels(epsilon), .gamma = gamma, .reading = {}, .noise = {}})
      .value();
}

// The review's table of worst-case level losses: rows epsilon, columns gamma; infinite as printed | unified window.
TEST(PaperCertificate, LevelLossesMatchTheReview) {
  constexpr double kInf = 0;  // stands for infinity below
  struct Row {
    double epsilon;
    double own[5];
    double unified[5];
  };
  const double gammas[] = {.1, .3, .5, .7, .9};
  for (const Row& row : {Row{.01, {.0241, .0729, .1224, .1727, .2237}, {.0241, .0729, .1224, .1727, .2237}},
                         Row{.1, {.2495, kInf, kInf, kInf, kInf}, {.2495, .8025, 1.4128, 2.0588, 2.7220}},
                         Row{1, {kInf, kInf, kInf, kInf, kInf}, {3.0561, 9.5919, 15.9997, 22.4000, 28.8000}},
                         Row{2, {kInf, kInf, kInf, kInf, 57.6}, {6.3617, 19.1999, 32.0000, 44.8000, 57.6000}},
                         Row{3, {kInf, kInf, kInf, 67.2, 86.4}, {9.5919, 28.8000, 48.0000, 67.2, 86.4}}}) {
    for (int i = 0; i < 5; ++i) {
      const PaperCertificate got = certificate(row.epsilon, gammas[i]);
      if (row.own[i] == kInf) {
        EXPECT_TRUE(std::isinf(got.level_from_report)) << row.epsilon << " " << gammas[i];
      } else {
        EXPECT_NEAR(got.level_from_report, row.own[i], 6e-5) << row.epsilon << " " << gammas[i];
      }
      EXPECT_NEAR(got.level_from_report_unified, row.unified[i], 6e-5) << row.epsilon << " " << gammas[i];
    }
  }
}

TEST(PaperCertificate, ClampingLeavesTheMostRelaxedBudget) {
  const double expected[] = {.1224, 1.3311, 15.998, 32.0, 48.0};
  const double epsilons[] = {.01, .1, 1, 2, 3};
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(certificate(epsilons[i], .5).level_from_report_clamped, expected[i], 6e-4);
}

TEST(PaperCertificate, ImpossibleOutputsAndMagnitudesMatchTheReview) {
  EXPECT_NEAR(certificate(.1, .5).impossible_for_most_relaxed, .20, 5e-3);
  EXPECT_NEAR(certificate(1, .5).impossible_for_most_relaxed, .40, 5e-3);
  EXPECT_NEAR(certificate(2, .5).impossible_for_most_relaxed, .28, 5e-3);
  EXPECT_NEAR(certificate(3, .5).impossible_for_most_relaxed, .30, 5e-3);
  const PaperCertificate one = certificate(1, .5);
  EXPECT_EQ(one.features, (std::vector<double>{.5, 1, 2, 4, 8, 16}));
  test::expect_relative(one.magnitudes[0], 5850.922040550464, 1e-12);  // sampled 1, budget .5
  for (std::size_t i = 1; i < one.magnitudes.size(); ++i) EXPECT_LT(one.magnitudes[i], one.magnitudes[i - 1]);
}

// As the authors' code does it the loss is finite, and far above anybody's budget for the level.
TEST(PaperCertificate, TheAuthorsWayIsFiniteAndLarge) {
  EXPECT_TRUE(std::isinf(certificate(1, .5).level));
  const auto authors = [](double epsilon) {
    return certify_paper(
               1433, {.budgets = test::six_levels(epsilon), .gamma = .5, .reading = PaperReading::authors, .noise = {}})
        .value();
  };
  const PaperCertificate one = authors(1);
  EXPECT_TRUE(std::isfinite(one.level));
  // Level report: about half of gamma times the most relaxed budget; with size and signs more than twice that.
  EXPECT_NEAR(one.level_from_report, 7.914, .001);
  EXPECT_GT(one.level, 16);
  EXPECT_EQ(one.impossible_for_most_relaxed, 0);
  EXPECT_LT(authors(.01).level, .5);
}

}  // namespace
}  // namespace ppgnn::ldp_research
