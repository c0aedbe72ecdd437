#pragma once

#include <cstddef>
#include <span>

#include "ppgnn/core/views.hpp"
#include "ppgnn/kernels/sparse.hpp"
#include "ppgnn/kernels/threads.hpp"

/// Graph attention (Velickovic et al., 2018) with `heads` heads over one square pattern with self-loops stored. Columns
/// of node matrices are grouped by head: head h of t owns columns h * width .. (h + 1) * width - 1; scores and edge
/// numbers have one column per head.
///
/// Determinism  Every sum belongs to one row and runs in storage order: same bits for any thread count.
namespace ppgnn::kernels {

/// The pattern attention runs over, and its transpose for the backward pass. Borrowed.
struct AttentionPattern {
  const SparseMatrix* forward = nullptr;
  const SparseMatrix* transposed = nullptr;
  std::span<const std::uint64_t> source;  ///< TransposedPattern::source
};

inline constexpr float kLeakySlope = 0.2F;

/// scores[i, h] = vector[h, :] . t[i, head h].
void attention_scores(ConstMatrixView t, std::span<const float> vector, std::size_t heads, MatrixView scores,
                      const Threads& threads);

/// a_ij = softmax over j in row i of LeakyReLU(to[i, h] + from[j, h]);  out[i, head h] = sum_j a_ij t[j, head h].
/// `weights` (entries x heads) keeps a_ij for the backward pass.
void attention_forward(const AttentionPattern& pattern, ConstMatrixView t, std::size_t heads, ConstMatrixView from,
                       ConstMatrixView to, MatrixView weights, MatrixView out, const Threads& threads);

/// d loss / d score before the LeakyReLU, for every entry, from the gradient g of out:
///     b_ij = g[i, head h] . t[j, head h];  s_ij = a_ij (b_ij - sum_k a_ik b_ik) * (score > 0 ? 1 : slope)
/// and gradient_to[i, h] = sum_j s_ij.
void attention_backward_scores(const AttentionPattern& pattern, ConstMatrixView t, std::size_t heads,
                               ConstMatrixView from, ConstMatrixView to, ConstMatrixView weights, ConstMatrixView g,
                               MatrixView score_gradient, MatrixView gradient_to, const Threads& threads);

/// gradient_from[j, h] = sum_i s_ij;
/// gradient_t[j, head h] = sum_i a_ij g[i, head h] + gradient_from[j, h] vector_from[h] + gradient_to[j, h]
/// vector_to[h].
void attention_backward_nodes(const AttentionPattern& pattern, std::size_t heads, ConstMatrixView weights,
                              ConstMatrixView score_gradient, ConstMatrixView g, ConstMatrixView gradient_to,
                              std::span<const float> vector_from, std::span<const float> vector_to,
                              MatrixView gradient_from, MatrixView gradient_t, const Threads& threads);

/// Floats of scratch `attention_vector_gradient` needs for t (rows x columns).
std::size_t attention_vector_scratch(std::size_t rows, std::size_t columns) noexcept;

/// gradient[h, :] = sum_i score_gradient[i, h] t[i, head h].
void attention_vector_gradient(ConstMatrixView t, ConstMatrixView score_gradient, std::span<float> gradient,
                               std::span<float> scratch, const Threads& threads);

}  // namespace ppgnn::kernels
