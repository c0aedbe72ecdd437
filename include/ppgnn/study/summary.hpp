#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ppgnn/study/experiment.hpp"
#include "ppgnn/study/statistics.hpp"

/// What the records of a study say. Needs no data.
namespace ppgnn::study {

/// A cell with its runs.
struct EvaluatedCell {
  Cell cell;
  std::optional<Setting> chosen;     ///< what was run; none while values are still being chosen
  std::size_t candidates = 0;        ///< among which it was chosen by validation; 0: given
  std::vector<std::string> open;     ///< factors whose values were chosen
  std::vector<std::string> carried;  ///< those of them that were chosen on another data set
  std::vector<const Record*> runs;   ///< those that are there, by run

  /// The metric of every run that has it.
  [[nodiscard]] std::vector<double> values(const std::string& metric) const;
  [[nodiscard]] std::optional<Interval> interval(const std::string& metric) const;
  /// The largest value over all runs.
  [[nodiscard]] std::optional<double> most(const std::string& metric) const;
  /// Runs whose training failed at once.
  [[nodiscard]] std::size_t failed() const;
};

struct EvaluatedStudy {
  Declaration declaration;
  std::vector<EvaluatedCell> cells;

  /// The first cell that matches; nullptr for none.
  [[nodiscard]] const EvaluatedCell* find(const Match& match) const;
  /// Values of a factor over the cells that match, in order of appearance.
  [[nodiscard]] std::vector<std::string> values_of_factor(const std::string& factor, const Match& match) const;
  /// One match per combination of the values that these factors have where `match` holds.
  [[nodiscard]] std::vector<Match> combinations(const std::vector<std::string>& factors, const Match& match) const;
  /// Factors that still vary where `match` holds and the listed ones are fixed: what a view must not leave out.
  [[nodiscard]] std::vector<std::string> others(const std::vector<std::string>& listed, const Match& match) const;
  [[nodiscard]] std::size_t runs_there() const;
  [[nodiscard]] std::size_t runs_wanted() const;
};

[[nodiscard]] Result<EvaluatedStudy> evaluate(const PlannedStudy& study, const RecordStore& records);

/// Two cells on the same runs.
struct Comparison {
  std::string study;
  Setting first, second;                        ///< declared factors
  double difference = 0;                        ///< mean of first - second
  double p_value = 1;                           ///< that it is -margin, corrected for overlapping splits
  double holm = 1;                              ///< corrected for all comparisons of the report too
  std::size_t runs = 0;                         ///< that both have
  std::size_t failed = 0;                       ///< trainings of either that failed, which are not among them
  std::map<std::uint64_t, double> differences;  ///< by run
  double test_over_train = .5;                  ///< sizes of the two parts
};

/// Metric of one cell against another, on the runs both have. The test asks whether the first is above the second
/// minus `margin`, or below.
[[nodiscard]] std::optional<Comparison> compare(const EvaluatedStudy& study, const EvaluatedCell& first,
                                                const EvaluatedCell& second, const std::string& metric,
                                                double margin = 0);

/// Every cell with personal or one-budget reports against the control and against LPGNN with the same other factors;
/// raw scales against the control at common scale, which is what the graph alone gives.
[[nodiscard]] std::vector<Comparison> against_references(const EvaluatedStudy& study);

/// A claim of the paper in our measurements, at one scale.
struct ClaimOutcome {
  std::string study, text, scale;  ///< scale: empty where the study does not vary it
  std::vector<Comparison> comparisons;
  Comparison average;  ///< of all comparisons as one, on the runs that all have; `holm` is over the claims
  double margin = 0;
  std::size_t higher = 0, lower = 0;  ///< comparisons clearly above and below -margin, Holm-corrected
  double mean_difference = 0;
  std::vector<double> levels;               ///< for claims about the metric itself: its mean in every cell
  std::vector<double> beside;               ///< and what stands beside it
  std::size_t without = 0;                  ///< comparisons that could not be made: no run of one side succeeded
  std::size_t missing = 0;                  ///< comparisons or levels whose runs are not there yet
  std::size_t on_subset = 0;                ///< comparisons on the LastFM subset
  std::optional<double> lift_over_control;  ///< mean over the cells of `better`
  enum class Verdict { holds, in_part, unclear, fails, unmeasured } verdict = Verdict::unmeasured;
  std::string reason;  ///< what was measured, and what may explain it
};

[[nodiscard]] std::vector<ClaimOutcome> judge_claims(const std::vector<EvaluatedStudy>& studies);

/// Sets `holm` by Holm's correction over these comparisons, those left out that are of too few runs to be tested.
void correct_together(std::vector<Comparison*> comparisons);

/// Paper's figure beside ours.
struct PrintedComparison {
  std::string study;
  Setting factors;
  double printed = 0;
  std::optional<Interval> measured;  ///< none: not measured
  std::size_t runs = 0;
  std::size_t wanted = 0;           ///< runs declared
  std::size_t failed = 0;           ///< trainings that failed, not among them
  std::optional<Interval> control;  ///< what the graph alone gives there, at common scale
};
[[nodiscard]] std::vector<PrintedComparison> against_print(const EvaluatedStudy& study);

/// Whether any cell is about the LastFM subset: its figures are not comparable with the paper's.
[[nodiscard]] bool has_subset(const EvaluatedStudy& study);

/// Cells with accuracies but no control beside them.
[[nodiscard]] std::size_t without_control(const EvaluatedStudy& study);

[[nodiscard]] std::string to_text(ClaimOutcome::Verdict verdict);

/// Three digits, or "<.001".
[[nodiscard]] std::string p_text(double p);

}  // namespace ppgnn::study
