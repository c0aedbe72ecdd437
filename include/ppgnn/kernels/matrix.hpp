#pragma once

#include <cassert>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "ppgnn/core/views.hpp"

namespace ppgnn::kernels {

struct Panel;

/// Some neighbouring columns of a dense row-major matrix that somebody else owns; a whole matrix is one too.
struct ConstPanel {
  const float* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t stride = 0;  ///< floats from one row to the next

  ConstPanel(ConstMatrixView matrix) noexcept : ConstPanel(matrix, 0, matrix.cols) {}
  ConstPanel(MatrixView matrix) noexcept : ConstPanel(ConstMatrixView(matrix)) {}
  ConstPanel(const Panel& panel) noexcept;
  ConstPanel(ConstMatrixView matrix, std::size_t first, std::size_t count) noexcept
      : data(matrix.data + first), rows(matrix.rows), cols(count), stride(matrix.cols) {
    assert(first + count <= matrix.cols);
  }
};

/// As ConstPanel, writable.
struct Panel {
  float* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t stride = 0;

  Panel(MatrixView matrix) noexcept : Panel(matrix, 0, matrix.cols) {}
  Panel(MatrixView matrix, std::size_t first, std::size_t count) noexcept
      : data(matrix.data + first), rows(matrix.rows), cols(count), stride(matrix.cols) {
    assert(first + count <= matrix.cols);
  }
};

inline ConstPanel::ConstPanel(const Panel& panel) noexcept
    : data(panel.data), rows(panel.rows), cols(panel.cols), stride(panel.stride) {}

/// A dense row-major matrix of floats that owns its memory, zero when made.
///
/// Cost    Aligned to a cache line. From 2 MB on it is aligned to and advised for huge pages: random row access in SpMM
///         is otherwise limited by address translation.
/// Errors  std::bad_alloc where there is not so much memory; std::bad_array_new_length, one of its kind, where the size
///         is beyond what can be addressed.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t cols);
  Matrix(Matrix&& other) noexcept
      : data_(std::move(other.data_)), rows_(std::exchange(other.rows_, 0)), cols_(std::exchange(other.cols_, 0)) {}
  Matrix& operator=(Matrix&& other) noexcept {
    data_ = std::move(other.data_);
    rows_ = std::exchange(other.rows_, 0);
    cols_ = std::exchange(other.cols_, 0);
    return *this;
  }

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t cols() const noexcept { return cols_; }
  [[nodiscard]] std::size_t size() const noexcept { return rows_ * cols_; }
  [[nodiscard]] MatrixView view() noexcept { return {data_.get(), rows_, cols_}; }
  [[nodiscard]] ConstMatrixView view() const noexcept { return {data_.get(), rows_, cols_}; }
  [[nodiscard]] std::span<float> values() noexcept { return {data_.get(), size()}; }
  [[nodiscard]] std::span<const float> values() const noexcept { return {data_.get(), size()}; }

 private:
  struct Free {
    std::size_t alignment;
    void operator()(float* data) const noexcept;
  };

  std::unique_ptr<float[], Free> data_{nullptr, Free{0}};
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
};

}  // namespace ppgnn::kernels
