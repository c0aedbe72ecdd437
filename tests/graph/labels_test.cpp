#include "ppgnn/graph/labels.hpp"

#include <gtest/gtest.h>

namespace ppgnn::graph {
namespace {

TEST(Labels, NumbersKeepTheirOrder) {
  const NamedLabels named = number_classes({"10", "9", "", "9", "-1"});
  EXPECT_EQ(named.labels, (std::vector<std::int32_t>{1, 0, -1, 0, -1}));
  EXPECT_EQ(named.class_names[0], "9");
  EXPECT_EQ(named.class_names[1], "10");
}

TEST(Labels, OtherNamesAreSorted) {
  const NamedLabels named = number_classes({"tv", "10", "company", "tv"});
  EXPECT_EQ(named.labels, (std::vector<std::int32_t>{2, 0, 1, 2}));
  EXPECT_EQ(named.class_names.size(), 3u);
}

TEST(Labels, NoneAtAll) {
  EXPECT_TRUE(number_classes({}).labels.empty());
  EXPECT_EQ(number_classes({"", ""}).class_names.size(), 0u);
}

}  // namespace
}  // namespace ppgnn::graph
