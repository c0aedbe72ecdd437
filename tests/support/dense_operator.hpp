#pragma once

#include <utility>

#include "ppgnn/kernels/dense.hpp"
#include "ppgnn/kernels/linear_operator.hpp"
#include "ppgnn/kernels/matrix.hpp"

namespace ppgnn::test {

/// A plain matrix as an input, so that a network can be tested without a graph operator in front.
class DenseOperator final : public kernels::LinearOperator {
 public:
  explicit DenseOperator(kernels::Matrix matrix) : matrix_(std::move(matrix)) {}

  std::size_t rows() const noexcept override { return matrix_.rows(); }
  std::size_t columns() const noexcept override { return matrix_.cols(); }
  std::size_t scratch(std::size_t width) const noexcept override {
    return kernels::multiply_transpose_scratch(rows(), columns(), width);
  }
  void apply(ConstMatrixView weights, MatrixView out, std::span<float>,
             const kernels::Threads& threads) const override {
    kernels::multiply(matrix_.view(), weights, out, threads);
  }
  void apply_transpose(ConstMatrixView gradient, MatrixView out, std::span<float> scratch,
                       const kernels::Threads& threads) const override {
    kernels::multiply_transpose(matrix_.view(), gradient, out, scratch, threads);
  }

 private:
  kernels::Matrix matrix_;
};

}  // namespace ppgnn::test
