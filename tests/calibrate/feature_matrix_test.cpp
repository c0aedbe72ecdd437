#include "ppgnn/calibrate/feature_matrix.hpp"

#include <gtest/gtest.h>

#include "ppgnn/ldp/estimate.hpp"
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

TEST(CollectReports, EstimatesMassAndLevelOfEveryNode) {
  const ldp::Plan plan = test::plan_of(test::signs_request(test::six_levels(1), 6));
  const ldp::Estimator estimator(plan.tables());
  const std::size_t sampled = estimator.shape(0).sampled;
  std::vector<std::uint32_t> columns;
  std::vector<std::int8_t> signs;
  for (std::uint32_t i = 0; i < sampled; ++i) {
    columns.push_back(i);
    signs.push_back(i % 2 == 0 ? 1 : -1);
  }
  const std::vector<NodeReport> reports{{3, report_of(std::nullopt, columns, signs)},
                                        {1, report_of(std::nullopt, columns, signs)}};
  const auto collected = collect_reports(estimator, plan.levels().size(), 6, 5, reports);
  ASSERT_TRUE(collected.ok()) << collected.error().message;
  EXPECT_EQ(collected->mass, (std::vector<float>{0, 1, 0, 1, 0}));
  EXPECT_EQ(collected->level, (std::vector<float>{0, 1, 0, 1, 0}));
  const CsrView pattern = collected->estimates.sparse().pattern();
  EXPECT_EQ(pattern.rows(), 5u);
  EXPECT_TRUE(pattern.row(0).empty());
  ASSERT_EQ(pattern.row(1).size(), sampled);
  EXPECT_FLOAT_EQ(collected->estimates.sparse().numbers().values[0], static_cast<float>(estimator.scale(0)));
}

TEST(CollectReports, RefusesWhatDoesNotFit) {
  const ldp::Plan plan = test::plan_of(test::signs_request(test::six_levels(1), 6));
  const ldp::Estimator estimator(plan.tables());
  const auto run = [&](const std::vector<NodeReport>& reports) {
    return collect_reports(estimator, plan.levels().size(), 6, 5, reports).ok();
  };
  EXPECT_TRUE(run({}));
  EXPECT_FALSE(run({{5, report_of(std::nullopt, {0}, {1})}}));
  EXPECT_FALSE(run({{1, report_of(std::nullopt, {0}, {1})}, {1, report_of(std::nullopt, {0}, {1})}}));
  EXPECT_FALSE(run({{1, report_of(std::nullopt, {6}, {1})}}));
}

TEST(FeatureMatrix, OfCleanFeaturesFillsInAbsentEntriesOnBothScales) {
  const auto pattern = test::random_pattern(20, 9, 4, 1);
  const auto features = graph::Features::make(*graph::Csr::make(pattern.offsets, pattern.columns, 9), {},
                                              graph::FeatureSchema::binary(9, graph::SchemaOrigin::declared));
  ASSERT_TRUE(features.ok());
  for (const graph::FeatureScale scale : {graph::FeatureScale::raw, graph::FeatureScale::unit}) {
    const auto made = FeatureMatrix::of_features(*features, scale);
    ASSERT_TRUE(made.ok());
    EXPECT_EQ(made->offset().empty(), scale == graph::FeatureScale::raw);
    const graph::DenseMatrix expected = features->to_dense(scale);
    std::vector<float> found(20 * 9, 0.0F);
    const CsrView view = made->sparse().pattern();
    for (std::size_t row = 0; row < 20; ++row) {
      for (std::size_t c = 0; c < 9 && !made->offset().empty(); ++c) found[row * 9 + c] = made->offset()[c];
      for (std::size_t entry = view.offsets[row]; entry < view.offsets[row + 1]; ++entry) {
        found[row * 9 + view.columns[entry]] += made->sparse().numbers().values[entry];
      }
    }
    EXPECT_EQ(found, expected.values);
  }
}

}  // namespace
}  // namespace ppgnn::calibrate
