#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/graph/split.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/teach/teacher.hpp"

/// What no server may know, to find out how much better a campaign could be taught. For research only.
namespace ppgnn::simulate {

/// The ceiling: a model taught by the clean features of the same teachers. Logistic regression on what a device looks at,
/// its penalty chosen by the validation people's clean features and labels.
///
/// Privacy      None.
/// Determinism  Depends on its arguments only; one thread.
/// Errors       invalid_argument where the features have no columns.
[[nodiscard]] Result<teach::TaughtModel> clean_model(const graph::Dataset& dataset, const graph::Split& split,
                                                     const ldp::Plan& teaching);

/// A teaching report that sent a favoured bucket.
struct MarkedReport {
  std::uint32_t person = 0;
  std::optional<std::uint32_t> column;  ///< the word that it was sent for; nothing where the bucket only filled up
};

/// The reports of buckets that are true, by an oracle who sees the features: in the order of the reports and of the
/// outcomes in each.
///
/// Privacy  None.
/// Errors   invalid_argument for a plan that is not of buckets, or with columns that lie on both sides of their absent
///          value.
[[nodiscard]] Result<std::vector<MarkedReport>> marked_reports(const graph::Dataset& dataset, const ldp::Plan& teaching,
                                                               std::span<const ldp::Level> levels,
                                                               std::span<const ldp::NodeReport> lessons);

/// The same as if everybody of a list had sent every favoured word: reports without noise, and as many as there are words.
///
/// Privacy  None.
/// Errors   As above.
[[nodiscard]] Result<std::vector<MarkedReport>> all_reports(const graph::Dataset& dataset, const ldp::Plan& teaching,
                                                            std::span<const ldp::Level> levels,
                                                            std::span<const std::uint32_t> people);

/// How often a true report is sent for each word by each class, column by column, one a class; with everybody's
/// clean features and labels, those of test people too.
///
/// Privacy  None.
[[nodiscard]] std::vector<double> true_rates(const graph::Dataset& dataset, const ldp::Plan& teaching,
                                             std::span<const ldp::Level> levels);

/// A model, and how it was come by.
struct NamedModel {
  std::string name;
  teach::TaughtModel model;
};

/// What several estimators make of marked reports, from plain ones to one whom nobody who reads words one by one can equal
/// without telling them apart by more than their reports: the mean of the true effects of all words, each weighed by how
/// likely it would have been to be reported as this one was; and two that read all words of a person together. `clean`:
/// clean_model, whose effects are among the true ones.
///
/// Privacy      None.
/// Determinism  Depends on its arguments only; one thread.
/// Source       docs/research/teacher.md
[[nodiscard]] std::vector<NamedModel> marked_models(const graph::Dataset& dataset, const ldp::Plan& teaching,
                                                    std::span<const ldp::Level> levels,
                                                    std::span<const MarkedReport> marked,
                                                    const teach::TaughtModel& clean);

}  // namespace ppgnn::simulate
