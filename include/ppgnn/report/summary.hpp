#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ppgnn/simulate/statistics.hpp"
#include "ppgnn/study/experiment.hpp"

/// What the records of a study say. Needs no data.
namespace ppgnn::report {

/// A cell with its runs.
struct EvaluatedCell {
  study::Cell cell;
  std::optional<study::Setting> chosen;    ///< what was run; none while values are still being chosen
  std::size_t candidates = 0;              ///< among which it was chosen by validation; 0: given
  std::vector<std::string> open;           ///< factors whose values were chosen
  std::vector<std::string> carried;        ///< those of them that were chosen on another data set
  std::vector<const study::Record*> runs;  ///< those that are there, by run

  /// The metric of every run that has it.
  [[nodiscard]] std::vector<double> values(const std::string& metric) const;
  [[nodiscard]] std::optional<simulate::Interval> interval(const std::string& metric) const;
  /// The largest value over all runs.
  [[nodiscard]] std::optional<double> most(const std::string& metric) const;
  /// Runs whose training failed at once.
  [[nodiscard]] std::size_t failed() const;
};

struct EvaluatedStudy {
  study::Declaration declaration;
  std::vector<EvaluatedCell> cells;

  /// The first cell that matches; nullptr for none.
  [[nodiscard]] const EvaluatedCell* find(const study::Match& match) const;
  /// Values of a factor over the cells that match, in order of appearance.
  [[nodiscard]] std::vector<std::string> values_of_factor(const std::string& factor, const study::Match& match) const;
  /// One match per combination of the values that these factors have where `match` holds.
  [[nodiscard]] std::vector<study::Match> combinations(const std::vector<std::string>& factors,
                                                       const study::Match& match) const;
  /// Factors that still vary where `match` holds and the listed ones are fixed: what a view must not leave out.
  [[nodiscard]] std::vector<std::string> others(const std::vector<std::string>& listed,
                                                const study::Match& match) const;
  /// `match` without what no cell meets, because other values were asked for on the command line.
  [[nodiscard]] study::Match met(const study::Match& match) const;
  /// A sentence: the data, backbones and runs that have this metric where `match` holds.
  [[nodiscard]] std::string made_of(const study::Match& match, const std::string& metric) const;
  [[nodiscard]] std::size_t runs_there() const;
  [[nodiscard]] std::size_t runs_wanted() const;
};

[[nodiscard]] Result<EvaluatedStudy> evaluate(const study::PlannedStudy& study, const study::RecordStore& records);

inline constexpr const char* kSubsetNote =
    "*: LastFM's features file was not among the data. A subset stands in whose artists were chosen with knowledge of "
    "the labels: its figures are not comparable with the paper's.";

/// Whether any cell is about the LastFM subset: its figures are not comparable with the paper's.
[[nodiscard]] bool has_subset(const EvaluatedStudy& study);

}  // namespace ppgnn::report
