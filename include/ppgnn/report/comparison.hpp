#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ppgnn/report/summary.hpp"
#include "ppgnn/simulate/statistics.hpp"

/// Cells held against each other and against the paper's print.
namespace ppgnn::report {

/// The cell with these factors, some of them replaced; nullptr for none.
[[nodiscard]] const EvaluatedCell* counterpart(const EvaluatedStudy& study, const study::Setting& factors,
                                               const study::Setting& replaced);
/// What the graph alone gives where this cell stands; nullptr where it was not run.
[[nodiscard]] const EvaluatedCell* control_of(const EvaluatedStudy& study, const study::Setting& factors);

/// Two cells on the same runs.
struct Comparison {
  std::string study;
  study::Setting first, second;                 ///< declared factors
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

/// How much better than the control of its place a cell is.
struct Lift {
  study::Setting factors;
  Comparison points;  ///< accuracy; `holm` is over the data sets, all other factors the same
  Comparison nats;    ///< log-loss of the control minus the cell's, a person: above 0 is better; `holm` alike
};
/// Of the cells that have both, in order; methods without private features left out.
[[nodiscard]] std::vector<Lift> lifts(const EvaluatedStudy& study);

/// Sets `holm` by Holm's correction over these comparisons, those left out that are of too few runs to be tested.
void correct_together(std::vector<Comparison*> comparisons);

/// Paper's figure beside ours.
struct PrintedComparison {
  std::string study;
  study::Setting factors;
  double printed = 0;
  std::optional<simulate::Interval> measured;  ///< none: not measured
  std::size_t runs = 0;
  std::size_t wanted = 0;                     ///< runs declared
  std::size_t failed = 0;                     ///< trainings that failed, not among them
  std::optional<simulate::Interval> control;  ///< what the graph alone gives there, at common scale
};
[[nodiscard]] std::vector<PrintedComparison> against_print(const EvaluatedStudy& study);

/// Cells with accuracies but no control beside them.
[[nodiscard]] std::size_t without_control(const EvaluatedStudy& study);

/// Three digits, or "<.001".
[[nodiscard]] std::string p_text(double p);

}  // namespace ppgnn::report
