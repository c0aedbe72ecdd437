#include "ppgnn/kernels/dense.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ppgnn/core/sizes.hpp"

HWY_BEFORE_NAMESPACE();
namespace ppgnn::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows a register tile spans: eight sums in flight hide the latency of multiply-add and fit every instruction set.
template <class D>
constexpr std::size_t rows_in_flight(std::size_t tile) {
  return std::max<std::size_t>(1, 8 * hn::MaxLanes(D()) / tile);
}

// out[r, c..c+kTile) = sum over k of a[r, k] b[k, c..c+kTile), for kRows rows from `row`.
template <std::size_t kTile, std::size_t kRows>
HWY_INLINE void product_tile(ConstMatrixView a, ConstMatrixView b, MatrixView out, std::size_t row,
                             std::size_t column) {
  const hn::CappedTag<float, kTile> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  constexpr std::size_t kVectors = kTile / kLanes;
  std::array<std::array<V, kVectors>, kRows> sum;
  for (auto& row_sum : sum) row_sum.fill(hn::Zero(d));
  const float* HWY_RESTRICT from = a.data + row * a.cols;
  const float* HWY_RESTRICT weights = b.data + column;
  for (std::size_t k = 0; k < a.cols; ++k) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      const V weight = hn::LoadU(d, weights + k * b.cols + v * kLanes);
      for (std::size_t r = 0; r < kRows; ++r) {
        sum[r][v] = hn::MulAdd(hn::Set(d, from[r * a.cols + k]), weight, sum[r][v]);
      }
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(sum[r][v], d, out.data + (row + r) * out.cols + column + v * kLanes);
    }
  }
}

void product_rows(ConstMatrixView a, ConstMatrixView b, MatrixView out, std::size_t first, std::size_t last) {
  std::size_t column = 0;
  const auto tiles = [&]<std::size_t kTile>() HWY_ATTR {
    constexpr std::size_t kRows = rows_in_flight<hn::CappedTag<float, kTile>>(kTile);
    for (; out.cols - column >= kTile; column += kTile) {
      std::size_t row = first;
      for (; row + kRows <= last; row += kRows) product_tile<kTile, kRows>(a, b, out, row, column);
      for (; row < last; ++row) product_tile<kTile, 1>(a, b, out, row, column);
    }
  };
  tiles.template operator()<32>();
  tiles.template operator()<16>();
  tiles.template operator()<8>();
  tiles.template operator()<4>();
  tiles.template operator()<1>();
}

// out[k, c..c+kTile) += sum over kRows rows r from `row` of a[r, k] g[r, c..c+kTile), for k in first .. last-1.
template <std::size_t kTile, std::size_t kRows>
HWY_INLINE void transposed_tile(ConstMatrixView a, ConstMatrixView g, float* HWY_RESTRICT out, std::size_t row,
                                std::size_t column, std::size_t first, std::size_t last) {
  const hn::CappedTag<float, kTile> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  constexpr std::size_t kVectors = kTile / kLanes;
  std::array<std::array<V, kVectors>, kRows> gradient;
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      gradient[r][v] = hn::LoadU(d, g.data + (row + r) * g.cols + column + v * kLanes);
    }
  }
  const float* HWY_RESTRICT from = a.data + row * a.cols;
  for (std::size_t k = first; k < last; ++k) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      float* HWY_RESTRICT to = out + k * g.cols + column + v * kLanes;
      V sum = hn::LoadU(d, to);
      for (std::size_t r = 0; r < kRows; ++r) sum = hn::MulAdd(hn::Set(d, from[r * a.cols + k]), gradient[r][v], sum);
      hn::StoreU(sum, d, to);
    }
  }
}

void transposed_rows(ConstMatrixView a, ConstMatrixView g, float* out, std::size_t first_row, std::size_t last_row,
                     std::size_t first, std::size_t last) {
  std::fill(out + first * g.cols, out + last * g.cols, 0.0F);
  std::size_t column = 0;
  const auto tiles = [&]<std::size_t kTile>() HWY_ATTR {
    constexpr std::size_t kRows = rows_in_flight<hn::CappedTag<float, kTile>>(kTile);
    for (; g.cols - column >= kTile; column += kTile) {
      std::size_t row = first_row;
      for (; row + kRows <= last_row; row += kRows) {
        transposed_tile<kTile, kRows>(a, g, out, row, column, first, last);
      }
      for (; row < last_row; ++row) transposed_tile<kTile, 1>(a, g, out, row, column, first, last);
    }
  };
  tiles.template operator()<32>();
  tiles.template operator()<16>();
  tiles.template operator()<8>();
  tiles.template operator()<4>();
  tiles.template operator()<1>();
}

}  // namespace ppgnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ppgnn::kernels {

HWY_EXPORT(product_rows);
HWY_EXPORT(transposed_rows);

namespace {

// a^T g is cut by columns of `a` when there are many (a dense feature matrix: each task writes its own rows of
// out, so the cut changes no sum), and by rows of `a` when there are few (hidden activations: each task sums into
// its own copy).
constexpr std::size_t kManyColumns = 512;

bool cut_by_columns(std::size_t inner) noexcept {
  return inner >= kManyColumns;
}

}  // namespace

void add_in_order(std::span<const float> parts, std::size_t count, std::span<float> out) noexcept {
  std::copy_n(parts.begin(), out.size(), out.begin());
  for (std::size_t part = 1; part < count; ++part) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += parts[part * out.size() + i];
  }
}

void multiply(ConstMatrixView a, ConstMatrixView b, MatrixView out, const Threads& threads) {
  assert(a.cols == b.rows && out.rows == a.rows && out.cols == b.cols);
  for_row_blocks(a.rows, threads, [&](std::size_t, std::size_t first, std::size_t last) {
    HWY_DYNAMIC_DISPATCH(product_rows)(a, b, out, first, last);
  });
}

std::size_t multiply_transpose_scratch(std::size_t rows, std::size_t inner, std::size_t cols) noexcept {
  return cut_by_columns(inner) ? 0 : capped_product({tasks_of(rows, kRowsPerTask), inner, cols});
}

void multiply_transpose(ConstMatrixView a, ConstMatrixView g, MatrixView out, std::span<float> scratch,
                        const Threads& threads) {
  assert(a.rows == g.rows && out.rows == a.cols && out.cols == g.cols);
  assert(scratch.size() >= multiply_transpose_scratch(a.rows, a.cols, g.cols));
  if (a.rows == 0) {
    std::fill_n(out.data, out.size(), 0.0F);
  } else if (cut_by_columns(a.cols)) {
    const std::size_t per_task = tasks_of(a.cols, threads.count());
    threads.for_each(tasks_of(a.cols, per_task), [&](std::size_t task) {
      const std::size_t last = std::min(a.cols, (task + 1) * per_task);
      HWY_DYNAMIC_DISPATCH(transposed_rows)(a, g, out.data, 0, a.rows, task * per_task, last);
    });
  } else {
    for_row_blocks(a.rows, threads, [&](std::size_t task, std::size_t first, std::size_t last) {
      HWY_DYNAMIC_DISPATCH(transposed_rows)(a, g, scratch.data() + task * out.size(), first, last, 0, a.cols);
    });
    add_in_order(scratch, tasks_of(a.rows, kRowsPerTask), {out.data, out.size()});
  }
}

void transpose(ConstMatrixView a, MatrixView out) noexcept {
  assert(out.rows == a.cols && out.cols == a.rows);
  for (std::size_t row = 0; row < a.rows; ++row) {
    for (std::size_t column = 0; column < a.cols; ++column)
      out.data[column * a.rows + row] = a.data[row * a.cols + column];
  }
}

}  // namespace ppgnn::kernels
#endif
