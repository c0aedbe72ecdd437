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
  given.add("ppgnn", "1", "common", {.5, .6, .7});
  given.add("lpgnn", "1", "common", {.4, .5});
  const auto found = compare(given.study(), given.study().cells[0], given.study().cells[1], "accuracy");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->runs, 2u);
  EXPECT_NEAR(found->difference, .1, 1e-12);
  EXPECT_FALSE(compare(given.study(), given.study().cells[0], given.study().cells[1], "auc"));
  EXPECT_EQ(found->failed, 0u);

  const double failed = std::numeric_limits<double>::quiet_NaN();
  Given some(kClaim);
  some.add("ppgnn", "1", "common", {.5, failed, .7});
  some.add("lpgnn", "1", "common", {.4, .5, failed});
  const ClaimOutcome outcome = judge_claims({some.study()})[0];
  EXPECT_EQ(outcome.comparisons[0].runs, 1u);
  EXPECT_NE(outcome.reason.find("without 2 runs whose training failed"), std::string::npos) << outcome.reason;
}

}  // namespace
}  // namespace ppgnn::report
