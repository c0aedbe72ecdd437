#include "ppgnn/graph/features.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/datasets.hpp"
#include "support/dense_features.hpp"

namespace ppgnn::graph {
namespace {

using Row = std::vector<FeaturesBuilder::Entry>;

Features build(std::vector<Row> rows, std::size_t cols) {
  FeaturesBuilder builder;
  for (Row& row : rows) EXPECT_TRUE(builder.add_row(row));
  auto features = std::move(builder).finish(cols, SchemaOrigin::declared);
  EXPECT_TRUE(features);
  return *features;
}

TEST(Features, AllOnesAreBinary) {
  const Features features = build({{{2}, {0}}, {}}, 3);
  EXPECT_TRUE(features.values().empty());
  EXPECT_EQ(features.nonzeros(), 2u);
  EXPECT_EQ(features.pattern().row(0)[1], 2u);
  EXPECT_EQ(features.schema().origin, SchemaOrigin::declared);
  EXPECT_EQ(features.schema().kinds[0], static_cast<std::uint8_t>(ColumnKind::binary));
}

TEST(Features, AnAbsentWordIsMinusOneOnTheUnitScale) {
  const Features features = build({{{1}}, {}}, 2);
  EXPECT_EQ(test::dense(features, FeatureScale::raw), (std::vector<float>{0, 1, 0, 0}));
  EXPECT_EQ(test::dense(features, FeatureScale::unit), (std::vector<float>{-1, 1, -1, -1}));
}

TEST(Features, NumbersGetTheRangeFoundAndAreFlagged) {
  const Features features = build({{{0, 1}, {1, 4}}, {{0, 1}, {1, 2}}, {{0, 1}, {2, -3}}}, 4);
  const FeatureSchema& schema = features.schema();
  EXPECT_EQ(schema.origin, SchemaOrigin::derived);
  const auto range = [&](std::size_t column) { return std::pair(schema.low[column], schema.high[column]); };
  EXPECT_EQ(range(0), std::pair(1.0F, 1.0F));
  EXPECT_EQ(range(1), std::pair(0.0F, 4.0F));
  EXPECT_EQ(range(2), std::pair(-3.0F, 0.0F));
  EXPECT_EQ(range(3), std::pair(0.0F, 0.0F));
  EXPECT_EQ(test::dense(features, FeatureScale::unit), (std::vector<float>{0, 1, 1, 0, 0, 0, 1, 0, 0, -1, -1, 0}));
}

TEST(Features, ZerosAreLeftOut) {
  const Features features = build({{{0, 0.0F}, {1, 2.0F}}}, 2);
  EXPECT_EQ(features.nonzeros(), 1u);
}

TEST(Features, DerivingDropsConstantColumnsAndKeepsTheirNames) {
  const Features derived = derive_schema(build({{{0, 1}, {1, 4}}, {{0, 1}, {2, 2}}}, 4));
  EXPECT_EQ(derived.cols(), 2u);
  EXPECT_EQ(derived.schema().names[0], "1");
  EXPECT_EQ(derived.schema().names[1], "2");
  EXPECT_EQ(derived.schema().origin, SchemaOrigin::derived);
  EXPECT_EQ(test::dense(derived, FeatureScale::raw), (std::vector<float>{4, 0, 0, 2}));
  const Features binary = derive_schema(build({{{0}, {1}}, {{0}}}, 3));
  EXPECT_EQ(binary.cols(), 1u);
  EXPECT_TRUE(binary.values().empty());
  EXPECT_EQ(binary.schema().origin, SchemaOrigin::derived);
}

TEST(Features, RefusesRowsThatAreNoRows) {
  FeaturesBuilder builder;
  Row twice{{1}, {1}};
  Row endless{{1, INFINITY}};
  Row nan{{1, NAN}};
  Row large{{0xFFFFFFFFU}};
  for (Row* row : {&twice, &endless, &nan, &large}) EXPECT_FALSE(builder.add_row(*row));
  Row fine{{5}};
  ASSERT_TRUE(builder.add_row(fine));
  EXPECT_EQ(builder.columns_seen(), 6u);
  EXPECT_FALSE(std::move(builder).finish(5, SchemaOrigin::declared));
}

TEST(Features, RefusesValuesOutsideTheSchema) {
  const Csr pattern = *Csr::make(std::vector<std::uint64_t>{0, 1}, std::vector<std::uint32_t>{0}, 1);
  const FeatureSchema binary = FeatureSchema::binary(1, SchemaOrigin::declared);
  EXPECT_TRUE(Features::make(pattern, {}, binary));
  for (const float value : {0.5F, 2.0F, NAN, -1.0F}) {
    EXPECT_FALSE(Features::make(pattern, std::vector<float>{value}, binary)) << value;
  }
  EXPECT_FALSE(Features::make(pattern, std::vector<float>{1, 1}, binary));
  EXPECT_FALSE(Features::make(pattern, {}, FeatureSchema::binary(2, SchemaOrigin::declared)));
  FeatureSchema upside_down = binary;
  upside_down.kinds = std::vector<std::uint8_t>{static_cast<std::uint8_t>(ColumnKind::number)};
  upside_down.low = std::vector<float>{2};
  EXPECT_FALSE(Features::make(pattern, {}, upside_down));
}

}  // namespace
}  // namespace ppgnn::graph
