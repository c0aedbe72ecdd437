#include "ppgnn/study/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>

#include "ppgnn/core/number.hpp"

namespace ppgnn::study {

namespace {

// The cell with these factors, some of them replaced.
const EvaluatedCell* counterpart(const EvaluatedStudy& study, const Setting& factors, const Setting& replaced) {
  Match match;
  for (const auto& [factor, value] : factors) {
    const auto other = replaced.find(factor);
    match.values.push_back({factor, {other == replaced.end() ? value : other->second}});
  }
  return study.find(match);
}

// What the graph alone gives where this cell stands.
const EvaluatedCell* control_of(const EvaluatedStudy& study, const Setting& factors) {
  const EvaluatedCell* found = counterpart(study, factors, {{"method", "control"}, {"scale", "common"}});
  return found != nullptr ? found : counterpart(study, factors, {{"method", "control"}});
}

std::string points(double difference) {
  const double rounded = std::round(1000 * difference) / 10;
  if (rounded == 0) return "0";
  return (rounded > 0 ? "+" : "") + format_number(rounded);
}

bool is_about_itself(const Claim& claim) {
  return claim.near || claim.above;
}

// A place where nothing can be said: trainings failed, or are still to come.
void count_gap(ClaimOutcome& outcome, std::initializer_list<const EvaluatedCell*> cells) {
  const auto any = [&](auto&& is) { return std::any_of(cells.begin(), cells.end(), is); };
  if (any([](const EvaluatedCell* cell) { return cell->failed() > 0; })) {
    ++outcome.without;
  } else if (any([](const EvaluatedCell* cell) { return cell->runs.size() < cell->cell.runs; })) {
    ++outcome.missing;
  }
}

ClaimOutcome judge(const EvaluatedStudy& study, const Claim& claim, const std::string& scale) {
  ClaimOutcome outcome;
  outcome.study = study.declaration.id;
  outcome.text = claim.text;
  outcome.scale = scale;
  outcome.margin = claim.margin;
  Match where = claim.where;
  if (!scale.empty()) where = where.with({{{"scale", {scale}}}});
  std::vector<double> lifts;
  for (const EvaluatedCell& cell : study.cells) {
    if (!where.with(claim.better)(cell.cell.factors)) continue;
    if (is_about_itself(claim)) {
      if (const auto interval = cell.interval(claim.metric)) {
        outcome.levels.push_back(interval->mean);
      } else {
        count_gap(outcome, {&cell});
      }
      if (const auto interval = cell.interval(claim.beside)) outcome.beside.push_back(interval->mean);
      continue;
    }
    // The same place with the other side's factors, for each of its values.
    for (const Setting& other : combinations(claim.worse.values)) {
      const EvaluatedCell* worse = counterpart(study, cell.cell.factors, other);
      if (worse == nullptr || worse == &cell) continue;
      if (auto found = compare(study, cell, *worse, claim.metric, claim.margin)) {
        outcome.comparisons.push_back(std::move(*found));
        if (value_of(cell.cell.factors, "data") == kLastfmSubset) ++outcome.on_subset;
      } else {
        count_gap(outcome, {&cell, worse});
      }
    }
    if (const EvaluatedCell* control = control_of(study, cell.cell.factors); control != nullptr && control != &cell) {
      if (const auto lift = compare(study, cell, *control, claim.metric)) lifts.push_back(lift->difference);
    }
  }
  if (!lifts.empty()) outcome.lift_over_control = mean_of(lifts);
  return outcome;
}

// One test of all comparisons: on each run that all have, the mean of their differences. Cells of a data set share
// their splits, so they are averaged within a run before runs are compared.
Comparison average_of(const ClaimOutcome& outcome) {
  Comparison average;
  average.study = outcome.study;
  average.test_over_train = 0;
  std::vector<double> means;
  for (const auto& [run, difference] : outcome.comparisons.front().differences) {
    std::vector<double> here;
    for (const Comparison& one : outcome.comparisons) {
      if (const auto found = one.differences.find(run); found != one.differences.end()) here.push_back(found->second);
    }
    if (here.size() == outcome.comparisons.size()) means.push_back(mean_of(here));
  }
  for (const Comparison& one : outcome.comparisons) {
    average.test_over_train = std::max(average.test_over_train, one.test_over_train);
  }
  average.runs = means.size();
  const std::vector<double> margins(means.size(), -outcome.margin);
  const PairedTest test = corrected_resampled_t(means, margins, average.test_over_train);
  average.difference = test.difference - outcome.margin;
  average.p_value = average.holm = test.p_value;
  return average;
}

void conclude(ClaimOutcome& outcome, const Claim& claim) {
  using Verdict = ClaimOutcome::Verdict;
  if (is_about_itself(claim)) {
    const auto fits =
        static_cast<std::size_t>(std::count_if(outcome.levels.begin(), outcome.levels.end(), [&](double level) {
          return claim.near ? std::abs(level - *claim.near) <= claim.within : level > *claim.above;
        }));
    if (outcome.levels.empty()) return;
    const bool everywhere = fits == outcome.levels.size() && outcome.missing == 0;
    outcome.verdict = everywhere ? Verdict::holds : fits > 0 ? Verdict::in_part : Verdict::fails;
    return;
  }
  if (outcome.comparisons.empty()) return;
  // A margin below 0 asks for more than the sign: by how much.
  double sum = 0;
  std::size_t never_below = 0;
  for (const Comparison& one : outcome.comparisons) {
    sum += one.difference;
    const double above = one.difference + claim.margin;
    if (above >= 0) ++never_below;
    if (one.holm < .05) ++(above > 0 ? outcome.higher : outcome.lower);
  }
  const std::size_t all = outcome.comparisons.size();
  outcome.mean_difference = sum / static_cast<double>(all);
  std::size_t speak_for = outcome.higher;
  std::size_t speak_against = outcome.lower;
  if (speak_for + speak_against == 0 && outcome.average.holm < .05) {
    ++(outcome.average.difference + claim.margin > 0 ? speak_for : speak_against);  // none alone, but all together
  }
  if (speak_for + speak_against == 0) {
    outcome.verdict = Verdict::unclear;
  } else if (speak_for <= speak_against) {
    outcome.verdict = Verdict::fails;
  } else {
    const bool everywhere = never_below == all && outcome.lower == 0 && outcome.without + outcome.missing == 0;
    outcome.verdict = everywhere ? Verdict::holds : Verdict::in_part;
  }
}

// The p of all comparisons together, what it is against, and on how many runs where some are missing.
std::string test_of(const ClaimOutcome& outcome) {
  const Comparison& average = outcome.average;
  if (average.runs < kLeastRuns) return "";
  std::string text = " (p " + p_text(average.holm);
  if (outcome.margin != 0) text += " against " + points(-outcome.margin);
  const bool all = std::all_of(outcome.comparisons.begin(), outcome.comparisons.end(),
                               [&](const Comparison& one) { return one.runs == average.runs; });
  if (!all) text += ", on the " + std::to_string(average.runs) + " runs that all have";
  return text + ")";
}

// What was measured, and beside it what may explain it: the other scale, and the control.
std::string reason_of(const ClaimOutcome& outcome, const Claim& claim, const std::vector<ClaimOutcome>& all) {
  using Verdict = ClaimOutcome::Verdict;
  std::string without;
  if (outcome.without > 0) {
    without = "; " + std::to_string(outcome.without) + " more could not be made, as every training of one side failed";
  }
  if (outcome.missing > 0) without += "; " + std::to_string(outcome.missing) + " more not run yet";
  if (outcome.verdict == Verdict::unmeasured) return "not measured" + without;
  if (!outcome.levels.empty()) {
    const auto range = [](const std::vector<double>& levels) {
      const auto [least, most] = std::minmax_element(levels.begin(), levels.end());
      const auto show = [](double level) { return format_number(std::round(1000 * level) / 1000); };
      return show(*least) == show(*most) ? show(*least) : show(*least) + " to " + show(*most);
    };
    const std::string text =
        range(outcome.levels) + " in " + std::to_string(outcome.levels.size()) + " cells" + without;
    return outcome.beside.empty() ? text : text + "; " + claim.beside + " is " + range(outcome.beside);
  }
  const double margin = outcome.margin;
  std::string text = points(outcome.mean_difference) + " points on average" + test_of(outcome) + "; clearly " +
                     (margin > 0   ? "within the margin in "
                      : margin < 0 ? "by more than that in "
                                   : "higher in ") +
                     std::to_string(outcome.higher) +
                     (margin > 0   ? ", clearly beyond it in "
                      : margin < 0 ? ", clearly by less in "
                                   : ", clearly lower in ") +
                     std::to_string(outcome.lower) + " of " + std::to_string(outcome.comparisons.size());
  if (outcome.on_subset > 0) text += " (" + std::to_string(outcome.on_subset) + " of them on the LastFM subset*)";
  text += without;
  std::size_t failed = 0;
  for (const Comparison& one : outcome.comparisons) failed += one.failed;
  if (failed > 0) text += "; without " + std::to_string(failed) + " runs whose training failed";
  for (const ClaimOutcome& other : all) {
    if (other.text != outcome.text || other.study != outcome.study || other.scale == outcome.scale) continue;
    if (other.verdict == Verdict::unmeasured) continue;
    text += "; at the " + other.scale + " scale " + points(other.mean_difference) + " in " +
            std::to_string(other.comparisons.size());
  }
  if (outcome.lift_over_control) {
    text += outcome.scale == "raw" ? "; against the control (common scale) " : "; lift over the control ";
    text += points(*outcome.lift_over_control);
  }
  return text;
}

}  // namespace

std::vector<double> EvaluatedCell::values(const std::string& metric) const {
  std::vector<double> found;
  for (const Record* run : runs) {
    if (const auto at = run->metrics.find(metric); at != run->metrics.end()) found.push_back(at->second);
  }
  return found;
}

std::optional<Interval> EvaluatedCell::interval(const std::string& metric) const {
  const std::vector<double> found = values(metric);
  if (found.empty()) return std::nullopt;
  return bootstrap(found, 0);
}

std::optional<double> EvaluatedCell::most(const std::string& metric) const {
  const std::vector<double> found = values(metric);
  if (found.empty()) return std::nullopt;
  return *std::max_element(found.begin(), found.end());
}

std::size_t EvaluatedCell::failed() const {
  return static_cast<std::size_t>(
      std::count_if(runs.begin(), runs.end(), [](const Record* run) { return run->metrics.contains("failed"); }));
}

const EvaluatedCell* EvaluatedStudy::find(const Match& match) const {
  const auto found =
      std::find_if(cells.begin(), cells.end(), [&](const EvaluatedCell& cell) { return match(cell.cell.factors); });
  return found == cells.end() ? nullptr : &*found;
}

std::vector<std::string> EvaluatedStudy::values_of_factor(const std::string& factor, const Match& match) const {
  std::vector<std::string> values;
  for (const EvaluatedCell& cell : cells) {
    if (!match(cell.cell.factors)) continue;
    const std::string value = value_of(cell.cell.factors, factor);
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  // In the order declared, also where rules leave cells out.
  const auto declared = std::find_if(declaration.factors.begin(), declaration.factors.end(),
                                     [&](const auto& entry) { return entry.first == factor; });
  if (declared == declaration.factors.end()) return values;
  std::stable_sort(values.begin(), values.end(), [&](const std::string& a, const std::string& b) {
    const auto place = [&](const std::string& value) {
      return std::find(declared->second.begin(), declared->second.end(), value);
    };
    return place(a) < place(b);
  });
  return values;
}

std::vector<Match> EvaluatedStudy::combinations(const std::vector<std::string>& factors, const Match& match) const {
  std::vector<Match> all{match};
  for (const std::string& factor : factors) {
    std::vector<Match> more;
    for (const Match& one : all) {
      for (const std::string& value : values_of_factor(factor, one)) more.push_back(one.with({{{factor, {value}}}}));
    }
    all = std::move(more);
  }
  return all;
}

std::vector<std::string> EvaluatedStudy::others(const std::vector<std::string>& listed, const Match& match) const {
  std::vector<std::string> more;
  for (const auto& [factor, values] : declaration.factors) {
    if (std::find(listed.begin(), listed.end(), factor) != listed.end()) continue;
    if (values_of_factor(factor, match).size() > 1) more.push_back(factor);
  }
  return more;
}

std::size_t EvaluatedStudy::runs_there() const {
  return std::accumulate(cells.begin(), cells.end(), std::size_t{0},
                         [](std::size_t sum, const EvaluatedCell& cell) { return sum + cell.runs.size(); });
}

std::size_t EvaluatedStudy::runs_wanted() const {
  return std::accumulate(cells.begin(), cells.end(), std::size_t{0},
                         [](std::size_t sum, const EvaluatedCell& cell) { return sum + cell.cell.runs; });
}

Result<EvaluatedStudy> evaluate(const PlannedStudy& study, const RecordStore& records) {
  EvaluatedStudy out{study.declaration, {}};
  const auto key = [&](const Setting& setting) { return records.key_of_setting(setting); };
  for (const Cell& cell : study.cells) {
    const Result<Choice> choice = choose(cell, study.declaration.select, study.declaration.factors, key, records);
    if (!choice) return choice.error();
    EvaluatedCell evaluated{cell, choice->setting, choice->candidates, choice->open, choice->carried, {}};
    if (choice->setting) {
      const std::string its_key = key(*choice->setting);
      for (std::uint64_t run = 0; run < cell.runs; ++run) {
        if (const Record* record = records.find(its_key, run)) evaluated.runs.push_back(record);
      }
    }
    out.cells.push_back(std::move(evaluated));
  }
  return out;
}

std::optional<Comparison> compare(const EvaluatedStudy& study, const EvaluatedCell& first, const EvaluatedCell& second,
                                  const std::string& metric, double margin) {
  std::vector<double> a;
  std::vector<double> b;
  Comparison comparison;
  comparison.study = study.declaration.id;
  comparison.first = first.cell.factors;
  comparison.second = second.cell.factors;
  for (const Record* one : first.runs) {
    const auto other = std::find_if(second.runs.begin(), second.runs.end(),
                                    [&](const Record* record) { return record->run == one->run; });
    if (other == second.runs.end()) continue;
    const auto x = one->metrics.find(metric);
    const auto y = (*other)->metrics.find(metric);
    if (x == one->metrics.end() || y == (*other)->metrics.end()) continue;
    a.push_back(x->second);
    b.push_back(y->second - margin);
    comparison.differences[one->run] = x->second - y->second;
    if (const auto ratio = one->metrics.find("test_over_train"); ratio != one->metrics.end()) {
      comparison.test_over_train = ratio->second;
    }
  }
  if (a.empty()) return std::nullopt;
  const PairedTest test = corrected_resampled_t(a, b, comparison.test_over_train);
  comparison.difference = test.difference - margin;
  comparison.p_value = comparison.holm = test.p_value;
  comparison.runs = a.size();
  comparison.failed = first.failed() + second.failed();
  return comparison;
}

std::vector<Comparison> against_references(const EvaluatedStudy& study) {
  std::vector<Comparison> all;
  for (const EvaluatedCell& cell : study.cells) {
    const std::string method = value_of(cell.cell.factors, "method");
    if (method == "control" || method == "nonpriv") continue;
    if (const EvaluatedCell* control = control_of(study, cell.cell.factors)) {
      if (auto found = compare(study, cell, *control, "accuracy")) all.push_back(std::move(*found));
    }
    if (method == "lpgnn") continue;
    if (const EvaluatedCell* lpgnn = counterpart(study, cell.cell.factors, {{"method", "lpgnn"}})) {
      if (auto found = compare(study, cell, *lpgnn, "accuracy")) all.push_back(std::move(*found));
    }
  }
  return all;
}

void correct_together(std::vector<Comparison*> comparisons) {
  std::erase_if(comparisons, [](const Comparison* one) { return one->runs < kLeastRuns; });
  // Holm: the smallest p times the number of tests, the next times one less, never falling.
  std::stable_sort(comparisons.begin(), comparisons.end(),
                   [](const Comparison* a, const Comparison* b) { return a->p_value < b->p_value; });
  double largest = 0;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    largest = std::max(largest, std::min(1.0, comparisons[i]->p_value * static_cast<double>(comparisons.size() - i)));
    comparisons[i]->holm = largest;
  }
}

std::vector<ClaimOutcome> judge_claims(const std::vector<EvaluatedStudy>& studies) {
  std::vector<ClaimOutcome> outcomes;
  std::vector<const Claim*> claims;
  for (const EvaluatedStudy& study : studies) {
    for (const Claim& claim : study.declaration.claims) {
      // Judged at every scale it is about; once, where it compares scales or the study has only one.
      std::vector<std::string> scales{""};
      const auto names_scale = [](const Match& match) {
        return std::any_of(match.values.begin(), match.values.end(),
                           [](const auto& one) { return one.first == "scale"; });
      };
      if (names_scale({study.declaration.factors}) && !names_scale(claim.better) && !names_scale(claim.worse)) {
        scales = study.values_of_factor("scale", claim.where);
        if (scales.empty()) scales = {""};  // nothing of it was asked for: not measured
      }
      for (const std::string& scale : scales) {
        outcomes.push_back(judge(study, claim, scale));
        claims.push_back(&claim);
      }
    }
  }
  std::vector<Comparison*> comparisons;
  std::vector<Comparison*> averages;
  for (ClaimOutcome& outcome : outcomes) {
    if (outcome.comparisons.empty()) continue;
    for (Comparison& one : outcome.comparisons) comparisons.push_back(&one);
    outcome.average = average_of(outcome);
    averages.push_back(&outcome.average);
  }
  correct_together(comparisons);
  correct_together(averages);
  for (std::size_t i = 0; i < outcomes.size(); ++i) conclude(outcomes[i], *claims[i]);
  for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i].reason = reason_of(outcomes[i], *claims[i], outcomes);
  return outcomes;
}

std::vector<PrintedComparison> against_print(const EvaluatedStudy& study) {
  std::vector<PrintedComparison> all;
  for (const PrintedValue& printed : study.declaration.printed) {
    const std::size_t before = all.size();
    for (const EvaluatedCell& cell : study.cells) {
      if (!printed.where(cell.cell.factors)) continue;
      const EvaluatedCell* control = control_of(study, cell.cell.factors);
      all.push_back({study.declaration.id, cell.cell.factors, printed.value, cell.interval("accuracy"),
                     cell.values("accuracy").size(), cell.cell.runs, cell.failed(),
                     control == nullptr ? std::nullopt : control->interval("accuracy")});
    }
    if (all.size() == before) {
      all.push_back({study.declaration.id,
                     ppgnn::study::combinations(printed.where.values).front(),
                     printed.value,
                     {},
                     0,
                     0,
                     0,
                     {}});
    }
  }
  return all;
}

bool has_subset(const EvaluatedStudy& study) {
  return std::any_of(study.cells.begin(), study.cells.end(),
                     [](const EvaluatedCell& cell) { return value_of(cell.cell.canonical, "data") == kLastfmSubset; });
}

std::size_t without_control(const EvaluatedStudy& study) {
  return static_cast<std::size_t>(std::count_if(study.cells.begin(), study.cells.end(), [&](const EvaluatedCell& cell) {
    if (!cell.interval("accuracy")) return false;
    const EvaluatedCell* control = control_of(study, cell.cell.factors);
    return control == nullptr || !control->interval("accuracy");
  }));
}

std::string p_text(double p) {
  if (p < .001) return "<.001";
  char text[16];
  std::snprintf(text, sizeof text, "%.3f", p);
  return text;
}

std::string to_text(ClaimOutcome::Verdict verdict) {
  switch (verdict) {
    case ClaimOutcome::Verdict::holds:
      return "holds";
    case ClaimOutcome::Verdict::in_part:
      return "holds in part";
    case ClaimOutcome::Verdict::unclear:
      return "no clear difference";
    case ClaimOutcome::Verdict::fails:
      return "does not hold";
    case ClaimOutcome::Verdict::unmeasured:
      break;
  }
  return "not measured";
}

}  // namespace ppgnn::study
