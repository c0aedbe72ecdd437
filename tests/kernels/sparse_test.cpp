#include "ppgnn/kernels/sparse.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "ppgnn/kernels/dense.hpp"
#include "ppgnn/kernels/instruction_set.hpp"
#include "support/graphs.hpp"
#include "support/kernels_reference.hpp"

namespace ppgnn::kernels {
namespace {

using test::pattern_of;
using test::random_graph;
using test::random_matrix;
using test::random_pattern;

// Sums of up to a few hundred terms of size 1 in float against double.
constexpr double kSparseTolerance = 2e-5;

Matrix product(const SparseMatrix& matrix, const Matrix& x, const Threads& threads = Threads(1)) {
  Matrix y = random_matrix(matrix.rows(), x.cols(), 99);  // what was there must not matter
  multiply(matrix, x.view(), y.view(), threads);
  return y;
}

TEST(Sparse, HandComputedFourNodes) {
  // 0 - 1 - 2, 3 isolated.
  const auto pattern = pattern_of({{1}, {0, 2}, {1}, {}}, 4);
  Matrix x(4, 1);
  std::copy_n(std::vector<float>{1, 10, 100, 1000}.begin(), 4, x.values().begin());
  const auto run = [&](SparseNumbers numbers) {
    const auto matrix = SparseMatrix::make(pattern.view(), numbers);
    EXPECT_TRUE(matrix.ok());
    const Matrix y = product(*matrix, x);
    return std::vector<float>(y.values().begin(), y.values().end());
  };
  EXPECT_EQ(run({}), (std::vector<float>{10, 101, 10, 0}));
  EXPECT_EQ(run({.diagonal = Diagonal::empty_rows}), (std::vector<float>{10, 101, 10, 1000}));
  EXPECT_EQ(run({.diagonal = Diagonal::all}), (std::vector<float>{11, 111, 110, 1000}));
  const std::vector<float> rows{2, 3, 5, 7};
  const std::vector<float> columns{1, 2, 3, 4};
  const std::vector<float> values{1, -1, 1, 2};
  EXPECT_EQ(run({.row_scale = rows, .diagonal = Diagonal::all}), (std::vector<float>{22, 333, 550, 7000}));
  EXPECT_EQ(run({.column_scale = columns, .diagonal = Diagonal::all}), (std::vector<float>{21, 321, 320, 4000}));
  EXPECT_EQ(run({.values = values}), (std::vector<float>{10, 99, 20, 0}));
  EXPECT_EQ(run({.row_scale = rows, .column_scale = columns, .values = values, .diagonal = Diagonal::empty_rows}),
            (std::vector<float>{40, 897, 200, 28000}));
}

TEST(Sparse, AgreesWithTheReferenceOnEveryInstructionSetAndWidth) {
  const auto graph = random_graph(300, 2000, 1);
  const auto scale = random_matrix(300, 1, 2);
  const auto other_scale = random_matrix(300, 1, 3);
  const auto values = random_matrix(graph.columns.size(), 1, 4);
  const std::vector<SparseNumbers> cases{
      {},
      {.row_scale = scale.values(), .diagonal = Diagonal::all},
      {.row_scale = scale.values(), .column_scale = other_scale.values(), .diagonal = Diagonal::empty_rows},
      {.values = values.values()},
      {.column_scale = scale.values(), .values = values.values(), .diagonal = Diagonal::all}};
  EXPECT_GE(instruction_sets().size(), 2u);
  for (const std::string& name : instruction_sets()) {
    const OnlyInstructionSet only(name);
    ASSERT_EQ(instruction_set(), name);
    for (const std::size_t width : {1u, 2u, 3u, 4u, 7u, 8u, 12u, 16u, 18u, 20u, 32u, 33u, 64u, 100u, 127u}) {
      const Matrix x = random_matrix(300, width, 5);
      for (const SparseNumbers& numbers : cases) {
        const auto matrix = SparseMatrix::make(graph.view(), numbers);
        ASSERT_TRUE(matrix.ok());
        EXPECT_LT(
            reference::largest_difference(product(*matrix, x).view(), reference::multiply(*matrix, x.view()).view()),
            kSparseTolerance)
            << name << " width " << width;
      }
    }
  }
}

// In one pass as in two, bit for bit: also from band to band.
TEST(Sparse, PlusAVectorIsTheProductAndThenTheVector) {
  const auto graph = random_graph(500, 6000, 1);
  const auto scale = random_matrix(500, 1, 2);
  for (const std::string& name : instruction_sets()) {
    const OnlyInstructionSet only(name);
    for (const std::size_t band : {kBandColumns, std::size_t{100}}) {
      for (const std::size_t width : {3u, 16u, 36u}) {
        const auto matrix =
            SparseMatrix::make(graph.view(), {.row_scale = scale.values(), .diagonal = Diagonal::all}, band);
        ASSERT_EQ(matrix->bands().size() > 1, band == 100);
        const Matrix x = random_matrix(500, width, 5);
        const Matrix vector = random_matrix(1, width, 6);
        Matrix two = product(*matrix, x);
        add_to_rows(vector.values(), two.view(), Threads(1));
        Matrix one = random_matrix(500, width, 7);
        multiply_plus(*matrix, x.view(), vector.values(), {}, one.view(), Threads(3));
        EXPECT_TRUE(std::equal(one.values().begin(), one.values().end(), two.values().begin())) << name << width;
        // Of some rows alone: these, and nothing else.
        Matrix some(500, width);
        const std::vector<std::uint32_t> rows{0, 3, 4, 499};
        multiply_plus(*matrix, x.view(), vector.values(), rows, some.view(), Threads(3));
        for (std::uint32_t row = 0; row < 500; ++row) {
          const bool listed = std::find(rows.begin(), rows.end(), row) != rows.end();
          const auto expected = two.view().row(row);
          const auto found = some.view().row(row);
          EXPECT_TRUE(listed ? std::equal(found.begin(), found.end(), expected.begin())
                             : std::all_of(found.begin(), found.end(), [](float value) { return value == 0; }))
              << name << ' ' << width << ' ' << row;
        }
      }
    }
  }
}

TEST(Sparse, PrefetchingPathAgreesToo) {
  const auto graph = random_graph(40000, 90000, 6);
  const auto matrix = SparseMatrix::make(graph.view(), {.diagonal = Diagonal::all});
  ASSERT_TRUE(matrix.ok());
  const Matrix x = random_matrix(40000, 64, 7);
  EXPECT_LT(reference::largest_difference(product(*matrix, x).view(), reference::multiply(*matrix, x.view()).view()),
            1e-4);
}

TEST(Sparse, BandsAgreeToo) {
  // 0 to 60 entries a row, so that some rows miss some bands: bands of 100 columns give three; of 20 columns four, of
  // more than six entries a row each.
  const auto graph = random_pattern(300, 300, 60, 15);
  const auto scale = random_matrix(300, 1, 2);
  const auto other_scale = random_matrix(300, 1, 3);
  const std::vector<SparseNumbers> cases{
      {},
      {.row_scale = scale.values(), .diagonal = Diagonal::all},
      {.row_scale = scale.values(), .column_scale = other_scale.values(), .diagonal = Diagonal::empty_rows}};
  for (const auto& [band_columns, count] : {std::pair(100, 3), std::pair(20, 4), std::pair(299, 2)}) {
    for (const SparseNumbers& numbers : cases) {
      const auto matrix = SparseMatrix::make(graph.view(), numbers, static_cast<std::size_t>(band_columns));
      ASSERT_TRUE(matrix.ok());
      ASSERT_EQ(matrix->bands().size(), static_cast<std::size_t>(count));
      std::size_t entries = 0;
      for (const SparseMatrix::Band& band : matrix->bands()) entries += band.columns.size();
      EXPECT_EQ(entries, graph.columns.size());
      for (const std::size_t width : {1u, 7u, 16u, 32u, 33u}) {
        const Matrix x = random_matrix(300, width, 5);
        EXPECT_LT(
            reference::largest_difference(product(*matrix, x).view(), reference::multiply(*matrix, x.view()).view()),
            kSparseTolerance)
            << band_columns << " columns a band, width " << width;
      }
    }
  }
}

TEST(Sparse, BandsAgreeWherePrefetchingToo) {
  const auto pattern = random_pattern(3000, 150000, 40, 16);
  const auto matrix = SparseMatrix::make(pattern.view(), {}, 50000);
  ASSERT_EQ(matrix->bands().size(), 3u);
  const Matrix x = random_matrix(150000, 16, 17);
  const Matrix expected = reference::multiply(*matrix, x.view());
  for (const std::string& name : instruction_sets()) {
    const OnlyInstructionSet only(name);
    EXPECT_LT(reference::largest_difference(product(*matrix, x).view(), expected.view()), kSparseTolerance) << name;
  }
}

TEST(Sparse, BandsOnlyWhereTheyPay) {
  const auto graph = random_graph(300, 4500, 15);
  const auto values = random_matrix(graph.columns.size(), 1, 4);
  EXPECT_TRUE(SparseMatrix::make(graph.view(), {})->bands().empty());
  EXPECT_TRUE(SparseMatrix::make(graph.view(), {}, 300)->bands().empty());
  EXPECT_TRUE(SparseMatrix::make(graph.view(), {}, kOneBand)->bands().empty());
  EXPECT_FALSE(SparseMatrix::make(graph.view(), {}, 0).ok());
  // Values are the caller's and may change: a copy of them would go stale.
  EXPECT_TRUE(SparseMatrix::make(graph.view(), {.values = values.values()}, 100)->bands().empty());
  EXPECT_TRUE(SparseMatrix::make(random_graph(300, 1200, 15).view(), {}, 100)->bands().empty());
}

TEST(Sparse, PanelsOfAWiderMatrix) {
  const auto graph = random_graph(200, 900, 8);
  const auto matrix = SparseMatrix::make(graph.view(), {});
  const Matrix x = random_matrix(200, 32, 9);
  Matrix left(200, 16);
  for (std::size_t row = 0; row < 200; ++row)
    std::copy_n(x.view().row(row).begin() + 16, 16, left.view().row(row).begin());
  Matrix y = random_matrix(200, 48, 10);
  const Matrix before = random_matrix(200, 48, 10);
  multiply(*matrix, ConstPanel(x.view(), 16, 16), Panel(y.view(), 32, 16), Threads(1));
  const Matrix expected = product(*matrix, left);
  for (std::size_t row = 0; row < 200; ++row) {
    EXPECT_TRUE(test::same_bits<float>(y.view().row(row).subspan(32), expected.view().row(row)));
    EXPECT_TRUE(test::same_bits<float>(y.view().row(row).first(32), before.view().row(row).first(32)));
  }
}

TEST(Sparse, TransposeIsTheTranspose) {
  const auto pattern = random_pattern(150, 90, 12, 11);
  const auto values = random_matrix(pattern.columns.size(), 1, 12);
  const TransposedPattern turned = transpose(pattern.view());
  std::vector<float> turned_values;
  for (const std::uint64_t entry : turned.source) turned_values.push_back(values.values()[entry]);
  const auto forward = SparseMatrix::make(pattern.view(), {.values = values.values()});
  const auto backward = SparseMatrix::make(turned.view(), {.values = turned_values});
  ASSERT_TRUE(forward.ok() && backward.ok());
  // S times the identity is S itself.
  const auto dense = [](const SparseMatrix& matrix) {
    Matrix identity(matrix.columns(), matrix.columns());
    for (std::size_t i = 0; i < matrix.columns(); ++i) identity.view().row(i)[i] = 1;
    return product(matrix, identity);
  };
  const Matrix a = dense(*forward);
  const Matrix b = dense(*backward);
  for (std::size_t row = 0; row < a.rows(); ++row) {
    for (std::size_t column = 0; column < a.cols(); ++column) {
      ASSERT_EQ(a.view().row(row)[column], b.view().row(column)[row]);
    }
  }
  for (std::size_t row = 0; row < turned.view().rows(); ++row) {
    const auto list = turned.view().row(row);
    EXPECT_TRUE(std::is_sorted(list.begin(), list.end()));
  }
}

TEST(Sparse, EmptyAndTinyShapes) {
  const CsrView nothing;
  const auto empty = SparseMatrix::make(nothing, {});
  ASSERT_TRUE(empty.ok());
  multiply(*empty, Matrix(0, 16).view(), Matrix(0, 16).view(), Threads(2));
  const auto one = pattern_of({{}}, 1);
  const auto single = SparseMatrix::make(one.view(), {.diagonal = Diagonal::empty_rows});
  const Matrix x = random_matrix(1, 16, 13);
  EXPECT_TRUE(test::same_bits(product(*single, x), x));
  const auto loop = pattern_of({{0}}, 1);
  EXPECT_TRUE(test::same_bits(product(*SparseMatrix::make(loop.view(), {}), x), x));
}

TEST(Sparse, RefusesWhatDoesNotFit) {
  const auto graph = pattern_of({{1}, {0}}, 2);
  const std::vector<float> three{1, 2, 3};
  EXPECT_FALSE(SparseMatrix::make(graph.view(), {.row_scale = three}).ok());
  EXPECT_FALSE(SparseMatrix::make(graph.view(), {.column_scale = three}).ok());
  EXPECT_FALSE(SparseMatrix::make(graph.view(), {.values = three}).ok());
  EXPECT_FALSE(SparseMatrix::make(pattern_of({{2}, {0}}, 2).view(), {}).ok());
  EXPECT_FALSE(SparseMatrix::make(pattern_of({{0}}, 2).view(), {.diagonal = Diagonal::all}).ok());
  auto descending = graph;
  descending.offsets = {0, 3, 2};
  EXPECT_FALSE(SparseMatrix::make(descending.view(), {}).ok());
  auto short_offsets = graph;
  short_offsets.offsets.back() = 1;
  const auto refused = SparseMatrix::make(short_offsets.view(), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::mismatch);
}

TEST(Sparse, ChecksThatAGraphIsUndirected) {
  EXPECT_TRUE(check_undirected(random_graph(300, 2000, 1).view()).ok());
  EXPECT_TRUE(check_undirected(CsrView{}).ok());
  EXPECT_TRUE(check_undirected(pattern_of({{}, {}}, 2).view()).ok());
  EXPECT_FALSE(check_undirected(pattern_of({{1}, {}}, 2).view()).ok());
  EXPECT_FALSE(check_undirected(pattern_of({{}, {0}}, 2).view()).ok());
  EXPECT_FALSE(check_undirected(pattern_of({{1}, {2}, {0}}, 3).view()).ok());
  EXPECT_FALSE(check_undirected(pattern_of({{1}}, 2).view()).ok());
  const auto loop = check_undirected(pattern_of({{1}, {0, 1}}, 2).view());
  ASSERT_FALSE(loop.ok());
  EXPECT_EQ(loop.error().message, "graph stores a self-loop at node 1");
}

TEST(Sparse, BlocksCoverAllRowsWithBalancedWork) {
  const auto graph = random_graph(30000, 200000, 14);
  const auto matrix = SparseMatrix::make(graph.view(), {});
  const auto blocks = matrix->blocks();
  EXPECT_EQ(blocks.front(), 0u);
  EXPECT_EQ(blocks.back(), 30000u);
  EXPECT_TRUE(std::is_sorted(blocks.begin(), blocks.end()));
  EXPECT_GT(blocks.size(), 14u);
}

}  // namespace
}  // namespace ppgnn::kernels
