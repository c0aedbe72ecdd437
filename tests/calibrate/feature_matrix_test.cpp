#include "ppgnn/calibrate/feature_matrix.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace ppgnn::calibrate
