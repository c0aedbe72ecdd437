#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace ppgnn::train {

/// What one epoch gave. The training figures are those of the pass that was learned from (with dropout, before the
/// step); the validation figures those of the evaluation after the step.
struct EpochRecord {
  std::size_t epoch = 0;  ///< from 0
  double train_loss = 0;
  double train_accuracy = 0;
  double validation_loss = 0;
  double validation_accuracy = 0;

  friend bool operator==(const EpochRecord&, const EpochRecord&) = default;
};

/// One line an epoch under a header; numbers read back as the same doubles.
[[nodiscard]] std::string history_csv(std::span<const EpochRecord> history);

/// An array of one object an epoch, with the names of the CSV header.
[[nodiscard]] std::string history_json(std::span<const EpochRecord> history);

}  // namespace ppgnn::train
