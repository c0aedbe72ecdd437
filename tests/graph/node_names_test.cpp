#include "ppgnn/graph/node_names.hpp"

#include <gtest/gtest.h>

namespace ppgnn::graph {
namespace {

TEST(NodeNames, NumbersAreTheirOwnNames) {
  const NodeNames nodes(11);
  EXPECT_EQ(nodes.name(10), "10");
  EXPECT_EQ(nodes.find("10"), 10u);
  for (const char* text : {"11", "010", "", "-1", "1 ", "x"}) EXPECT_FALSE(nodes.find(text)) << text;
  EXPECT_EQ(nodes.find("0"), 0u);
}

TEST(NodeNames, FindsEveryNameAndNoOther) {
  const std::string names[] = {"zoe", "adam", "mia", "bob"};
  const auto nodes = NodeNames::make(StringList(names));
  ASSERT_TRUE(nodes);
  for (NodeId node = 0; node < 4; ++node) {
    EXPECT_EQ(nodes->name(node), names[node]);
    EXPECT_EQ(nodes->find(names[node]), node);
  }
  for (const char* text : {"", "a", "zz", "mi", "0"}) EXPECT_FALSE(nodes->find(text)) << text;
}

TEST(NodeNames, NamesARepeatedName) {
  const std::string names[] = {"a", "b", "a"};
  const auto nodes = NodeNames::make(StringList(names));
  ASSERT_FALSE(nodes);
  EXPECT_NE(nodes.error().message.find("'a'"), std::string::npos);
}

TEST(NodeNames, RefusesAnOrderThatIsNone) {
  const std::string names[] = {"b", "a"};
  EXPECT_TRUE(NodeNames::make(StringList(names), std::vector<NodeId>{1, 0}));
  EXPECT_FALSE(NodeNames::make(StringList(names), std::vector<NodeId>{0, 1}));
  EXPECT_FALSE(NodeNames::make(StringList(names), std::vector<NodeId>{1, 1}));
  EXPECT_FALSE(NodeNames::make(StringList(names), std::vector<NodeId>{1, 2}));
  EXPECT_FALSE(NodeNames::make(StringList(names), std::vector<NodeId>{1}));
}

}  // namespace
}  // namespace ppgnn::graph
