#include "ppgnn/simulate/fidelity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "ppgnn/calibrate/calibrated_input.hpp"
#include "support/graphs.hpp"

namespace ppgnn::simulate {
namespace {

using kernels::Matrix;

constexpr std::size_t kNodes = 50;

TEST(Fidelity, OfEqualScaledAndUnrelatedFeatures) {
  const kernels::Threads one(1);
  const auto pattern = test::random_graph(kNodes, 120, 5);
  const graph::Csr graph = graph::Csr::make(pattern.offsets, pattern.columns, pattern.num_columns).value();
  const auto input = [&](Matrix matrix) {
    return *calibrate::CalibratedInput::make(
        std::make_shared<const calibrate::FeatureMatrix>(calibrate::FeatureMatrix::make(std::move(matrix))),
        calibrate::Propagation::make(graph, {.kind = calibrate::Operator::kprop, .hops = 1}).value(), {}, one);
  };
  const calibrate::CalibratedInput clean = input(test::random_matrix(kNodes, 70, 1));
  const auto same = feature_fidelity(clean, clean, one);
  ASSERT_TRUE(same.ok());
  EXPECT_NEAR(same->cosine, 1, 1e-6);
  EXPECT_NEAR(same->relative_error, 0, 1e-3);
  Matrix turned = test::random_matrix(kNodes, 70, 1);
  for (float& value : turned.values()) value *= -3;
  const auto opposite = feature_fidelity(input(std::move(turned)), clean, one);
  EXPECT_NEAR(opposite->cosine, -1, 1e-6);
  const auto unrelated = feature_fidelity(input(test::random_matrix(kNodes, 70, 9)), clean, one);
  EXPECT_LT(std::abs(unrelated->cosine), 0.2);
  EXPECT_GT(unrelated->relative_error, 0.9);
  EXPECT_FALSE(feature_fidelity(input(Matrix(kNodes, 3)), clean, one).ok());
  // By rows instead of columns: the same over all nodes, and exact for some.
  const auto other = input(test::random_matrix(kNodes, 70, 9));
  std::vector<std::uint32_t> nodes(kNodes);
  std::iota(nodes.begin(), nodes.end(), 0U);
  const auto by_rows = feature_fidelity(other, clean, nodes, one);
  EXPECT_NEAR(by_rows->cosine, unrelated->cosine, 1e-6);
  EXPECT_NEAR(by_rows->relative_error, unrelated->relative_error, 1e-6);
  const auto some = feature_fidelity(clean, clean, std::vector<std::uint32_t>{3, 1}, one);
  EXPECT_NEAR(some->cosine, 1, 1e-6);
  EXPECT_FALSE(feature_fidelity(other, clean, std::vector<std::uint32_t>{std::uint32_t{kNodes}}, one).ok());
}

}  // namespace
}  // namespace ppgnn::simulate
