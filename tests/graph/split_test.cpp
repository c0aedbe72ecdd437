#include "ppgnn/graph/split.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "support/datasets.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::graph {
namespace {

Dataset people(std::size_t count, std::size_t unlabelled) {
  Dataset dataset;
  dataset.graph = *build_graph(count, {});
  dataset.features = no_features(count);
  std::vector<std::int32_t> labels(count, 0);
  for (std::size_t i = 0; i < unlabelled; ++i) labels[i] = kUnknown;
  dataset.labels = std::move(labels);
  dataset.class_names = numbered_names(1);
  dataset.nodes = NodeNames(count);
  return dataset;
}

TEST(Split, HalfAQuarterAQuarterOfTheLabelled) {
  const auto split = make_split(people(1003, 3), 7, 0);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->train.size(), 500u);
  EXPECT_EQ(split->validation.size(), 250u);
  EXPECT_EQ(split->test.size(), 250u);
  std::set<NodeId> all(split->train.begin(), split->train.end());
  all.insert(split->validation.begin(), split->validation.end());
  all.insert(split->test.begin(), split->test.end());
  EXPECT_EQ(all.size(), 1000u);
  EXPECT_EQ(*all.begin(), 3u);
  EXPECT_TRUE(std::is_sorted(split->train.begin(), split->train.end()));
}

TEST(Split, SeedAndRunDecide) {
  const Dataset dataset = people(100, 0);
  const Split first = *make_split(dataset, 7, 0);
  EXPECT_EQ(*make_split(dataset, 7, 0), first);
  EXPECT_NE(*make_split(dataset, 7, 1), first);
  EXPECT_NE(*make_split(dataset, 8, 0), first);
}

// Each node is in the training half of about half of the runs: 400 runs, sd .025, z = 6.
TEST(Split, IsUniform) {
  const Dataset dataset = people(40, 0);
  std::vector<int> times(40, 0);
  for (std::uint64_t run = 0; run < 400; ++run) {
    const auto split = make_split(dataset, 1, run);
    for (const NodeId node : split->train) ++times[node];
  }
  for (const int count : times) EXPECT_NEAR(count / 400.0, .5, .15);
}

TEST(Split, RefusesSharesThatAreNone) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Dataset dataset = people(10, 0);
  for (const SplitShares shares :
       {SplitShares{-.1, .5}, SplitShares{.8, .3}, SplitShares{kNan, .1}, SplitShares{.1, kNan}}) {
    EXPECT_FALSE(make_split(dataset, 1, 0, shares));
  }
  EXPECT_EQ(make_split(dataset, 1, 0, {1, 0})->train.size(), 10u);
}

TEST(Split, FilesAreReadByNodeName) {
  const test::TemporaryFolder folder;
  const Dataset dataset = test::small_dataset();
  const Split split{{0}, {1}, {3}};
  test::write_content(folder / "split.csv", "node,part\nzoe,train\nadam,validation\nbob,test\n");
  const auto read = read_split(folder / "split.csv", dataset);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, split);
}

TEST(Split, ErrorsNameTheLine) {
  const Dataset dataset = test::small_dataset();
  const auto message = [&](const char* text) {
    const auto split = parse_split({"s.csv", text}, dataset);
    return split ? std::string("accepted") : split.error().message;
  };
  EXPECT_EQ(message("node,part\nzoe,train\nbob,test\n"), "accepted");
  EXPECT_EQ(message("node;part\n"), "s.csv:1: not a node and a part");
  EXPECT_EQ(message("a,b\n"), "s.csv:1: the header is not node,part");
  EXPECT_EQ(message("node,part\nzoe,train\neve,test\n"), "s.csv:3: 'eve' is no node");
  EXPECT_EQ(message("node,part\nmia,train\n"), "s.csv:2: the node has no label");
  EXPECT_EQ(message("node,part\nzoe,train\nzoe,test\n"), "s.csv:3: the node occurs twice");
  EXPECT_EQ(message("node,part\nzoe,dev\n"), "s.csv:2: the part is not train, validation or test");
}

}  // namespace
}  // namespace ppgnn::graph
