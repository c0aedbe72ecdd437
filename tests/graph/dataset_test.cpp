#include "ppgnn/graph/dataset.hpp"

#include <gtest/gtest.h>

#include "support/datasets.hpp"

namespace ppgnn::graph {
namespace {

TEST(Dataset, PartsMustBelongTogether) {
  const Dataset good = test::small_dataset();
  EXPECT_TRUE(check(good));
  Dataset labels = good;
  labels.labels = std::vector<std::int32_t>{0, 1, 0};
  EXPECT_EQ(check(labels).error().message, "the label list has 3 rows for 4 nodes");
  Dataset unknown_class = good;
  unknown_class.labels = std::vector<std::int32_t>{0, 1, 2, 0};
  EXPECT_EQ(check(unknown_class).error().message, "the label of node 2 is none of the 2 classes");
  Dataset features = good;
  features.features = no_features(3);
  EXPECT_FALSE(check(features));
  Dataset names = good;
  names.nodes = NodeNames(5);
  EXPECT_FALSE(check(names));
}

TEST(Dataset, ChecksumSeesEveryPartButTheName) {
  const Dataset good = test::small_dataset();
  Dataset renamed = good;
  renamed.name = "other";
  renamed.notes = {"note"};
  EXPECT_EQ(checksum(renamed), checksum(good));
  Dataset edge = good;
  edge.graph = *build_graph(4, {{0, 1}, {1, 2}, {1, 3}});
  Dataset label = good;
  label.labels = std::vector<std::int32_t>{0, 1, 1, 1};
  Dataset features = good;
  features.features = no_features(4);
  Dataset names = good;
  names.nodes = NodeNames(4);
  for (const Dataset* other : {&edge, &label, &features, &names}) EXPECT_NE(checksum(*other), checksum(good));
}

}  // namespace
}  // namespace ppgnn::graph
