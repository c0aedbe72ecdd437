#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ppgnn {

/// A dense row-major matrix of floats that somebody else owns; rows follow each other without gaps.
struct ConstMatrixView {
  const float* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;

  [[nodiscard]] std::span<const float> row(std::size_t index) const noexcept {
    assert(index < rows);
    return {data + index * cols, cols};
  }
  [[nodiscard]] std::size_t size() const noexcept { return rows * cols; }
};

/// As ConstMatrixView, writable.
struct MatrixView {
  float* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;

  operator ConstMatrixView() const noexcept { return {data, rows, cols}; }
  [[nodiscard]] std::span<float> row(std::size_t index) const noexcept {
    assert(index < rows);
    return {data + index * cols, cols};
  }
  [[nodiscard]] std::size_t size() const noexcept { return rows * cols; }
};

/// The pattern of a compressed sparse row matrix that somebody else owns: row r holds
/// columns[offsets[r]] .. columns[offsets[r + 1] - 1], ascending and without repeats.
struct CsrView {
  std::span<const std::uint64_t> offsets;  ///< rows + 1 entries, from 0 to columns.size()
  std::span<const std::uint32_t> columns;
  std::size_t num_columns = 0;

  [[nodiscard]] std::size_t rows() const noexcept { return offsets.empty() ? 0 : offsets.size() - 1; }
  [[nodiscard]] std::size_t nonzeros() const noexcept { return columns.size(); }
  [[nodiscard]] std::span<const std::uint32_t> row(std::size_t index) const noexcept {
    assert(index < rows());
    return columns.subspan(offsets[index], offsets[index + 1] - offsets[index]);
  }
};

}  // namespace ppgnn
