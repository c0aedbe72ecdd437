#include "ppgnn/study/summary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ppgnn/study/table.hpp"

namespace ppgnn::study {
namespace {

TEST(Summary, HolmByHand) {
  std::vector<Comparison> all(4);
  all[0].p_value = .01;
  all[1].p_value = .04;
  all[2].p_value = .03;
  all[3].p_value = .005;
  correct_together({&all[0], &all[1], &all[2], &all[3]});
  EXPECT_DOUBLE_EQ(all[3].holm, .02);  // 4 * .005
  EXPECT_DOUBLE_EQ(all[0].holm, .03);  // 3 * .01
  EXPECT_DOUBLE_EQ(all[2].holm, .06);  // 2 * .03
  EXPECT_DOUBLE_EQ(all[1].holm, .06);  // 1 * .04, never below the one before
}

// A study whose runs are given: every cell has the accuracies listed; NaN is a training that failed.
class Given {
 public:
  explicit Given(const std::string& claim) {
    study_.declaration = parse_declaration(
                             "id = \"x\"\n[factors]\nepsilon = [1, 2]\nmethod = [\"a\"]\nscale = "
                             "[\"common\", \"raw\"]\n" +
                                 claim,
                             "x", false)
                             .value();
  }
  void add(const std::string& method, const std::string& epsilon, const std::string& scale,
           std::vector<double> values) {
    EvaluatedCell cell;
    cell.cell.factors = {{"method", method}, {"epsilon", epsilon}, {"scale", scale}};
    cell.cell.runs = values.size();
    for (std::size_t run = 0; run < values.size(); ++run) {
      const char* metric = std::isnan(values[run]) ? "failed" : "accuracy";
      records_.push_back(std::make_unique<Record>(Record{"k", run, {}, {{metric, values[run]}}, 0}));
      cell.runs.push_back(records_.back().get());
    }
    study_.cells.push_back(std::move(cell));
  }
  [[nodiscard]] const EvaluatedStudy& study() const { return study_; }

 private:
  EvaluatedStudy study_;
  std::vector<std::unique_ptr<Record>> records_;
};

constexpr const char* kClaim = R"(
[[claim]]
text = "better"
better = { method = "ppgnn" }
worse = { method = "lpgnn" }
)";

TEST(Summary, ClaimsHoldInPartOrNot) {
  using Verdict = ClaimOutcome::Verdict;
  const std::vector<double> high{.90, .91, .92, .90, .91};
  const std::vector<double> low{.50, .52, .51, .50, .53};
  Given both(kClaim);
  for (const char* epsilon : {"1", "2"}) {
    both.add("ppgnn", epsilon, "common", high);
    both.add("lpgnn", epsilon, "common", low);
    both.add("ppgnn", epsilon, "raw", epsilon[0] == '1' ? high : low);
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
  EXPECT_NE(outcomes[1].reason.find("against the control (common scale) +19.8"), std::string::npos)
      << outcomes[1].reason;

  const std::vector<Comparison> references = against_references(both.study());
  EXPECT_EQ(references.size(), 12u);  // ppgnn against control and lpgnn, lpgnn against control, 4 places

  Given equal(kClaim);
  equal.add("ppgnn", "1", "common", {.5, .6, .7, .5});
  equal.add("lpgnn", "1", "common", {.6, .5, .6, .6});
  equal.add("ppgnn", "1", "raw", {.5});
  const std::vector<ClaimOutcome> unclear = judge_claims({equal.study()});
  ASSERT_EQ(unclear.size(), 2u);
  EXPECT_EQ(unclear[0].verdict, Verdict::unclear);
  EXPECT_EQ(unclear[1].verdict, Verdict::unmeasured);

  // At least as good, within a margin.
  Given near(std::string(kClaim) + "margin = 0.06\n");
  near.add("ppgnn", "1", "common", {.5, .6, .7, .5});
  near.add("lpgnn", "1", "common", {.6, .6, .7, .6});
  EXPECT_EQ(judge_claims({near.study()})[0].verdict, Verdict::unclear);  // within it, but not clearly
  Given within(std::string(kClaim) + "margin = 0.06\n");
  within.add("ppgnn", "1", "common", {.500, .600, .700, .500, .600});
  within.add("lpgnn", "1", "common", {.511, .610, .711, .510, .611});  // clearly higher, clearly by less than .06
  EXPECT_EQ(judge_claims({within.study()})[0].verdict, Verdict::holds);
  EXPECT_NEAR(judge_claims({within.study()})[0].mean_difference, -.0106, 1e-9);
  Given beyond(std::string(kClaim) + "margin = 0.06\n");
  beyond.add("ppgnn", "1", "common", {.50, .60, .70, .50});
  beyond.add("lpgnn", "1", "common", {.70, .80, .90, .69});
  EXPECT_EQ(judge_claims({beyond.study()})[0].verdict, Verdict::fails);

  // Clear in one place, a little lower in another.
  Given part(kClaim);
  part.add("ppgnn", "1", "common", high);
  part.add("lpgnn", "1", "common", low);
  part.add("ppgnn", "2", "common", {.5, .6, .7, .5});
  part.add("lpgnn", "2", "common", {.6, .5, .6, .7});
  EXPECT_EQ(judge_claims({part.study()})[0].verdict, Verdict::in_part);

  // About the metric itself: every cell counts.
  Given itself("[[claim]]\ntext = \"x\"\nbetter = { method = \"ppgnn\" }\nnear = 0.5\nwithin = 0.02\n");
  itself.add("ppgnn", "1", "common", {.46});
  itself.add("ppgnn", "2", "common", {.54});
  EXPECT_EQ(judge_claims({itself.study()})[0].verdict, Verdict::fails);
  Given above("[[claim]]\ntext = \"x\"\nbetter = { method = \"ppgnn\" }\nabove = 0.5\n");
  above.add("ppgnn", "1", "common", {.46});
  above.add("ppgnn", "2", "common", {1});
  EXPECT_EQ(judge_claims({above.study()})[0].verdict, Verdict::in_part);

  Given nothing(kClaim);
  EXPECT_EQ(judge_claims({nothing.study()}).size(), 0u);  // no scale was measured
}

TEST(Summary, OnlyRunsThatBothHaveAreCompared) {
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

TEST(Table, EveryFormCarriesItsEscapes) {
  Table table;
  table.title = "A & B";
  table.note = "note";
  table.head = {"what", "p"};
  table.row_headers = 1;
  table.rows = {{"50% of \"a_b\", c", "<.001"}};
  EXPECT_EQ(to_csv(table), "what,p\n\"50% of \"\"a_b\"\", c\",<.001\n");
  EXPECT_NE(to_latex(table).find("50\\% of \"a\\_b\", c & $<$.001 \\\\"), std::string::npos) << to_latex(table);
  EXPECT_NE(to_html(table).find("A &amp; B"), std::string::npos);
  EXPECT_NE(to_html(table).find("<th>50% of &quot;a_b&quot;, c<td>&lt;.001\n"), std::string::npos);
  EXPECT_NE(to_plain(table).find("  50% of \"a_b\", c  <.001\n"), std::string::npos) << to_plain(table);
}

}  // namespace
}  // namespace ppgnn::study
