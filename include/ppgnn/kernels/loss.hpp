#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ppgnn/core/views.hpp"
#include "ppgnn/kernels/threads.hpp"

namespace ppgnn::kernels {

/// Mean cross-entropy of the softmax of some rows against their labels, and how many of them have their largest logit
/// at the label (the first of equals counts).
struct Loss {
  double mean = 0;
  std::size_t correct = 0;
  std::size_t rows = 0;

  [[nodiscard]] double accuracy() const noexcept {
    return rows == 0 ? 0.0 : static_cast<double>(correct) / static_cast<double>(rows);
  }
};

/// The sums of one task; `softmax_cross_entropy` needs loss_tasks(rows) of them.
struct LossPart {
  double sum = 0;
  std::size_t correct = 0;
};

std::size_t loss_tasks(std::size_t rows) noexcept;

/// The loss over `rows`, distinct rows of `logits`, of which the first `classes` columns count; label of row i is
/// labels[i] < classes. Columns of logits are a multiple of 4. Nothing is written but `parts`.
Loss softmax_cross_entropy(ConstMatrixView logits, std::size_t classes, std::span<const std::uint32_t> rows,
                           std::span<const std::uint32_t> labels, std::span<LossPart> parts, const Threads& threads);

/// As above, and gradient = d loss / d logits: (softmax - one-hot) / rows.size() in the given rows, zero elsewhere.
Loss softmax_cross_entropy_gradient(ConstMatrixView logits, std::size_t classes, std::span<const std::uint32_t> rows,
                                    std::span<const std::uint32_t> labels, std::span<LossPart> parts,
                                    MatrixView gradient, const Threads& threads);

}  // namespace ppgnn::kernels
