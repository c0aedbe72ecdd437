#include "ppgnn/report/comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ppgnn/report/claims.hpp"
#include "support/given_study.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::report {
namespace {

using test::Given;
using test::kClaim;

TEST(Comparison, HolmByHand) {
  std::vector<Comparison> all(5);
  for (Comparison& one : all) one.runs = 10;
  all[4].runs = 2;  // cannot be tested, and does not count
  all[0].p_value = .01;
  all[1].p_value = .04;
  all[2].p_value = .03;
  all[3].p_value = .005;
  correct_together({&all[0], &all[1], &all[2], &all[3], &all[4]});
  EXPECT_DOUBLE_EQ(all[3].holm, .02);  // 4 * .005
  EXPECT_DOUBLE_EQ(all[0].holm, .03);  // 3 * .01
  EXPECT_DOUBLE_EQ(all[2].holm, .06);  // 2 * .03
  EXPECT_DOUBLE_EQ(all[1].holm, .06);  // 1 * .04, never below the one before
  EXPECT_EQ(all[4].holm, 1);
}

TEST(Comparison, OnlyRunsThatBothHaveAreCompared) {
  Given given(kClaim);
  given.add("strict", "1", "common", {.5, .6, .7});
  given.add("lpgnn", "1", "common", {.4, .5});
  const auto found = compare(given.study(), given.study().cells[0], given.study().cells[1], "accuracy");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->runs, 2u);
  EXPECT_NEAR(found->difference, .1, 1e-12);
  EXPECT_FALSE(compare(given.study(), given.study().cells[0], given.study().cells[1], "auc"));
  EXPECT_EQ(found->failed, 0u);

  const double failed = std::numeric_limits<double>::quiet_NaN();
  Given some(kClaim);
  some.add("strict", "1", "common", {.5, failed, .7});
  some.add("lpgnn", "1", "common", {.4, .5, failed});
  const ClaimOutcome outcome = judge_claims({some.study()})[0];
  EXPECT_EQ(outcome.comparisons[0].runs, 1u);
  EXPECT_NE(outcome.reason.find("without 2 runs whose training failed"), std::string::npos) << outcome.reason;
}

TEST(Lifts, BetterIsAboveZeroInBothMeasures) {
  Given given(kClaim);
  const std::vector<double> spread{0, .01, .02, .005, .015};
  const auto add = [&](const std::string& method, const std::string& data, double accuracy, double loss, double turn) {
    std::vector<double> accuracies;
    std::vector<double> losses;
    for (std::size_t run = 0; run < spread.size(); ++run) {
      accuracies.push_back(accuracy + spread[run] + turn * spread[spread.size() - 1 - run]);
      losses.push_back(loss - spread[run] - turn * spread[spread.size() - 1 - run]);
    }
    given.add(method, "1", "common", accuracies, data);
    given.lose(given.study().cells.size() - 1, losses);
  };
  for (const char* data : {"cora", "pubmed"}) add("teach-control", data, .6, 1.2, 0);
  add("teach-public", "cora", .7, 1.0, .1);
  add("teach-public", "pubmed", .62, 1.17, 1);
  add("nonpriv", "cora", .9, .5, 0);
  const std::vector<Lift> found = lifts(given.study());
  ASSERT_EQ(found.size(), 2u) << "neither the control nor the method without privacy";
  EXPECT_NEAR(found[0].points.difference, .1 + .1 * .01, 1e-12);
  EXPECT_NEAR(found[0].nats.difference, .2 + .1 * .01, 1e-12);
  EXPECT_LT(found[0].nats.p_value, .05);
  // Of two data sets: the smaller p doubled, the larger as it is or as large as that.
  const auto [small, large] = std::minmax(found[0].nats.p_value, found[1].nats.p_value);
  EXPECT_DOUBLE_EQ(std::min(found[0].nats.holm, found[1].nats.holm), 2 * small);
  EXPECT_DOUBLE_EQ(std::max(found[0].nats.holm, found[1].nats.holm), std::max(2 * small, large));
}

}  // namespace
}  // namespace ppgnn::report
