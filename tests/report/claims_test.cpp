#include "ppgnn/report/claims.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/given_study.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::report {
namespace {

using test::Given;
using test::kClaim;

// Noise that is large in each place and cancels over both: no comparison is clear, but their mean is.
TEST(Claims, AllComparisonsTogetherMayBeClear) {
  using Verdict = ClaimOutcome::Verdict;
  const auto judged = [](double lift, double failed, const std::string& margin = "", double tilt = 0) {
    Given given(std::string(kClaim) + margin);
    std::vector<double> up, down, base;
    for (const double noise : {.05, -.06, .04, -.05, .06, -.04}) {
      up.push_back(.5 + lift - tilt + noise);
      down.push_back(.5 + lift + tilt - noise + noise * noise);
      base.push_back(.5);
    }
    down[0] += failed;
    given.add("strict", "1", "common", up);
    given.add("strict", "2", "common", down);
    for (const char* epsilon : {"1", "2"}) given.add("lpgnn", epsilon, "common", base);
    return judge_claims({given.study()})[0];
  };
  const ClaimOutcome better = judged(.02, 0);
  EXPECT_EQ(better.higher + better.lower, 0u);
  EXPECT_EQ(better.verdict, Verdict::holds);
  EXPECT_NE(better.reason.find("+2.1 points on average (p <.001); clearly higher in 0, clearly lower in 0 of 2"),
            std::string::npos)
      << better.reason;
  EXPECT_EQ(judged(-.02, 0).verdict, Verdict::fails);
  EXPECT_NE(judged(.02, 0, "margin = -0.04\n").reason.find("+2.1 points on average (p <.001 against +4); "),
            std::string::npos);
  EXPECT_EQ(judged(-.02, 0, "margin = 0.04\n").verdict, Verdict::holds);  // clearly by less
  EXPECT_EQ(judged(.02, 0, "margin = -0.04\n").verdict, Verdict::fails);  // asked for more
  EXPECT_EQ(judged(.02, 0, "", .03).verdict, Verdict::in_part);           // one place is below

  const ClaimOutcome without = judged(.02, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(without.average.runs, 5u);
  EXPECT_NE(without.reason.find(", on the 5 runs that all have);"), std::string::npos) << without.reason;
  EXPECT_NEAR(without.average.difference, .0213, 1e-4);

  // One clear place speaks for the claim also where the mean is clearly against it.
  Given torn(kClaim);
  torn.add("strict", "1", "common", {.45, .36, .44, .37, .46, .38});
  torn.add("strict", "2", "common", {.35, .44, .37, .43, .34, .43});
  torn.add("strict", "1", "common", {.610, .611, .610, .611, .610, .611}, "pubmed");
  for (const char* epsilon : {"1", "2"}) torn.add("lpgnn", epsilon, "common", std::vector<double>(6, .5));
  torn.add("lpgnn", "1", "common", std::vector<double>(6, .6), "pubmed");
  const ClaimOutcome in_part = judge_claims({torn.study()})[0];
  EXPECT_EQ(in_part.higher, 1u);
  EXPECT_EQ(in_part.lower, 0u);
  EXPECT_LT(in_part.average.holm, .05);
  EXPECT_LT(in_part.average.difference, 0);
  EXPECT_EQ(in_part.verdict, Verdict::in_part);

  // Holm over the claims: of two with the same p, each counts twice.
  Given twice(std::string(kClaim) + kClaim);
  twice.add("strict", "1", "common", {.52, .55, .53});
  twice.add("lpgnn", "1", "common", {.50, .50, .50});
  const ClaimOutcome one = judge_claims({twice.study()})[0];
  EXPECT_LT(one.average.p_value, .5);
  EXPECT_DOUBLE_EQ(one.average.holm, 2 * one.average.p_value);
}

TEST(Claims, ClaimsHoldInPartOrNot) {
  using Verdict = ClaimOutcome::Verdict;
  const std::vector<double> high{.90, .91, .92, .90, .91};
  const std::vector<double> low{.50, .52, .51, .50, .53};
  Given both(kClaim);
  for (const char* epsilon : {"1", "2"}) {
    both.add("strict", epsilon, "common", high);
    both.add("lpgnn", epsilon, "common", low);
    both.add("strict", epsilon, "raw", epsilon[0] == '1' ? high : low);
    both.add("lpgnn", epsilon, "raw", epsilon[0] == '1' ? low : high);
    both.add("control", epsilon, "common", low);
  }
  const std::vector<ClaimOutcome> outcomes = judge_claims({both.study()});
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].scale, "common");
  EXPECT_EQ(outcomes[0].verdict, Verdict::holds);
  EXPECT_EQ(outcomes[0].higher, 2u);
  EXPECT_NEAR(*outcomes[0].lift_over_control, .396, 1e-9);
  EXPECT_EQ(outcomes[1].verdict, Verdict::fails);  // one for, one against
  EXPECT_EQ(outcomes[1].lower, 1u);
  // At the raw scale too, the control is the one at common scale.
  EXPECT_NE(outcomes[1].reason.find("at the common scale +39.6 in 2; lift over the control +19.8"), std::string::npos)
      << outcomes[1].reason;

  const std::vector<Comparison> references = against_references(both.study());
  EXPECT_EQ(references.size(), 12u);  // ppgnn against control and lpgnn, lpgnn against control, 4 places

  Given equal(kClaim);
  equal.add("strict", "1", "common", {.5, .6, .7, .5});
  equal.add("lpgnn", "1", "common", {.6, .5, .6, .6});
  equal.add("strict", "1", "raw", {.5});
  const std::vector<ClaimOutcome> unclear = judge_claims({equal.study()});
  ASSERT_EQ(unclear.size(), 2u);
  EXPECT_EQ(unclear[0].verdict, Verdict::unclear);
  EXPECT_EQ(unclear[1].verdict, Verdict::unmeasured);

  // At least as good, within a margin.
  Given near(std::string(kClaim) + "margin = 0.06\n");
  near.add("strict", "1", "common", {.5, .6, .7, .5});
  near.add("lpgnn", "1", "common", {.6, .6, .7, .6});
  EXPECT_EQ(judge_claims({near.study()})[0].verdict, Verdict::unclear);  // within it, but not clearly
  Given within(std::string(kClaim) + "margin = 0.06\n");
  within.add("strict", "1", "common", {.500, .600, .700, .500, .600});
  within.add("lpgnn", "1", "common", {.511, .610, .711, .510, .611});  // clearly higher, clearly by less than .06
  EXPECT_EQ(judge_claims({within.study()})[0].verdict, Verdict::holds);
  EXPECT_NEAR(judge_claims({within.study()})[0].mean_difference, -.0106, 1e-9);
  Given beyond(std::string(kClaim) + "margin = 0.06\n");
  beyond.add("strict", "1", "common", {.50, .60, .70, .50});
  beyond.add("lpgnn", "1", "common", {.70, .80, .90, .69});
  EXPECT_EQ(judge_claims({beyond.study()})[0].verdict, Verdict::fails);

  // Clear in one place, a little lower in another.
  Given part(kClaim);
  part.add("strict", "1", "common", high);
  part.add("lpgnn", "1", "common", low);
  part.add("strict", "2", "common", {.5, .6, .7, .5});
  part.add("lpgnn", "2", "common", {.6, .5, .6, .7});
  EXPECT_EQ(judge_claims({part.study()})[0].verdict, Verdict::in_part);

  // About the metric itself: every cell counts.
  Given itself("[[claim]]\ntext = \"x\"\nbetter = { method = \"strict\" }\nnear = 0.5\nwithin = 0.02\n");
  itself.add("strict", "1", "common", {.46});
  itself.add("strict", "2", "common", {.54});
  EXPECT_EQ(judge_claims({itself.study()})[0].verdict, Verdict::fails);
  Given above("[[claim]]\ntext = \"x\"\nbetter = { method = \"strict\" }\nabove = 0.5\n");
  above.add("strict", "1", "common", {.46});
  above.add("strict", "2", "common", {1});
  EXPECT_EQ(judge_claims({above.study()})[0].verdict, Verdict::in_part);

  // With what explains it beside it, and not everywhere while runs are to come.
  Given beside("[[claim]]\ntext = \"x\"\nbetter = { method = \"strict\" }\nabove = 0.5\nbeside = \"privacy_max\"\n");
  beside.add("strict", "1", "common", {.9});
  beside.spend(0, {4});
  EXPECT_EQ(judge_claims({beside.study()})[0].verdict, Verdict::holds);
  EXPECT_EQ(judge_claims({beside.study()})[0].reason, "0.9 in 1 cells; privacy_max is 4");
  beside.add("strict", "2", "common", {});
  EXPECT_EQ(judge_claims({beside.study()})[0].verdict, Verdict::in_part);
  EXPECT_EQ(judge_claims({beside.study()})[0].reason, "0.9 in 1 cells; 1 more not run yet; privacy_max is 4");

  // Clear in one place, much lower in another but not clearly: not against it.
  Given noisy(kClaim);
  noisy.add("strict", "1", "common", {.510, .521, .512, .511, .521});
  noisy.add("lpgnn", "1", "common", {.500, .510, .502, .500, .512});
  noisy.add("strict", "2", "common", {.3, .9, .5, .5, .6});
  noisy.add("lpgnn", "2", "common", {.9, .5, .6, .6, .6});
  const ClaimOutcome in_part = judge_claims({noisy.study()})[0];
  EXPECT_LT(in_part.mean_difference, 0);
  EXPECT_EQ(in_part.verdict, Verdict::in_part) << in_part.reason;

  // Better by so much: a better one is not enough.
  for (const auto& [by, verdict] : {std::pair("-0.2", Verdict::holds), std::pair("-0.6", Verdict::fails)}) {
    Given much(std::string(kClaim) + "margin = " + by + "\n");
    much.add("strict", "1", "common", high);
    much.add("lpgnn", "1", "common", low);
    const ClaimOutcome outcome = judge_claims({much.study()})[0];
    EXPECT_EQ(outcome.verdict, verdict) << by;
    EXPECT_NE(outcome.reason.find(verdict == Verdict::holds ? "clearly by more than that in 1, clearly by less in 0"
                                                            : "clearly by more than that in 0, clearly by less in 1"),
              std::string::npos)
        << outcome.reason;
  }

  // Where every training of one side failed there is nothing to compare, and no claim holds everywhere.
  const double failed = std::numeric_limits<double>::quiet_NaN();
  Given some(kClaim);
  some.add("strict", "1", "common", high);
  some.add("lpgnn", "1", "common", low);
  some.add("strict", "2", "common", {failed, failed, failed});
  some.add("lpgnn", "2", "common", {.5, .5, .5});
  const ClaimOutcome without = judge_claims({some.study()})[0];
  EXPECT_EQ(without.verdict, Verdict::in_part);
  EXPECT_NE(without.reason.find("1 more could not be made, as every training of one side failed"), std::string::npos)
      << without.reason;

  // Nor while runs are still to come.
  Given unfinished(kClaim);
  unfinished.add("strict", "1", "common", high);
  unfinished.add("lpgnn", "1", "common", low);
  unfinished.add("strict", "2", "common", high);
  unfinished.add("lpgnn", "2", "common", {});
  const ClaimOutcome so_far = judge_claims({unfinished.study()})[0];
  EXPECT_EQ(so_far.verdict, Verdict::in_part);
  EXPECT_NE(so_far.reason.find(" of 1; 1 more not run yet"), std::string::npos) << so_far.reason;

  Given nothing(kClaim);
  ASSERT_EQ(judge_claims({nothing.study()}).size(), 1u);  // no scale was measured
  EXPECT_EQ(judge_claims({nothing.study()})[0].verdict, Verdict::unmeasured);
}

TEST(Claims, TheSubsetOfLastfmIsSaid) {
  Given given(kClaim);
  given.add("strict", "1", "common", {.90, .91, .92, .90}, "lastfm-subset");
  given.add("lpgnn", "1", "common", {.50, .52, .51, .50}, "lastfm-subset");
  EXPECT_TRUE(has_subset(given.study()));
  const ClaimOutcome outcome = judge_claims({given.study()})[0];
  EXPECT_NE(outcome.reason.find(" of 1 (1 of them on the LastFM subset*)"), std::string::npos) << outcome.reason;
  Given whole(kClaim);
  whole.add("strict", "1", "common", {.9}, "lastfm");
  EXPECT_FALSE(has_subset(whole.study()));
}

TEST(Claims, SettingsWithoutAControlAreCounted) {
  Given given(kClaim);
  given.add("strict", "1", "common", {.9});
  given.add("strict", "1", "raw", {.9});
  given.add("strict", "2", "common", {.9});
  given.add("control", "1", "common", {.5});
  given.add("control", "2", "common", {});  // planned, not run
  EXPECT_EQ(without_control(given.study()), 1u);
}

}  // namespace
}  // namespace ppgnn::report
