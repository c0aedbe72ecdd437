#include "ppgnn/calibrate/collect.hpp"

#include <gtest/gtest.h>

#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "support/graphs.hpp"
#include "support/plans.hpp"

namespace ppgnn::calibrate {
namespace {

ldp::Report report_of(std::optional<std::int32_t> level, std::vector<std::uint32_t> columns,
                      std::vector<std::int8_t> signs) {
  ldp::Report report;
  report.reported_level = level;
  report.columns = std::move(columns);
  report.signs = std::move(signs);
  return report;
}

// Five nodes in another order than their own.
NodeOrder order_of_five() {
  const auto pattern = test::random_graph(5, 4, 3);
  return NodeOrder::by_locality(pattern.view());
}

std::span<const float> values_of(const Collected& collected, std::size_t place) {
  const CsrView pattern = collected.estimates->sparse().pattern();
  return collected.estimates->sparse().numbers().values.subspan(pattern.offsets[place],
                                                                pattern.offsets[place + 1] - pattern.offsets[place]);
}

TEST(Collect, EstimatesAndMassOfEveryNodeInItsPlace) {
  const ldp::Plan plan = test::plan_of(test::signs_request(test::six_levels(1), 6));
  const ldp::Estimator estimator(plan.tables());
  const std::size_t sampled = estimator.shape(0).sampled;
  std::vector<std::uint32_t> columns;
  std::vector<std::int8_t> signs;
  for (std::uint32_t i = 0; i < sampled; ++i) {
    columns.push_back(i);
    signs.push_back(i % 2 == 0 ? 1 : -1);
  }
  const NodeOrder order = order_of_five();
  const std::vector<ldp::NodeReport> reports{{3, report_of(std::nullopt, columns, signs)},
                                             {1, report_of(std::nullopt, columns, signs)}};
  const auto collected = collect(order, plan, reports);
  ASSERT_TRUE(collected.ok()) << collected.error().message;
  EXPECT_EQ(collected->kind, Operator::convolution);
  EXPECT_EQ(collected->estimates->columns(), 6u);
  const auto scale = static_cast<float>(ldp::SignBits::scale(estimator.gain(0), estimator.shape(0)));
  for (std::uint32_t node = 0; node < 5; ++node) {
    const std::uint32_t place = order.to_new(node);
    const bool reported = node == 1 || node == 3;
    EXPECT_EQ(collected->weights[place], reported ? 1.0F : 0.0F);
    const auto values = values_of(*collected, place);
    ASSERT_EQ(values.size(), reported ? sampled : 0u);
    if (reported) {
      EXPECT_FLOAT_EQ(values[0], scale);
    }
  }
}

TEST(Collect, AReportOfOneClassSaysSomethingOfEveryClass) {
  const ldp::Plan plan = test::plan_of(test::category_request({1, 2}, 4));
  ldp::Report report;
  report.outcomes = {2};
  const auto collected = collect(order_of_five(), plan, std::vector<ldp::NodeReport>{{0, report}});
  ASSERT_TRUE(collected.ok()) << collected.error().message;
  EXPECT_EQ(collected->estimates->columns(), 4u);
  const auto values = values_of(*collected, order_of_five().to_new(0));
  ASSERT_EQ(values.size(), 4u);
  for (const std::size_t other : {0u, 1u, 3u}) EXPECT_LT(values[other], values[2]);
  EXPECT_NEAR(values[0] + values[1] + values[2] + values[3], 1, 1e-5);
}

TEST(Collect, RefusesReportsThatDoNotFit) {
  const ldp::Plan plan = test::plan_of(test::signs_request(test::six_levels(1), 6));
  const auto run = [&](const std::vector<ldp::NodeReport>& reports) {
    return collect(order_of_five(), plan, reports).ok();
  };
  EXPECT_TRUE(run({}));
  EXPECT_FALSE(run({{5, report_of(std::nullopt, {0}, {1})}}));
  EXPECT_FALSE(run({{1, report_of(std::nullopt, {0}, {1})}, {1, report_of(std::nullopt, {0}, {1})}}));
  EXPECT_FALSE(run({{1, report_of(std::nullopt, {6}, {1})}}));
}

TEST(Collect, DenseRowsMakeADenseMatrix) {
  const NodeOrder order = order_of_five();
  const auto collected = collect(order, 2, Operator::flexprop, [](std::uint32_t node, EstimatedRow& row) {
    row.values = {static_cast<double>(node), -1};
    row.weight = node + 1;
  });
  ASSERT_TRUE(collected.ok()) << collected.error().message;
  for (std::uint32_t node = 0; node < 5; ++node) {
    EXPECT_EQ(collected->estimates->dense().row(order.to_new(node))[0], static_cast<float>(node));
    EXPECT_EQ(collected->weights[order.to_new(node)], static_cast<float>(node + 1));
  }
  EXPECT_TRUE(collect(order, 2, Operator::kprop, [](std::uint32_t, EstimatedRow& row) {
                row.values = {0, 0};
              })->weights.empty());
}

TEST(Collect, RefusesRowsOfTwoFormsOrAnotherLength) {
  const NodeOrder order = order_of_five();
  const std::uint32_t last = order.to_original(4);
  const auto refused = [&](const EstimatedRow& first, const EstimatedRow& other) {
    return !collect(order, 2, Operator::kprop, [&](std::uint32_t node, EstimatedRow& row) {
              row = node == last ? other : first;
            }).ok();
  };
  const EstimatedRow dense{{}, {1, 2}, 0};
  const EstimatedRow sparse{{1}, {2}, 0};
  EXPECT_FALSE(refused(dense, dense));
  EXPECT_FALSE(refused(sparse, sparse));
  EXPECT_TRUE(refused(dense, sparse));
  EXPECT_TRUE(refused(sparse, dense));
  EXPECT_TRUE(refused(dense, {{}, {1, 2, 3}, 0}));
  EXPECT_TRUE(refused(sparse, {{0, 1}, {2}, 0}));
  EXPECT_TRUE(refused(sparse, {{2}, {2}, 0}));
}

}  // namespace
}  // namespace ppgnn::calibrate
