#include "ppgnn/graph/node_lines.hpp"

#include <gtest/gtest.h>

#include "support/datasets.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::graph {
namespace {

TEST(NodeLines, EveryLineIsTakenByItsNode) {
  const Dataset dataset = test::small_dataset();
  std::vector<std::pair<std::string, std::string>> taken;
  const auto read = parse_node_lines({"l.csv", "node,level\nbob,2\nzoe,\n"}, dataset.nodes, "level",
                                     [&](NodeId node, std::string_view value) -> std::string {
                                       taken.emplace_back(dataset.nodes.name(node), value);
                                       return {};
                                     });
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(taken, (std::vector<std::pair<std::string, std::string>>{{"bob", "2"}, {"zoe", ""}}));
}

TEST(NodeLines, WhatIsWrongIsSaidWithItsLine) {
  const Dataset dataset = test::small_dataset();
  const auto message = [&](const char* text) {
    const auto read = parse_node_lines({"l.csv", text}, dataset.nodes, "level", [](NodeId, std::string_view value) {
      return value == "bad" ? std::string("level: no") : std::string();
    });
    return read ? std::string("accepted") : read.error().message;
  };
  EXPECT_EQ(message("node,level\nbob,1\n"), "accepted");
  EXPECT_EQ(message(""), "l.csv:1: expected the header node,level");
  EXPECT_EQ(message("node,class\n"), "l.csv:1: expected the header node,level");
  EXPECT_EQ(message("node,level\nbob\n"), "l.csv:2: expected node,level");
  EXPECT_EQ(message("node,level\neve,1\n"), "l.csv:2: node 'eve' is not in the graph");
  EXPECT_EQ(message("node,level\nbob,1\nbob,1\n"), "l.csv:3: node 'bob' occurs twice");
  EXPECT_EQ(message("node,level\nbob,1\nzoe,bad\n"), "l.csv:3: level: no");
}

TEST(NodeLines, LabelsOfAFileReplaceThoseOfTheData) {
  const test::TemporaryFolder folder;
  const Dataset dataset = test::small_dataset();
  const std::string known(dataset.class_names[0]);
  test::write_content(folder / "labels.csv", "node,class\nbob," + known + "\nzoe,-1\n");
  const auto labelled = with_labels(dataset, folder / "labels.csv");
  ASSERT_TRUE(labelled) << labelled.error().message;
  for (NodeId node = 0; node < dataset.num_nodes(); ++node) {
    EXPECT_EQ(labelled->labels[node], dataset.nodes.name(node) == "bob" ? 0 : kUnknown);
  }
  test::write_content(folder / "labels.csv", "node,class\nbob,nobody's\n");
  EXPECT_FALSE(with_labels(dataset, folder / "labels.csv"));
  test::write_content(folder / "labels.csv", "node,class\nbob,\n");
  EXPECT_FALSE(with_labels(dataset, folder / "labels.csv"));
}

}  // namespace
}  // namespace ppgnn::graph
