#include "ppgnn/kernels/matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <new>

namespace ppgnn::kernels {
namespace {

TEST(Matrix, IsZeroAlignedAndMovable) {
  for (const std::size_t rows : {1u, 100u, 70000u}) {
    Matrix matrix(rows, 9);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(matrix.view().data) % 64, 0u);
    EXPECT_TRUE(std::all_of(matrix.values().begin(), matrix.values().end(), [](float v) { return v == 0; }));
    matrix.values().back() = 3;
    const float* data = matrix.view().data;
    const Matrix moved = std::move(matrix);
    EXPECT_EQ(moved.view().data, data);
    EXPECT_EQ(moved.values().back(), 3.0F);
    EXPECT_EQ(moved.view().row(rows - 1)[8], 3.0F);
  }
  EXPECT_EQ(Matrix().size(), 0u);
  EXPECT_EQ(Matrix(0, 5).cols(), 5u);
}

// Sizes that wrap would be small arrays written as large ones.
TEST(Matrix, ASizeThatCannotBeIsOutOfMemory) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(Matrix(kMost, 2), std::bad_alloc);
  EXPECT_THROW(Matrix(std::size_t{1} << 32, std::size_t{1} << 32), std::bad_alloc);
  EXPECT_THROW(Matrix(std::size_t{1} << 62, 4), std::bad_alloc);
  EXPECT_THROW(Matrix(1, kMost / 4), std::bad_alloc);
  EXPECT_EQ(Matrix(kMost, 0).size(), 0u);
}

}  // namespace
}  // namespace ppgnn::kernels
