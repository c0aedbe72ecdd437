#include "ppgnn/study/summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "ppgnn/study/figure.hpp"
#include "ppgnn/study/table.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::study {
namespace {

TEST(Summary, HolmByHand) {
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

// A study whose runs are given: every cell has the accuracies listed; NaN is a training that failed.
class Given {
 public:
  explicit Given(const std::string& claim) {
    study_.declaration = parse_declaration(
                             "id = \"x\"\n[factors]\nepsilon = [1, 2]\nmethod = [\"ppgnn\"]\nscale = "
                             "[\"common\", \"raw\"]\n" +
                                 claim,
                             "x", false)
                             .value();
  }
  void add(const std::string& method, const std::string& epsilon, const std::string& scale, std::vector<double> values,
           const std::string& data = "cora") {
    EvaluatedCell cell;
    cell.cell.factors = {{"method", method}, {"epsilon", epsilon}, {"scale", scale}, {"data", data}};
    cell.cell.canonical = cell.cell.factors;
    cell.cell.runs = std::max<std::size_t>(1, values.size());  // none: planned, not run
    for (std::size_t run = 0; run < values.size(); ++run) {
      const char* metric = std::isnan(values[run]) ? "failed" : "accuracy";
      records_.push_back(std::make_unique<Record>(Record{"k", run, {}, {{metric, values[run]}}, 0}));
      cell.runs.push_back(records_.back().get());
    }
    study_.cells.push_back(std::move(cell));
  }
  // What was spent in the runs of a cell: at most, and half of it on average.
  void spend(std::size_t cell, const std::vector<double>& most) {
    for (std::size_t run = 0; run < most.size(); ++run) {
      for (const std::unique_ptr<Record>& record : records_) {
        if (record.get() != study_.cells[cell].runs[run]) continue;
        record->metrics.insert(
            {{"privacy_max", most[run]}, {"privacy_mean", most[run] / 2}, {"privacy_delta", 0}, {"privacy_holds", 1}});
      }
    }
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

TEST(Summary, ChosenValuesSayWhereTheyWereChosen) {
  EvaluatedStudy study;
  study.declaration.select.dense_on = "cora";
  const Setting chosen{{"hops", "16"}, {"scale", "1"}, {"dropout", "0.5"}};
  for (const std::vector<std::string>& carried :
       std::vector<std::vector<std::string>>{{}, {"dropout"}, {"dropout", "hops", "scale"}}) {
    EvaluatedCell cell;
    cell.chosen = chosen;
    cell.candidates = 8;
    cell.open = {"hops", "scale", "dropout"};
    cell.carried = carried;
    study.cells.push_back(cell);
  }
  const Table table = make_choice_table(study);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].back(), "hops=16 scale=1 dropout=0.5");
  EXPECT_EQ(table.rows[1].back(), "hops=16 scale=1; on Cora: dropout=0.5");
  EXPECT_EQ(table.rows[2].back(), "on Cora: hops=16 scale=1 dropout=0.5");
}

// Noise that is large in each place and cancels over both: no comparison is clear, but their mean is.
TEST(Summary, AllComparisonsTogetherMayBeClear) {
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
    given.add("ppgnn", "1", "common", up);
    given.add("ppgnn", "2", "common", down);
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
  torn.add("ppgnn", "1", "common", {.45, .36, .44, .37, .46, .38});
  torn.add("ppgnn", "2", "common", {.35, .44, .37, .43, .34, .43});
  torn.add("ppgnn", "1", "common", {.610, .611, .610, .611, .610, .611}, "pubmed");
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
  twice.add("ppgnn", "1", "common", {.52, .55, .53});
  twice.add("lpgnn", "1", "common", {.50, .50, .50});
  const ClaimOutcome one = judge_claims({twice.study()})[0];
  EXPECT_LT(one.average.p_value, .5);
  EXPECT_DOUBLE_EQ(one.average.holm, 2 * one.average.p_value);
}

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
  EXPECT_NE(outcomes[1].reason.find("at the common scale +39.6 in 2; against the control (common scale) +19.8"),
            std::string::npos)
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

  // With what explains it beside it, and not everywhere while runs are to come.
  Given beside("[[claim]]\ntext = \"x\"\nbetter = { method = \"ppgnn\" }\nabove = 0.5\nbeside = \"privacy_max\"\n");
  beside.add("ppgnn", "1", "common", {.9});
  beside.spend(0, {4});
  EXPECT_EQ(judge_claims({beside.study()})[0].verdict, Verdict::holds);
  EXPECT_EQ(judge_claims({beside.study()})[0].reason, "0.9 in 1 cells; privacy_max is 4");
  beside.add("ppgnn", "2", "common", {});
  EXPECT_EQ(judge_claims({beside.study()})[0].verdict, Verdict::in_part);
  EXPECT_EQ(judge_claims({beside.study()})[0].reason, "0.9 in 1 cells; 1 more not run yet; privacy_max is 4");

  // Clear in one place, much lower in another but not clearly: not against it.
  Given noisy(kClaim);
  noisy.add("ppgnn", "1", "common", {.510, .521, .512, .511, .521});
  noisy.add("lpgnn", "1", "common", {.500, .510, .502, .500, .512});
  noisy.add("ppgnn", "2", "common", {.3, .9, .5, .5, .6});
  noisy.add("lpgnn", "2", "common", {.9, .5, .6, .6, .6});
  const ClaimOutcome in_part = judge_claims({noisy.study()})[0];
  EXPECT_LT(in_part.mean_difference, 0);
  EXPECT_EQ(in_part.verdict, Verdict::in_part) << in_part.reason;

  // Better by so much: a better one is not enough.
  for (const auto& [by, verdict] : {std::pair("-0.2", Verdict::holds), std::pair("-0.6", Verdict::fails)}) {
    Given much(std::string(kClaim) + "margin = " + by + "\n");
    much.add("ppgnn", "1", "common", high);
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
  some.add("ppgnn", "1", "common", high);
  some.add("lpgnn", "1", "common", low);
  some.add("ppgnn", "2", "common", {failed, failed, failed});
  some.add("lpgnn", "2", "common", {.5, .5, .5});
  const ClaimOutcome without = judge_claims({some.study()})[0];
  EXPECT_EQ(without.verdict, Verdict::in_part);
  EXPECT_NE(without.reason.find("1 more could not be made, as every training of one side failed"), std::string::npos)
      << without.reason;

  // Nor while runs are still to come.
  Given unfinished(kClaim);
  unfinished.add("ppgnn", "1", "common", high);
  unfinished.add("lpgnn", "1", "common", low);
  unfinished.add("ppgnn", "2", "common", high);
  unfinished.add("lpgnn", "2", "common", {});
  const ClaimOutcome so_far = judge_claims({unfinished.study()})[0];
  EXPECT_EQ(so_far.verdict, Verdict::in_part);
  EXPECT_NE(so_far.reason.find(" of 1; 1 more not run yet"), std::string::npos) << so_far.reason;

  Given nothing(kClaim);
  ASSERT_EQ(judge_claims({nothing.study()}).size(), 1u);  // no scale was measured
  EXPECT_EQ(judge_claims({nothing.study()})[0].verdict, Verdict::unmeasured);
}

TEST(Summary, TheSubsetOfLastfmIsSaid) {
  Given given(kClaim);
  given.add("ppgnn", "1", "common", {.90, .91, .92, .90}, "lastfm-subset");
  given.add("lpgnn", "1", "common", {.50, .52, .51, .50}, "lastfm-subset");
  EXPECT_TRUE(has_subset(given.study()));
  const ClaimOutcome outcome = judge_claims({given.study()})[0];
  EXPECT_NE(outcome.reason.find(" of 1 (1 of them on the LastFM subset*)"), std::string::npos) << outcome.reason;
  Given whole(kClaim);
  whole.add("ppgnn", "1", "common", {.9}, "lastfm");
  EXPECT_FALSE(has_subset(whole.study()));
}

TEST(Summary, SettingsWithoutAControlAreCounted) {
  Given given(kClaim);
  given.add("ppgnn", "1", "common", {.9});
  given.add("ppgnn", "1", "raw", {.9});
  given.add("ppgnn", "2", "common", {.9});
  given.add("control", "1", "common", {.5});
  given.add("control", "2", "common", {});  // planned, not run
  EXPECT_EQ(without_control(given.study()), 1u);
}

// What spends nothing has no place on an axis of budgets: a line from end to end, of all its epsilons.
TEST(Figure, TheControlAgainstBudgetsIsItsMean) {
  Given given("[[figure]]\nx = \"epsilon\"\nlines = \"method\"\nwhere = { scale = \"common\" }\n");
  given.add("ppgnn", "1", "common", {.7});
  given.spend(0, {4});
  given.add("ppgnn", "2", "common", {.8});
  given.spend(1, {8});
  given.add("control", "1", "common", {.5});
  given.spend(2, {0});
  given.add("control", "2", "common", {.6});
  given.spend(3, {0});
  const Figure figure = make_figure(given.study(), given.study().declaration.figures[0], Against::max);
  EXPECT_NE(figure.script.find("\n4 55 55 55\n8 55 55 55\n"), std::string::npos) << figure.script;
  EXPECT_NE(figure.script.find("\n4 70 70 70\n8 80 80 80\n"), std::string::npos) << figure.script;
}

// What changes the budgets can be drawn against them; what does not stays where it is.
TEST(Figure, AgainstBudgetsWhereTheyChange) {
  Given given("[[figure]]\nx = \"data\"\nlines = \"method\"\nwhere = { scale = \"common\" }\n");
  given.add("ppgnn", "1", "common", {.7});
  given.spend(0, {4});
  given.add("ppgnn", "1", "common", {.8}, "citeseer");
  given.spend(1, {4});
  const FigureView& view = given.study().declaration.figures[0];
  const Figure same = make_figure(given.study(), view, Against::max);
  EXPECT_EQ(same.script.find("largest budget spent"), std::string::npos);
  EXPECT_EQ(same.note.find("which spend nothing"), std::string::npos);
  given.add("ppgnn", "1", "common", {.9}, "pubmed");
  given.spend(2, {8});
  EXPECT_EQ(make_figure(given.study(), view, Against::max).note.find("which spend nothing"), std::string::npos);
  given.add("control", "1", "common", {.5});
  given.spend(3, {0});
  const Figure differs = make_figure(given.study(), view, Against::max);
  EXPECT_NE(differs.script.find("largest budget spent"), std::string::npos);
  EXPECT_NE(differs.note.find("which spend nothing"), std::string::npos);
  EXPECT_NE(differs.script.find("set xrange [3.8:8.2]"), std::string::npos) << differs.script;
}

// gnuplot's own legend drops what does not fit, and its error bars hide short intervals behind white discs.
TEST(Figure, EveryLineHasItsNameAndNothingHidesIntervals) {
  Given given("[[figure]]\nx = \"epsilon\"\nlines = \"data\"\n");
  std::vector<std::string> names;
  for (const char* letter : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"}) {
    names.push_back(std::string("people-") + letter);
    given.add("ppgnn", "1", "common", {.7, .701}, names.back());
  }
  given.add("ppgnn", "2", "common", {}, names.back());
  const Figure figure = make_figure(given.study(), given.study().declaration.figures[0], Against::epsilon);
  const test::TemporaryFolder folder;
  const Result<void> drawn = draw(figure, folder / "figures");
  ASSERT_TRUE(drawn) << drawn.error().message;
  const std::string svg = test::content_of(folder / "figures" / "x.svg");
  for (const std::string& name : names) EXPECT_NE(svg.find(name + "<"), std::string::npos) << name;
  EXPECT_EQ(svg.find(" color='#FFFFFF'"), std::string::npos);
}

TEST(Table, CellsThatFailedAndTheLargestBudgetAreThere) {
  Given given("[[table]]\nrows = [\"method\"]\ncolumns = [\"epsilon\"]\n");
  const double failed = std::numeric_limits<double>::quiet_NaN();
  given.add("ppgnn", "1", "common", {failed, failed});
  given.add("ppgnn", "2", "common", {.5, .5, .5});
  given.spend(1, {16, 8, 8});
  given.add("ppgnn", "2", "common", {.5}, "citeseer");
  given.spend(2, {4});
  given.add("ppgnn", "2", "common", {.5}, "pubmed");
  given.spend(3, {20});
  const Table cells = make_cell_table({given.study()});
  ASSERT_EQ(cells.rows.size(), 4u);
  EXPECT_EQ(cells.rows[0][4], "2");  // failed
  EXPECT_EQ(cells.rows[0][5], "");   // mean
  EXPECT_EQ(cells.rows[1][9], "16");
  // One line for a method and a budget: what it comes to over the data sets.
  const Table privacy = make_privacy_table(given.study());
  ASSERT_EQ(privacy.rows.size(), 1u);
  EXPECT_EQ(privacy.rows[0][2], "2 to 10");  // half of the largest, on average
  EXPECT_EQ(privacy.rows[0][3], "4 to 20");
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
  EXPECT_EQ(to_latex(table).find("Quick"), std::string::npos);
  Table quick = table;
  quick.quick = true;  // also where the table is typeset
  EXPECT_NE(to_latex(quick).find("\\multicolumn{2}{l}{Quick: fewer"), std::string::npos) << to_latex(quick);
  EXPECT_EQ(to_csv(table), "what,p\n\"50% of \"\"a_b\"\", c\",<.001\n");
  EXPECT_NE(to_latex(table).find("50\\% of \"a\\_b\", c & $<$.001 \\\\"), std::string::npos) << to_latex(table);
  EXPECT_NE(to_html(table).find("A &amp; B"), std::string::npos);
  EXPECT_NE(to_html(table).find("<th>50% of &quot;a_b&quot;, c<td>&lt;.001\n"), std::string::npos);
  EXPECT_NE(to_plain(table).find("  50% of \"a_b\", c  <.001\n"), std::string::npos) << to_plain(table);
}

}  // namespace
}  // namespace ppgnn::study
