#include "ppgnn/calibrate/feature_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "ppgnn/kernels/sparse.hpp"
#include "support/dense_features.hpp"
#include "support/graphs.hpp"

namespace ppgnn::calibrate {
namespace {

TEST(FeatureMatrix, OfCleanFeaturesFillsInAbsentEntriesOnBothScales) {
  const auto pattern = test::random_pattern(20, 9, 4, 1);
  const auto features = graph::Features::make(*graph::Csr::make(pattern.offsets, pattern.columns, 9), {},
                                              graph::FeatureSchema::binary(9, graph::SchemaOrigin::declared));
  ASSERT_TRUE(features.ok());
  for (const graph::FeatureScale scale : {graph::FeatureScale::raw, graph::FeatureScale::unit}) {
    const auto made = FeatureMatrix::of_features(*features, scale);
    ASSERT_TRUE(made.ok());
    EXPECT_EQ(made->offset().empty(), scale == graph::FeatureScale::raw);
    std::vector<float> found(20 * 9, 0.0F);
    const CsrView view = made->sparse().pattern();
    for (std::size_t row = 0; row < 20; ++row) {
      for (std::size_t c = 0; c < 9 && !made->offset().empty(); ++c) found[row * 9 + c] = made->offset()[c];
      for (std::size_t entry = view.offsets[row]; entry < view.offsets[row + 1]; ++entry) {
        found[row * 9 + view.columns[entry]] += made->sparse().numbers().values[entry];
      }
    }
    EXPECT_EQ(found, test::dense(*features, scale));
  }
}

kernels::Matrix times(const kernels::SparseMatrix& matrix, const kernels::Matrix& x) {
  kernels::Matrix y(matrix.rows(), x.cols());
  kernels::multiply(matrix, x.view(), y.view(), kernels::Threads(1));
  return y;
}

bool same(const kernels::Matrix& a, const kernels::Matrix& b) {
  return std::equal(a.values().begin(), a.values().end(), b.values().begin(), b.values().end());
}

// Ones need not be written down, and an undirected graph is its own transpose: the same products, bit for bit.
TEST(FeatureMatrix, FriendsAndFeaturesWithoutValuesAreOnes) {
  const test::Pattern graph = test::random_graph(60, 200, 2);
  const kernels::Matrix x = test::random_matrix(60, 16, 3);
  const auto ones = FeatureMatrix::make(graph.view(), std::vector<float>(graph.columns.size(), 1));
  const auto bare = FeatureMatrix::make(graph.view(), {});
  const auto friends = FeatureMatrix::of_friends(*graph::Csr::make(graph.offsets, graph.columns, 60));
  ASSERT_TRUE(ones.ok() && bare.ok() && friends.ok());
  for (const FeatureMatrix* other : {&*bare, &*friends}) {
    EXPECT_EQ(other->entries(), ones->entries());
    EXPECT_TRUE(same(times(other->sparse(), x), times(ones->sparse(), x)));
    EXPECT_TRUE(same(times(other->transposed(), x), times(ones->transposed(), x)));
  }
  EXPECT_FALSE(FeatureMatrix::make(graph.view(), {1, 2}));
  EXPECT_FALSE(FeatureMatrix::of_friends(
      *graph::Csr::make(std::vector<std::uint64_t>{0, 1, 1}, std::vector<std::uint32_t>{1}, 2)));  // one way only
}

}  // namespace
}  // namespace ppgnn::calibrate
