#include "ppgnn/kernels/sparse.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <string>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sparse.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef PPGNN_KERNELS_SPARSE_JOB
#define PPGNN_KERNELS_SPARSE_JOB
namespace ppgnn::kernels {

// Plain pointers of one product; null where the numbers are all ones.
struct SparseJob {
  const std::uint64_t* offsets;
  const std::uint32_t* columns;
  const float* row_scale;
  const float* column_scale;
  const float* values;
  const float* added;  // to every row, or null
  std::size_t nonzeros;
  Diagonal diagonal;
  const float* x;
  float* y;
  std::size_t x_stride;
  std::size_t y_stride;
  std::size_t width;
  bool prefetch;
  const std::uint32_t* rows;         // which ones, or null: all
  const std::uint64_t* row_offsets;  // of the whole pattern, also where the job is one band of it
  bool first_band;
  bool last_band;
};

}  // namespace ppgnn::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace ppgnn::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Entries ahead whose rows of x are fetched, found by trial: far ahead into the second-level cache, which has many more
// misses in flight than the first, and a few entries ahead from there into the first.
constexpr std::size_t kFarAhead = 256;
constexpr std::size_t kNearAhead = 8;
constexpr std::size_t kLineFloats = 16;

// y[i, c..c+kTile) = row_scale[i] * sum over j of values[e] column_scale[j] x[j, c..c+kTile), for rows first .. last-1, of all or
// of the job's list.
// The sum goes on in y from band to band; the last one adds the diagonal and scales.
template <std::size_t kTile, bool kWeighted, bool kPrefetch>
HWY_INLINE void sum_tile(const SparseJob& given, std::size_t first, std::size_t last, std::size_t column) {
  const SparseJob job = given;  // a copy that no store can alias stays in registers
  const hn::CappedTag<float, kTile> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  constexpr std::size_t kVectors = kTile / kLanes;
  // Two sums of alternate entries hide the latency of additions where a row of x is only one or two vectors.
  constexpr std::size_t kChains = kVectors <= 2 ? 2 : 1;
  const float* HWY_RESTRICT x = job.x + column;
  float* HWY_RESTRICT y = job.y + column;

  for (std::size_t i = first; i < last; ++i) {
    const std::size_t row = job.rows == nullptr ? i : job.rows[i];
    const std::size_t begin = job.offsets[row];
    const std::size_t end = job.offsets[row + 1];
    std::array<std::array<V, kVectors>, kChains> sum;
    for (auto& chain : sum) chain.fill(hn::Zero(d));
    if (!job.first_band) {
      for (std::size_t v = 0; v < kVectors; ++v) sum[0][v] = hn::LoadU(d, y + row * job.y_stride + v * kLanes);
    }
    const auto add = [&](std::array<V, kVectors>& to, std::size_t source, [[maybe_unused]] float weight) HWY_ATTR {
      const float* HWY_RESTRICT from = x + source * job.x_stride;
      for (std::size_t v = 0; v < kVectors; ++v) {
        const V loaded = hn::LoadU(d, from + v * kLanes);
        if constexpr (kWeighted) {
          to[v] = hn::MulAdd(hn::Set(d, weight), loaded, to[v]);
        } else {
          to[v] = hn::Add(to[v], loaded);
        }
      }
    };
    const auto add_entry = [&](std::array<V, kVectors>& to, std::size_t entry) HWY_ATTR {
      if constexpr (kPrefetch) {
        const float* far = x + job.columns[std::min(entry + kFarAhead, job.nonzeros - 1)] * job.x_stride;
        const float* near = x + job.columns[std::min(entry + kNearAhead, job.nonzeros - 1)] * job.x_stride;
        for (std::size_t line = 0; line < kTile; line += kLineFloats) {
          __builtin_prefetch(far + line, 0, 2);
          __builtin_prefetch(near + line, 0, 3);
        }
      }
      const std::size_t source = job.columns[entry];
      float weight = 1.0F;
      if constexpr (kWeighted) {
        if (job.values != nullptr) weight = job.values[entry];
        if (job.column_scale != nullptr) weight *= job.column_scale[source];
      }
      add(to, source, weight);
    };
    std::size_t entry = begin;
    for (; entry + kChains <= end; entry += kChains) {
      for (std::size_t chain = 0; chain < kChains; ++chain) add_entry(sum[chain], entry + chain);
    }
    for (; entry < end; ++entry) add_entry(sum[0], entry);
    if (job.last_band && (job.diagonal == Diagonal::all ||
                          (job.diagonal == Diagonal::empty_rows && job.row_offsets[row] == job.row_offsets[row + 1]))) {
      add(sum[kChains - 1], row, job.column_scale == nullptr ? 1.0F : job.column_scale[row]);
    }
    const V scale = hn::Set(d, job.row_scale == nullptr || !job.last_band ? 1.0F : job.row_scale[row]);
    for (std::size_t v = 0; v < kVectors; ++v) {
      V total = sum[0][v];
      if constexpr (kChains == 2) total = hn::Add(total, sum[1][v]);
      total = hn::Mul(scale, total);
      if (job.added != nullptr && job.last_band) total = hn::Add(total, hn::LoadU(d, job.added + column + v * kLanes));
      hn::StoreU(total, d, y + row * job.y_stride + v * kLanes);
    }
  }
}

template <bool kWeighted, bool kPrefetch>
void sum_rows(const SparseJob& job, std::size_t first, std::size_t last) {
  std::size_t column = 0;
  const auto tiles = [&]<std::size_t kTile>() HWY_ATTR {
    for (; job.width - column >= kTile; column += kTile) {
      sum_tile<kTile, kWeighted, kPrefetch>(job, first, last, column);
    }
  };
  // From memory, two passes of 32 columns leave each pass a better share of the cache than one of 64: found by trial.
  if constexpr (!kPrefetch) tiles.template operator()<64>();
  tiles.template operator()<32>();
  tiles.template operator()<16>();
  tiles.template operator()<8>();
  tiles.template operator()<4>();
  tiles.template operator()<1>();
}

void sparse_rows(const SparseJob& job, std::size_t first, std::size_t last) {
  const bool weighted = job.values != nullptr || job.column_scale != nullptr;
  if (weighted) {
    job.prefetch ? sum_rows<true, true>(job, first, last) : sum_rows<true, false>(job, first, last);
  } else {
    job.prefetch ? sum_rows<false, true>(job, first, last) : sum_rows<false, false>(job, first, last);
  }
}

}  // namespace ppgnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ppgnn::kernels {

HWY_EXPORT(sparse_rows);

namespace {

// Entries and rows of one block; small enough to balance, large enough that starting a task costs nothing.
constexpr std::size_t kWorkPerBlock = 16384;
// Below this many bytes of x the caches hold it and prefetching only costs.
constexpr std::size_t kCachedBytes = std::size_t{8} << 20;
// Every band reads and writes all of y: with fewer entries a row than this it costs more than it saves.
constexpr std::size_t kEntriesPerBand = 6;
// No band of a wider x stays in the cache.
constexpr std::size_t kBandedWidth = 32;

Error misfit(const char* what, std::size_t found, std::size_t wanted) {
  return {ErrorCode::mismatch,
          std::string(what) + " has " + std::to_string(found) + " entries, expected " + std::to_string(wanted)};
}

// The pattern cut into `count` ranges of columns.
std::vector<SparseMatrix::Band> bands_of(const CsrView& pattern, std::size_t count) {
  const std::size_t width = (pattern.num_columns + count - 1) / count;
  std::vector<SparseMatrix::Band> bands(count);
  std::vector<std::size_t> sizes(count, 0);
  for (const std::uint32_t column : pattern.columns) ++sizes[column / width];
  for (std::size_t i = 0; i < count; ++i) {
    bands[i].columns.reserve(sizes[i]);
    bands[i].offsets.reserve(pattern.rows() + 1);
    bands[i].offsets.push_back(0);
  }
  for (std::size_t row = 0; row < pattern.rows(); ++row) {
    for (const std::uint32_t column : pattern.row(row)) bands[column / width].columns.push_back(column);
    for (SparseMatrix::Band& band : bands) band.offsets.push_back(band.columns.size());
  }
  return bands;
}

// y = S x with these scales, and `added` to every row; only `rows`, unless there are none.
void product(const SparseMatrix& matrix, std::span<const float> row_scale, std::span<const float> column_scale,
             std::span<const float> added, std::span<const std::uint32_t> rows, ConstPanel x, Panel y,
             const Threads& threads) {
  assert(x.rows == matrix.columns() && y.rows == matrix.rows() && x.cols == y.cols);
  assert(row_scale.empty() || row_scale.size() == matrix.rows());
  assert(column_scale.empty() || column_scale.size() == matrix.columns());
  SparseJob job{.offsets = matrix.pattern().offsets.data(),
                .columns = matrix.pattern().columns.data(),
                .row_scale = row_scale.empty() ? nullptr : row_scale.data(),
                .column_scale = column_scale.empty() ? nullptr : column_scale.data(),
                .values = matrix.numbers().values.empty() ? nullptr : matrix.numbers().values.data(),
                .added = added.empty() ? nullptr : added.data(),
                .nonzeros = matrix.pattern().nonzeros(),
                .diagonal = matrix.numbers().diagonal,
                .x = x.data,
                .y = y.data,
                .x_stride = x.stride,
                .y_stride = y.stride,
                .width = x.cols,
                .prefetch = x.rows * x.stride * sizeof(float) > kCachedBytes,
                .rows = rows.empty() ? nullptr : rows.data(),
                .row_offsets = matrix.pattern().offsets.data(),
                .first_band = true,
                .last_band = true};
  const std::span<const std::size_t> blocks = matrix.blocks();
  if (blocks.size() < 2) return;
  const auto run = [&] {
    if (!rows.empty()) {
      for_row_blocks(rows.size(), threads, [&](std::size_t, std::size_t first, std::size_t last) {
        HWY_DYNAMIC_DISPATCH(sparse_rows)(job, first, last);
      });
      return;
    }
    threads.for_each(blocks.size() - 1, [&](std::size_t block) {
      HWY_DYNAMIC_DISPATCH(sparse_rows)(job, blocks[block], blocks[block + 1]);
    });
  };
  if (matrix.bands().empty() || x.cols > kBandedWidth) return run();
  for (const SparseMatrix::Band& band : matrix.bands()) {
    job.offsets = band.offsets.data();
    job.columns = band.columns.data();
    job.nonzeros = band.columns.size();
    job.first_band = &band == &matrix.bands().front();
    job.last_band = &band == &matrix.bands().back();
    run();
  }
}

}  // namespace

Result<SparseMatrix> SparseMatrix::make(CsrView pattern, const SparseNumbers& numbers, std::size_t band_columns) {
  const std::size_t rows = pattern.rows();
  const auto fits = [](std::span<const float> numbers_of, std::size_t wanted) {
    return numbers_of.empty() || numbers_of.size() == wanted;
  };
  if (pattern.offsets.empty() ? pattern.nonzeros() != 0
                              : pattern.offsets.front() != 0 || pattern.offsets.back() != pattern.nonzeros()) {
    return Error{ErrorCode::mismatch, "offsets of a sparse matrix do not span its entries"};
  }
  if (!std::is_sorted(pattern.offsets.begin(), pattern.offsets.end())) {
    return Error{ErrorCode::mismatch, "offsets of a sparse matrix descend"};
  }
  for (const std::uint32_t column : pattern.columns) {
    if (column >= pattern.num_columns) {
      return Error{ErrorCode::mismatch, "sparse matrix of " + std::to_string(pattern.num_columns) +
                                            " columns has an entry in column " + std::to_string(column)};
    }
  }
  if (!fits(numbers.row_scale, rows)) return misfit("row_scale", numbers.row_scale.size(), rows);
  if (!fits(numbers.column_scale, pattern.num_columns)) {
    return misfit("column_scale", numbers.column_scale.size(), pattern.num_columns);
  }
  if (!fits(numbers.values, pattern.nonzeros())) return misfit("values", numbers.values.size(), pattern.nonzeros());
  if (numbers.diagonal != Diagonal::none && rows != pattern.num_columns) {
    return misfit("a sparse matrix with a diagonal", rows, pattern.num_columns);
  }

  if (band_columns == 0) return Error{ErrorCode::invalid_argument, "band_columns must be at least 1"};

  SparseMatrix matrix;
  matrix.pattern_ = pattern;
  matrix.numbers_ = numbers;
  matrix.blocks_.push_back(0);
  std::size_t work = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    work += pattern.offsets[row + 1] - pattern.offsets[row] + 1;
    if (work >= kWorkPerBlock || row + 1 == rows) {
      matrix.blocks_.push_back(row + 1);
      work = 0;
    }
  }
  if (numbers.values.empty() && pattern.num_columns > band_columns && rows > 0) {
    const std::size_t count =
        std::min((pattern.num_columns - 1) / band_columns + 1, pattern.nonzeros() / (rows * kEntriesPerBand));
    if (count > 1) matrix.bands_ = std::make_shared<const std::vector<Band>>(bands_of(pattern, count));
  }
  return matrix;
}

void multiply(const SparseMatrix& matrix, ConstPanel x, Panel y, const Threads& threads) {
  product(matrix, matrix.numbers().row_scale, matrix.numbers().column_scale, {}, {}, x, y, threads);
}

void multiply_plus(const SparseMatrix& matrix, ConstPanel x, std::span<const float> vector,
                   std::span<const std::uint32_t> rows, Panel y, const Threads& threads) {
  assert(vector.size() == y.cols);
  product(matrix, matrix.numbers().row_scale, matrix.numbers().column_scale, vector, rows, x, y, threads);
}

void multiply_scaled(const SparseMatrix& matrix, std::span<const float> row_scale, std::span<const float> column_scale,
                     ConstPanel x, Panel y, const Threads& threads) {
  product(matrix, row_scale, column_scale, {}, {}, x, y, threads);
}

TransposedPattern transpose(const CsrView& pattern) {
  TransposedPattern result;
  result.num_columns = pattern.rows();
  result.offsets.assign(pattern.num_columns + 1, 0);
  result.columns.resize(pattern.nonzeros());
  result.source.resize(pattern.nonzeros());
  for (const std::uint32_t column : pattern.columns) ++result.offsets[column + 1];
  for (std::size_t column = 0; column < pattern.num_columns; ++column) {
    result.offsets[column + 1] += result.offsets[column];
  }
  std::vector<std::uint64_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (std::size_t row = 0; row < pattern.rows(); ++row) {
    for (std::size_t entry = pattern.offsets[row]; entry < pattern.offsets[row + 1]; ++entry) {
      const std::uint64_t place = next[pattern.columns[entry]]++;
      result.columns[place] = static_cast<std::uint32_t>(row);
      result.source[place] = entry;
    }
  }
  return result;
}

Result<void> check_undirected(const CsrView& pattern) {
  if (pattern.rows() != pattern.num_columns) return misfit("an undirected graph", pattern.rows(), pattern.num_columns);
  // Rows ascend, so in a symmetric pattern the entries of row j are asked for in the order they are stored.
  std::vector<std::uint64_t> next;
  if (!pattern.offsets.empty()) next.assign(pattern.offsets.begin(), pattern.offsets.end() - 1);
  for (std::size_t row = 0; row < pattern.rows(); ++row) {
    for (const std::uint32_t column : pattern.row(row)) {
      if (column == row) {
        return Error{ErrorCode::invalid_argument, "graph stores a self-loop at node " + std::to_string(row)};
      }
      std::uint64_t& place = next[column];
      if (place == pattern.offsets[column + 1] || pattern.columns[place] != row) {
        return Error{ErrorCode::invalid_argument, "graph is not symmetric: node " + std::to_string(row) + " names " +
                                                      std::to_string(column) + " but not the reverse"};
      }
      ++place;
    }
  }
  return {};
}

}  // namespace ppgnn::kernels
#endif
