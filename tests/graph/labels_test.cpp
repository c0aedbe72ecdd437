#include "ppgnn/graph/labels.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

// Nothing is as long as a class number is large.
TEST(Labels, ClassesAreTheNumbersThatOccur) {
  const double numbers[] = {6, 1, -1, 9007199254740991, 1, 1e9, -7};
  const auto named = compact_classes(numbers);
  ASSERT_TRUE(named) << named.error().message;
  EXPECT_EQ(named->labels, (std::vector<std::int32_t>{1, 0, -1, 3, 0, 2, -1}));
  ASSERT_EQ(named->class_names.size(), 4u);
  EXPECT_EQ(named->class_names[0], "1");
  EXPECT_EQ(named->class_names[1], "6");
  EXPECT_EQ(named->class_names[2], "1000000000");
  EXPECT_EQ(named->class_names[3], "9007199254740991");
  EXPECT_EQ(compact_classes({})->class_names.size(), 0u);
}

TEST(Labels, OtherNumbersAreNoClasses) {
  for (const double number : {0.5, 0x1p53, 1e300, HUGE_VAL, std::nan("")}) {
    const double numbers[] = {3, number};
    const auto named = compact_classes(numbers);
    ASSERT_FALSE(named) << number;
    EXPECT_EQ(named.error().message, "entry 1 is no class number");
  }
}

TEST(Labels, WordsForWhatIsMissing) {
  for (const char* word : {"NaN", "nan", "NA", "N/A", "null", "NULL", "None", "?", "unknown", "Unknown"}) {
    EXPECT_TRUE(is_missing_word(word)) << word;
  }
  for (const char* word : {"", "no", "nana", "n", "??", "unknowns", "0"}) EXPECT_FALSE(is_missing_word(word)) << word;
}

TEST(Labels, NoneAtAll) {
  EXPECT_TRUE(number_classes({}).labels.empty());
  EXPECT_EQ(number_classes({"", ""}).class_names.size(), 0u);
}

}  // namespace
}  // namespace ppgnn::graph
