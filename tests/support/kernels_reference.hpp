#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ppgnn/core/views.hpp"
#include "ppgnn/kernels/activation.hpp"
#include "ppgnn/kernels/adam.hpp"
#include "ppgnn/kernels/attention.hpp"
#include "ppgnn/kernels/loss.hpp"
#include "ppgnn/kernels/matrix.hpp"
#include "ppgnn/kernels/sparse.hpp"

/// The same formulas as the kernels, one scalar at a time in double precision: what they are checked against, in tests
/// and before a benchmark times anything. Written by definition, not for speed.
namespace ppgnn::kernels::reference {

Matrix multiply(const SparseMatrix& matrix, ConstMatrixView x);
Matrix multiply(ConstMatrixView a, ConstMatrixView b);
Matrix multiply_transpose(ConstMatrixView a, ConstMatrixView g);
Matrix selu_dropout_forward(ConstMatrixView z, const DropoutMask& mask);
Matrix selu_dropout_backward(ConstMatrixView z, const DropoutMask& mask, ConstMatrixView gradient);
Loss softmax_cross_entropy(ConstMatrixView logits, std::size_t classes, std::span<const std::uint32_t> rows,
                           std::span<const std::uint32_t> labels);
/// By column, no sum over a row is skipped: out[i, head h] = sum_j softmax_j(leaky(to_i + from_j)) t[j, head h].
Matrix attention_forward(const CsrView& pattern, ConstMatrixView t, std::size_t heads, ConstMatrixView from,
                         ConstMatrixView to);
void adam_step(const AdamOptions& options, std::uint64_t step, std::span<const float> gradient,
               std::span<double> parameters, std::span<double> first_moment, std::span<double> second_moment);

/// Largest |a - b| / (1 + |b|) over all elements; infinity when one is NaN.
double largest_difference(ConstMatrixView a, ConstMatrixView b);

}  // namespace ppgnn::kernels::reference
