#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ppgnn/report/claims.hpp"

namespace ppgnn::report {

/// A table of text, ready to be written in any form.
struct Table {
  std::string name, title, note;
  std::vector<std::string> head;                       ///< one per column, headers of rows included
  std::size_t row_headers = 0;                         ///< how many of the columns head their row
  std::vector<std::vector<std::string>> rows;          ///< each as long as `head`
  bool quick = false;                                  ///< from fewer runs and points than declared; every form says so
  std::vector<std::vector<std::string>> plain;         ///< the same with numbers in full, for CSV; empty: as `rows`
  std::set<std::pair<std::size_t, std::size_t>> best;  ///< row and column of what is shown in bold
};

/// A metric over two groups of factors: mean and 95% interval in percent (or as it is, for other metrics), with the
/// number of runs where it is not what was asked.
[[nodiscard]] Table make_table(const EvaluatedStudy& study, const study::TableView& view);
/// What everybody spends, by method and budget: mean, max, and what is said about the level.
[[nodiscard]] Table make_privacy_table(const EvaluatedStudy& study);
/// Lifts over the control in accuracy points and nats, one line a cell; no line for a study of no campaigns.
[[nodiscard]] Table make_lift_table(const EvaluatedStudy& study);
/// Values chosen by validation.
[[nodiscard]] Table make_choice_table(const EvaluatedStudy& study);
/// `clear_only`: those that are clear after Holm's correction.
[[nodiscard]] Table make_comparison_table(const std::vector<Comparison>& comparisons, bool clear_only);
/// One line per cell and metric shown, a column per factor: the results in full, for other programs.
[[nodiscard]] Table make_cell_table(const std::vector<EvaluatedStudy>& studies);
/// One line per run, a column per factor and metric.
[[nodiscard]] Table make_run_table(const std::vector<EvaluatedStudy>& studies);
[[nodiscard]] Table make_claim_table(const std::vector<ClaimOutcome>& claims);
[[nodiscard]] Table make_print_table(const std::vector<PrintedComparison>& comparisons);

[[nodiscard]] std::string to_csv(const Table& table);
[[nodiscard]] std::string to_latex(const Table& table);
[[nodiscard]] std::string to_html(const Table& table);
/// Columns padded with spaces, for a terminal.
[[nodiscard]] std::string to_plain(const Table& table);

[[nodiscard]] std::string escape_html(std::string_view text);

/// How a metric is shown: accuracies in percent.
[[nodiscard]] bool is_percentage(const std::string& metric);
/// The value of a factor for people: method titles, data names.
[[nodiscard]] std::string show_value(const std::string& factor, const std::string& value);
/// The same with the factor's name where the value alone would not say what it is.
[[nodiscard]] std::string show_factor(const std::string& factor, const std::string& value);

}  // namespace ppgnn::report
