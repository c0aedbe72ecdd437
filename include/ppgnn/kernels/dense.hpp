#pragma once

#include <cstddef>
#include <span>

#include "ppgnn/core/views.hpp"
#include "ppgnn/kernels/matrix.hpp"
#include "ppgnn/kernels/threads.hpp"

/// Products of a tall matrix (one row per node) with a small one, and their gradients. All outputs are overwritten; no
/// output may overlap an input unless said.
///
/// Determinism  Sums are cut into blocks by shape alone and combined in order: same bits for any thread count.
namespace ppgnn::kernels {

/// out = a b, for a (rows x inner), b (inner x cols).
void multiply(ConstMatrixView a, ConstMatrixView b, MatrixView out, const Threads& threads);

/// Floats of scratch that `multiply_transpose` needs for these shapes.
std::size_t multiply_transpose_scratch(std::size_t rows, std::size_t inner, std::size_t cols) noexcept;

/// out = a^T g, for a (rows x inner), g (rows x cols).
void multiply_transpose(ConstMatrixView a, ConstMatrixView g, MatrixView out, std::span<float> scratch,
                        const Threads& threads);

/// out = a^T.
void transpose(ConstMatrixView a, MatrixView out) noexcept;

/// out = the sum of `count` arrays that follow each other, in order.
void add_in_order(std::span<const float> parts, std::size_t count, std::span<float> out) noexcept;

/// Floats of scratch that `column_sums` needs.
std::size_t column_sums_scratch(std::size_t rows, std::size_t cols) noexcept;

/// out[c] = sum over rows of a[., c].
void column_sums(ConstPanel a, std::span<float> out, std::span<float> scratch, const Threads& threads);

/// y[i, :] = x[i, :] + vector; x and y may be the same.
void add_to_rows(std::span<const float> vector, ConstPanel x, Panel y, const Threads& threads);

/// y[i, :] += vector.
inline void add_to_rows(std::span<const float> vector, Panel y, const Threads& threads) {
  add_to_rows(vector, ConstPanel(y), y, threads);
}

/// y += x.
void add(ConstPanel x, Panel y, const Threads& threads);

/// y = x.
void copy(ConstPanel x, Panel y, const Threads& threads);

/// y[i, :] = scale[i] * x[i, :]; an empty scale is all ones. x and y may be the same.
void scale_rows(std::span<const float> scale, ConstPanel x, Panel y, const Threads& threads);

}  // namespace ppgnn::kernels
