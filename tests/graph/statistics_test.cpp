#include "ppgnn/graph/statistics.hpp"

#include <gtest/gtest.h>

#include "support/datasets.hpp"

namespace ppgnn::graph {
namespace {

TEST(Statistics, OfAGraphCountedByHand) {
  Dataset dataset = test::small_dataset();
  dataset.graph = *build_graph(4, {{0, 1}, {1, 1}, {1, 3}});
  const Statistics s = statistics(dataset);
  EXPECT_EQ(s.nodes, 4u);
  EXPECT_EQ(s.edges, 2u);
  EXPECT_EQ(s.self_loops, 1u);
  EXPECT_EQ(s.edges_paper, 2u);  // 5 entries / 2
  EXPECT_EQ(s.features, 3u);
  EXPECT_EQ(s.nonzeros, 4u);
  EXPECT_EQ(s.classes, 2u);
  EXPECT_EQ(s.isolated, 1u);
  EXPECT_EQ(s.unlabelled, 1u);
  EXPECT_EQ(s.components, 2u);
  EXPECT_EQ(s.largest_component, 3u);
  EXPECT_EQ(s.max_degree, 2u);
  EXPECT_EQ(s.median_degree, 1u);
  EXPECT_DOUBLE_EQ(s.mean_degree, 1.0);
  EXPECT_DOUBLE_EQ(s.homophily.value(), 0.5);
}

TEST(Statistics, NothingIsNotANumber) {
  Dataset dataset;
  dataset.graph = *build_graph(0, {});
  const Statistics s = statistics(dataset);
  EXPECT_EQ(s.nodes, 0u);
  EXPECT_EQ(s.components, 0u);
  EXPECT_EQ(s.mean_degree, 0);
  EXPECT_FALSE(s.homophily);
}

}  // namespace
}  // namespace ppgnn::graph
