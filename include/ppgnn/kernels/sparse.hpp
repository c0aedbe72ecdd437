#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/core/views.hpp"
#include "ppgnn/kernels/matrix.hpp"
#include "ppgnn/kernels/threads.hpp"

namespace ppgnn::kernels {

/// Which diagonal entries of value 1 a square sparse matrix has besides those it stores.
enum class Diagonal {
  none,
  empty_rows,  ///< rows that store nothing: an isolated node keeps its own row
  all,         ///< every row: self-loops without storing them
};

/// The numbers of a sparse matrix with pattern A: entry (i, j) is
///     row_scale[i] * (values[e] A_e(i,j) + [i = j and the diagonal has it]) * column_scale[j].
/// An empty span means all ones. Everything is borrowed.
struct SparseNumbers {
  std::span<const float> row_scale{};
  std::span<const float> column_scale{};
  std::span<const float> values{};  ///< one per stored entry, in storage order
  Diagonal diagonal = Diagonal::none;
};

/// Columns of a band: as many rows of 16 floats as a third-level cache holds beside the rest.
inline constexpr std::size_t kBandColumns = std::size_t{384} << 10;
/// A band as wide as any matrix.
inline constexpr std::size_t kOneBand = static_cast<std::size_t>(-1);

/// A sparse matrix ready to be multiplied: a checked pattern, its numbers, and its rows cut into blocks of equal work.
/// A pattern without values that has more columns than a band is kept a second time band by band, so that a product
/// reads from a part of x that the cache holds; in fewer, wider bands where rows have too few entries to share out.
///
/// Errors   make: mismatch, when offsets, columns or the numbers do not fit each other; invalid_argument for bands of
///          no columns.
/// Threads  Immutable; shared freely.
class SparseMatrix {
 public:
  /// The entries whose columns lie in one range, for all rows.
  struct Band {
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint32_t> columns;
  };

  SparseMatrix() = default;
  [[nodiscard]] static Result<SparseMatrix> make(CsrView pattern, const SparseNumbers& numbers,
                                                 std::size_t band_columns = kBandColumns);

  [[nodiscard]] std::size_t rows() const noexcept { return pattern_.rows(); }
  [[nodiscard]] std::size_t columns() const noexcept { return pattern_.num_columns; }
  [[nodiscard]] const CsrView& pattern() const noexcept { return pattern_; }
  [[nodiscard]] const SparseNumbers& numbers() const noexcept { return numbers_; }
  /// Block b is rows blocks()[b] .. blocks()[b + 1] - 1; cut by the pattern alone.
  [[nodiscard]] std::span<const std::size_t> blocks() const noexcept { return blocks_; }
  /// In ascending order of their columns; empty where the pattern is multiplied as it is.
  [[nodiscard]] std::span<const Band> bands() const noexcept {
    return bands_ ? std::span<const Band>(*bands_) : std::span<const Band>();
  }

 private:
  CsrView pattern_;
  SparseNumbers numbers_;
  std::vector<std::size_t> blocks_;
  std::shared_ptr<const std::vector<Band>> bands_;  // copies share them
};

/// y = S x for row-major dense x (columns x width) and y (rows x width), x and y apart.
///
/// Determinism  A row is summed by one thread in storage order: same bits for any thread count.
/// Cost         O((nonzeros + rows) * width); widths that are sums of 64, 32, 16, 8 and 4 run on vectors alone.
void multiply(const SparseMatrix& matrix, ConstPanel x, Panel y, const Threads& threads);

/// y[i, :] = (S x)[i, :] + vector, for i in `rows`, each once; where there are none, for all i. Other rows of y stay.
void multiply_plus(const SparseMatrix& matrix, ConstPanel x, std::span<const float> vector,
                   std::span<const std::uint32_t> rows, Panel y, const Threads& threads);

/// As `multiply` with other row and column scales than the matrix has: one pattern serves the hops of a chain.
void multiply_scaled(const SparseMatrix& matrix, std::span<const float> row_scale, std::span<const float> column_scale,
                     ConstPanel x, Panel y, const Threads& threads);

/// The transposed pattern, owning its memory, and where each of its entries stood in the original.
struct TransposedPattern {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> columns;
  std::vector<std::uint64_t> source;  ///< entry e of the transpose is entry source[e] of the original
  std::size_t num_columns = 0;

  [[nodiscard]] CsrView view() const noexcept { return {offsets, columns, num_columns}; }
};

/// Rows of the result are ascending, as CsrView promises. Cost O(nonzeros + rows + columns).
TransposedPattern transpose(const CsrView& pattern);

/// Whether a pattern is that of an undirected graph as the engine takes it: square, symmetric, no stored self-loops
/// (operators add their own).
///
/// Errors  invalid_argument, naming the first row that breaks a rule.
/// Cost    O(nonzeros + rows).
[[nodiscard]] Result<void> check_undirected(const CsrView& pattern);

}  // namespace ppgnn::kernels
