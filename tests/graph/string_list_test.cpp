#include "ppgnn/graph/string_list.hpp"

#include <gtest/gtest.h>

namespace ppgnn::graph {
namespace {

TEST(StringList, KeepsTexts) {
  const std::string texts[] = {"one", "", "drei"};
  const StringList list{std::span(texts)};
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0], "one");
  EXPECT_EQ(list[1], "");
  EXPECT_EQ(list[2], "drei");
  EXPECT_TRUE(StringList().empty());
}

TEST(StringList, RefusesOffsetsThatDoNotFit) {
  const std::vector<char> bytes{'a', 'b'};
  using Offsets = std::vector<std::uint64_t>;
  EXPECT_TRUE(StringList::make(Offsets{0, 1, 2}, bytes));
  EXPECT_FALSE(StringList::make(Offsets{0, 1}, bytes));
  EXPECT_FALSE(StringList::make(Offsets{1, 2}, bytes));
  EXPECT_FALSE(StringList::make(Offsets{0, 2, 1, 2}, bytes));
  EXPECT_FALSE(StringList::make({}, bytes));
}

}  // namespace
}  // namespace ppgnn::graph
