#pragma once

#include <cstddef>
#include <span>

#include "ppgnn/core/views.hpp"
#include "ppgnn/kernels/threads.hpp"

namespace ppgnn::kernels {

/// A matrix Z (rows x columns) known only by its products, which is all a first layer needs.
///
/// Threads      Immutable once made: runs of a sweep share one. Scratch belongs to the caller.
/// Determinism  Same bits for any thread count on one instruction set.
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;

  [[nodiscard]] virtual std::size_t rows() const noexcept = 0;
  [[nodiscard]] virtual std::size_t columns() const noexcept = 0;
  /// Floats of scratch that a product of this many dense columns needs.
  [[nodiscard]] virtual std::size_t scratch(std::size_t width) const noexcept = 0;

  /// out = Z weights, for weights (columns x width), out (rows x width).
  virtual void apply(ConstMatrixView weights, MatrixView out, std::span<float> scratch,
                     const Threads& threads) const = 0;
  /// out = Z^T gradient, for gradient (rows x width), out (columns x width).
  virtual void apply_transpose(ConstMatrixView gradient, MatrixView out, std::span<float> scratch,
                               const Threads& threads) const = 0;

 protected:
  LinearOperator() = default;
  LinearOperator(const LinearOperator&) = default;
  LinearOperator(LinearOperator&&) = default;
  LinearOperator& operator=(const LinearOperator&) = default;
  LinearOperator& operator=(LinearOperator&&) = default;
};

}  // namespace ppgnn::kernels
