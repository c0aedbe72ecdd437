#include "ppgnn/report/claims.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <utility>

#include "ppgnn/core/number.hpp"

namespace ppgnn::report {

namespace {

std::string points(double difference) {
  const double rounded = std::round(1000 * difference) / 10;
  if (rounded == 0) return "0";
  return (rounded > 0 ? "+" : "") + format_number(rounded);
}

bool is_about_itself(const study::Claim& claim) {
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

ClaimOutcome judge(const EvaluatedStudy& study, const study::Claim& claim, const std::string& scale) {
  ClaimOutcome outcome;
  outcome.study = study.declaration.id;
  outcome.text = claim.text;
  outcome.scale = scale;
  outcome.margin = claim.margin;
  study::Match where = claim.where;
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
    for (const study::Setting& other : study::combinations(claim.worse.values)) {
      const EvaluatedCell* worse = counterpart(study, cell.cell.factors, other);
      if (worse == nullptr || worse == &cell) continue;
      if (auto found = compare(study, cell, *worse, claim.metric, claim.margin)) {
        outcome.comparisons.push_back(std::move(*found));
        if (study::value_of(cell.cell.factors, "data") == study::kLastfmSubset) ++outcome.on_subset;
      } else {
        count_gap(outcome, {&cell, worse});
      }
    }
    if (const EvaluatedCell* control = control_of(study, cell.cell.factors); control != nullptr && control != &cell) {
      if (const auto lift = compare(study, cell, *control, claim.metric)) lifts.push_back(lift->difference);
    }
  }
  if (!lifts.empty()) outcome.lift_over_control = simulate::mean_of(lifts);
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
    if (here.size() == outcome.comparisons.size()) means.push_back(simulate::mean_of(here));
  }
  for (const Comparison& one : outcome.comparisons) {
    average.test_over_train = std::max(average.test_over_train, one.test_over_train);
  }
  average.runs = means.size();
  const std::vector<double> margins(means.size(), -outcome.margin);
  const simulate::PairedTest test = simulate::corrected_resampled_t(means, margins, average.test_over_train);
  average.difference = test.difference - outcome.margin;
  average.p_value = average.holm = test.p_value;
  return average;
}

void conclude(ClaimOutcome& outcome, const study::Claim& claim) {
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
  if (average.runs < simulate::kLeastRuns) return "";
  std::string text = " (p " + p_text(average.holm);
  if (outcome.margin != 0) text += " against " + points(-outcome.margin);
  const bool all = std::all_of(outcome.comparisons.begin(), outcome.comparisons.end(),
                               [&](const Comparison& one) { return one.runs == average.runs; });
  if (!all) text += ", on the " + std::to_string(average.runs) + " runs that all have";
  return text + ")";
}

// What was measured, and beside it what may explain it: the other scale, and the control.
std::string reason_of(const ClaimOutcome& outcome, const study::Claim& claim, const std::vector<ClaimOutcome>& all) {
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
    text += "; lift over the control ";
    text += points(*outcome.lift_over_control);
  }
  return text;
}

}  // namespace

std::vector<ClaimOutcome> judge_claims(const std::vector<EvaluatedStudy>& studies) {
  std::vector<ClaimOutcome> outcomes;
  std::vector<const study::Claim*> claims;
  for (const EvaluatedStudy& study : studies) {
    for (const study::Claim& claim : study.declaration.claims) {
      // Judged at every scale it is about; once, where it compares scales or the study has only one.
      std::vector<std::string> scales{""};
      const auto names_scale = [](const study::Match& match) {
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

}  // namespace ppgnn::report
