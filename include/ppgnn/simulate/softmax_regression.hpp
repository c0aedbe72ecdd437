#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ppgnn::simulate {

/// Sparse rows of numbers, each with its class.
struct LabelledRows {
  std::vector<std::size_t> offsets{0};  ///< of the rows' entries, one more than rows
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  std::vector<std::uint32_t> labels;

  void add(std::uint32_t column, double value) {
    columns.push_back(column);
    values.push_back(value);
  }
  /// Ends the row that entries were added to.
  void end_row(std::uint32_t label) {
    offsets.push_back(columns.size());
    labels.push_back(label);
  }
  [[nodiscard]] std::size_t size() const noexcept { return labels.size(); }
};

/// Multinomial logistic regression: a class's score is its bias and the sum of values times weights.
struct SoftmaxModel {
  SoftmaxModel(std::size_t columns, std::size_t number_of_classes)
      : classes(number_of_classes), weights(columns * classes), biases(classes) {}

  std::size_t classes;
  std::vector<double> weights;  ///< column by column, one a class
  std::vector<double> biases;

  /// Nats a row.
  [[nodiscard]] double log_loss(const LabelledRows& rows) const;
};

/// Makes the sum of the rows' log-loss, plus half the penalty times the squared weights, as small as it gets; biases are
/// free. Starts from the model that is there, so that fits of falling penalties follow each other.
///
/// Determinism  Depends on its arguments only; one thread.
/// Cost         At most a few hundred passes over the entries: L-BFGS on a convex function.
void fit_softmax(const LabelledRows& rows, double penalty, SoftmaxModel& model);

}  // namespace ppgnn::simulate
