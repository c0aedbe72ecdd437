#pragma once

#include "ppgnn/kernels/linear_operator.hpp"
#include "ppgnn/kernels/matrix.hpp"

namespace ppgnn::test {

/// Z itself: Z times the identity.
inline kernels::Matrix formed(const kernels::LinearOperator& matrix,
                              const kernels::Threads& threads = kernels::Threads(1)) {
  kernels::Matrix identity(matrix.columns(), matrix.columns());
  for (std::size_t i = 0; i < matrix.columns(); ++i) identity.view().row(i)[i] = 1;
  kernels::Matrix out(matrix.rows(), matrix.columns());
  kernels::Matrix scratch(1, matrix.scratch(matrix.columns()));
  matrix.apply(identity.view(), out.view(), scratch.values(), threads);
  return out;
}

/// Z^T itself.
inline kernels::Matrix formed_transpose(const kernels::LinearOperator& matrix,
                                        const kernels::Threads& threads = kernels::Threads(1)) {
  kernels::Matrix identity(matrix.rows(), matrix.rows());
  for (std::size_t i = 0; i < matrix.rows(); ++i) identity.view().row(i)[i] = 1;
  kernels::Matrix out(matrix.columns(), matrix.rows());
  kernels::Matrix scratch(1, matrix.scratch(matrix.rows()));
  matrix.apply_transpose(identity.view(), out.view(), scratch.values(), threads);
  return out;
}

}  // namespace ppgnn::test
