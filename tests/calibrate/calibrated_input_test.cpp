#include "ppgnn/calibrate/calibrated_input.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/formed.hpp"
#include "support/graphs.hpp"
#include "support/kernels_reference.hpp"

namespace ppgnn::calibrate {
namespace {

using kernels::Matrix;
using kernels::Threads;

constexpr std::size_t kNodes = 50;
constexpr std::size_t kColumns = 23;

graph::Csr graph_of(const test::Pattern& pattern) {
  return *graph::Csr::make(pattern.offsets, pattern.columns, pattern.num_columns);
}

std::shared_ptr<const FeatureMatrix> sparse_features(bool with_offset) {
  const auto pattern = test::random_pattern(kNodes, kColumns, 5, 1);
  const auto numbers = test::random_matrix(pattern.columns.size(), 1, 2);
  const auto offset = test::random_matrix(kColumns, 1, 3);
  auto made = FeatureMatrix::make(
      pattern.view(), {numbers.values().begin(), numbers.values().end()},
      with_offset ? std::vector<float>(offset.values().begin(), offset.values().end()) : std::vector<float>{});
  EXPECT_TRUE(made.ok());
  return std::make_shared<const FeatureMatrix>(*std::move(made));
}

Matrix plain(const FeatureMatrix& features) {
  if (features.is_dense()) {
    Matrix copy(features.rows(), features.columns());
    std::copy_n(features.dense().data, copy.size(), copy.values().begin());
    return copy;
  }
  Matrix identity(kColumns, kColumns);
  for (std::size_t i = 0; i < kColumns; ++i) identity.view().row(i)[i] = 1;
  Matrix x = kernels::reference::multiply(features.sparse(), identity.view());
  for (std::size_t i = 0; i < x.size() && !features.offset().empty(); ++i)
    x.values()[i] += features.offset()[i % kColumns];
  return x;
}

Propagation propagation_of(Operator kind, std::size_t hops) {
  const auto graph = test::random_graph(kNodes, 120, 4);
  const auto weights = test::random_matrix(kNodes, 1, 5, 0, 3);
  const bool weighted = takes_weights(kind);
  auto made = Propagation::make(graph_of(graph), {.kind = kind, .hops = hops, .self = {}},
                                weighted ? weights.values() : std::span<const float>{});
  EXPECT_TRUE(made.ok());
  return *std::move(made);
}

TEST(CalibratedInput, BothOrdersAndTheTransposeAreTheSameMatrix) {
  const std::vector<std::shared_ptr<const FeatureMatrix>> inputs{
      sparse_features(false), sparse_features(true),
      std::make_shared<const FeatureMatrix>(FeatureMatrix::make(test::random_matrix(kNodes, kColumns, 6)))};
  const Threads one(1);
  for (const auto& features : inputs) {
    const Matrix x = plain(*features);
    for (const auto& [kind, name] : kOperators) {
      for (const std::size_t hops : {0u, 1u, 2u, 5u}) {
        const Propagation propagation = propagation_of(kind, hops);
        Matrix expected(kNodes, kColumns);
        Matrix scratch(kNodes, kColumns);
        propagation.apply(x.view(), scratch.view(), expected.view(), one);
        for (const Order order : {Order::right_to_left, Order::dense}) {
          const auto input = CalibratedInput::make(features, propagation, {.order = order}, one);
          ASSERT_TRUE(input.ok());
          EXPECT_EQ(input->order(), order);
          EXPECT_EQ(input->scale(), 1);
          EXPECT_LT(kernels::reference::largest_difference(test::formed(*input).view(), expected.view()), 1e-4)
              << name << hops;
          const Matrix turned = test::formed_transpose(*input);
          Matrix back(kNodes, kColumns);
          for (std::size_t i = 0; i < back.size(); ++i) {
            back.values()[i] = turned.view().row(i % kColumns)[i / kColumns];
          }
          EXPECT_LT(kernels::reference::largest_difference(back.view(), expected.view()), 1e-4) << name << hops;
        }
      }
    }
  }
}

double root_mean_square(const Matrix& matrix) {
  double squares = 0;
  for (const float value : matrix.values()) squares += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(squares / static_cast<double>(matrix.size()));
}

// The estimate averages 16 chi-square like terms: its standard deviation is below sqrt(2/16) / 2 = 18% in the worst
// case (rank one) and far less here; the seed is fixed.
TEST(CalibratedInput, CommonScaleSetsTheRootMeanSquare) {
  const auto features = sparse_features(false);
  const Threads one(1);
  for (const double r : {0.1, 1.0}) {
    const auto input =
        CalibratedInput::make(features, propagation_of(Operator::kprop, 2), {.root_mean_square = r, .seed = 3}, one);
    ASSERT_TRUE(input.ok());
    const Matrix z = test::formed(*input);
    EXPECT_NEAR(root_mean_square(z) / r, 1, 0.25);
    // One factor for the whole matrix.
    const auto raw = CalibratedInput::make(features, propagation_of(Operator::kprop, 2), {}, one);
    const Matrix unscaled = test::formed(*raw);
    for (std::size_t i = 0; i < z.size(); ++i) {
      ASSERT_NEAR(static_cast<double>(z.values()[i]), input->scale() * static_cast<double>(unscaled.values()[i]), 1e-5);
    }
    // Both orders share the factor.
    const auto dense = CalibratedInput::make(features, propagation_of(Operator::kprop, 2),
                                             {.order = Order::dense, .root_mean_square = r, .seed = 3}, one);
    EXPECT_EQ(dense->scale(), input->scale());
    EXPECT_LT(kernels::reference::largest_difference(test::formed(*dense).view(), z.view()), 1e-5);
  }
}

TEST(CalibratedInput, ScaleOfManyProbesIsUnbiased) {
  const auto features = sparse_features(true);
  const Threads one(1);
  const auto raw = CalibratedInput::make(features, propagation_of(Operator::mean, 1), {}, one);
  const double exact = root_mean_square(test::formed(*raw));
  double mean_square = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    mean_square += std::pow(estimate_root_mean_square(*raw, seed, one), 2) / 200;
  // 3,200 probes; one probe's relative deviation is at most sqrt(2): 6 standard deviations are 15%.
  EXPECT_NEAR(mean_square / (exact * exact), 1, 0.15);
}

TEST(CalibratedInput, ZeroMatrixKeepsScaleOneAndBadInputIsRefused) {
  const auto pattern = test::pattern_of(std::vector<std::vector<std::uint32_t>>(kNodes), kColumns);
  const auto nothing = std::make_shared<const FeatureMatrix>(*FeatureMatrix::make(pattern.view(), {}));
  const Threads one(1);
  const auto input = CalibratedInput::make(nothing, propagation_of(Operator::kprop, 2), {.root_mean_square = 1.0}, one);
  ASSERT_TRUE(input.ok());
  EXPECT_EQ(input->scale(), 1);
  EXPECT_FALSE(CalibratedInput::make(nothing, propagation_of(Operator::kprop, 2), {.root_mean_square = 0.0}, one).ok());
  const auto small = std::make_shared<const FeatureMatrix>(FeatureMatrix::make(Matrix(3, 2)));
  EXPECT_FALSE(CalibratedInput::make(small, propagation_of(Operator::kprop, 2), {}, one).ok());
  Matrix infinite = test::random_matrix(kNodes, 3, 1);
  infinite.values()[4] = std::numeric_limits<float>::infinity();
  const auto broken = std::make_shared<const FeatureMatrix>(FeatureMatrix::make(std::move(infinite)));
  EXPECT_FALSE(CalibratedInput::make(broken, propagation_of(Operator::kprop, 2), {.root_mean_square = 1.0}, one).ok());
  EXPECT_FALSE(FeatureMatrix::make(pattern.view(), {1.0F}).ok());
  EXPECT_FALSE(FeatureMatrix::make(pattern.view(), {}, {1.0F}).ok());
}

TEST(CostModel, PicksTheCheaperOrderAndExplainsIt) {
  const Threads one(1);
  // Few columns and many hops: forming Z pays.
  const auto narrow = std::make_shared<const FeatureMatrix>(FeatureMatrix::make(test::random_matrix(kNodes, 3, 1)));
  const CostModel dense = predict_cost(*narrow, propagation_of(Operator::kprop, 16), {});
  EXPECT_EQ(dense.chosen, Order::dense);
  EXPECT_NE(dense.explain().find("first layer dense"), std::string::npos);
  EXPECT_NE(dense.explain().find("right to left: "), std::string::npos);
  EXPECT_NE(dense.explain().find("Mflop"), std::string::npos);
  // Many columns, few reported: it does not.
  const auto wide_pattern = test::random_pattern(kNodes, 5000, 3, 1);
  const auto wide = std::make_shared<const FeatureMatrix>(
      *FeatureMatrix::make(wide_pattern.view(), std::vector<float>(wide_pattern.columns.size(), 1.0F)));
  const CostModel lazy = predict_cost(*wide, propagation_of(Operator::kprop, 8), {});
  EXPECT_EQ(lazy.chosen, Order::right_to_left);
  EXPECT_NEAR(lazy.dense.flops, 4.0 * 16 * kNodes * 5000, 1);
  // The caller's word and the memory limit stand.
  EXPECT_EQ(predict_cost(*wide, propagation_of(Operator::kprop, 8), {.order = Order::dense}).chosen, Order::dense);
  EXPECT_EQ(predict_cost(*narrow, propagation_of(Operator::kprop, 16), {.max_dense_bytes = 100}).chosen,
            Order::right_to_left);
}

}  // namespace
}  // namespace ppgnn::calibrate
