#include "ppgnn/kernels/dense.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "ppgnn/kernels/instruction_set.hpp"
#include "support/graphs.hpp"
#include "support/kernels_reference.hpp"

namespace ppgnn::kernels {
namespace {

using test::random_matrix;

// Sums of up to 5,000 products of numbers below 1 in float against double.
constexpr double kDenseTolerance = 1e-4;

using Shape = std::tuple<std::size_t, std::size_t, std::size_t>;
const std::vector<Shape> kShapes{{1, 1, 1},    {5, 3, 2},      {64, 16, 4},   {100, 16, 7}, {333, 20, 18},
                                 {50, 16, 33}, {5000, 16, 16}, {61, 700, 16}, {19, 600, 5}, {17, 513, 64}};

TEST(Dense, ProductsAgreeWithTheReferenceOnEveryInstructionSet) {
  for (const std::string& name : instruction_sets()) {
    const OnlyInstructionSet only(name);
    for (const auto& [rows, inner, cols] : kShapes) {
      const Matrix a = random_matrix(rows, inner, 1);
      const Matrix b = random_matrix(inner, cols, 2);
      const Matrix g = random_matrix(rows, cols, 3);
      Matrix out = random_matrix(rows, cols, 4);
      multiply(a.view(), b.view(), out.view(), Threads(1));
      EXPECT_LT(reference::largest_difference(out.view(), reference::multiply(a.view(), b.view()).view()),
                kDenseTolerance)
          << name << ' ' << rows << ' ' << inner << ' ' << cols;

      Matrix turned = random_matrix(inner, cols, 5);
      std::vector<float> scratch(multiply_transpose_scratch(rows, inner, cols), 7.0F);
      multiply_transpose(a.view(), g.view(), turned.view(), scratch, Threads(1));
      EXPECT_LT(reference::largest_difference(turned.view(), reference::multiply_transpose(a.view(), g.view()).view()),
                kDenseTolerance)
          << name << ' ' << rows << ' ' << inner << ' ' << cols;
    }
  }
}

TEST(Dense, NoRowsGiveZeroGradients) {
  Matrix out = random_matrix(4, 3, 1);
  std::vector<float> scratch(64, 1.0F);
  multiply_transpose(Matrix(0, 4).view(), Matrix(0, 3).view(), out.view(), scratch, Threads(1));
  for (const float value : out.values()) EXPECT_EQ(value, 0.0F);
  std::vector<float> sums(3, 1.0F);
  column_sums(Matrix(0, 3).view(), sums, scratch, Threads(1));
  EXPECT_EQ(sums, std::vector<float>(3, 0.0F));
}

TEST(Dense, ElementwiseHelpers) {
  Matrix x(2, 3);
  for (std::size_t i = 0; i < 6; ++i) x.values()[i] = static_cast<float>(i + 1);  // 1 2 3 / 4 5 6
  const Threads one(1);
  const auto values = [](const Matrix& m) { return std::vector<float>(m.values().begin(), m.values().end()); };

  Matrix turned(3, 2);
  transpose(x.view(), turned.view());
  EXPECT_EQ(values(turned), (std::vector<float>{1, 4, 2, 5, 3, 6}));

  std::vector<float> sums(3);
  std::vector<float> scratch(column_sums_scratch(2, 3));
  column_sums(x.view(), sums, scratch, one);
  EXPECT_EQ(sums, (std::vector<float>{5, 7, 9}));

  Matrix y(2, 3);
  copy(x.view(), y.view(), one);
  add(x.view(), y.view(), one);
  add_to_rows(std::vector<float>{10, 20, 30}, y.view(), one);
  EXPECT_EQ(values(y), (std::vector<float>{12, 24, 36, 18, 30, 42}));

  scale_rows(std::vector<float>{2, -1}, x.view(), y.view(), one);
  EXPECT_EQ(values(y), (std::vector<float>{2, 4, 6, -4, -5, -6}));
  scale_rows({}, x.view(), y.view(), one);
  EXPECT_EQ(values(y), values(x));

  add_to_rows(std::vector<float>{1, 0, -1}, x.view(), y.view(), one);
  EXPECT_EQ(values(y), (std::vector<float>{2, 2, 2, 5, 5, 5}));
  copy(x.view(), y.view(), one);

  // The two right columns only.
  add(ConstPanel(x.view(), 0, 2), Panel(y.view(), 1, 2), one);
  EXPECT_EQ(values(y), (std::vector<float>{1, 3, 5, 4, 9, 11}));
}

}  // namespace
}  // namespace ppgnn::kernels
