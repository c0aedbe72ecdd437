#include <gtest/gtest.h>

#include <string>

#include "ppgnn/plan_files/plan_files.hpp"

namespace ppgnn::plan_files {
namespace {

const ldp::Schema& schema() {
  static const ldp::Schema kSchema = ldp::Schema::make({{"word", 10, ldp::ColumnKind::binary, 0, 1, 0},
                                                        {"age", 1, ldp::ColumnKind::number, 0, 120, 30}})
                                         .value();
  return kSchema;
}

TEST(Features, AreReadByNumberOrNameInAnyOrder) {
  const auto features = parse_features({"me.csv", "column,value\nage,44\n2,1\nword.7,0.5\n"}, schema());
  ASSERT_TRUE(features) << features.error().message;
  EXPECT_EQ(features->columns, (std::vector<std::uint32_t>{2, 7, 10}));
  EXPECT_EQ(features->values, (std::vector<float>{1, 0.5F, 44}));
  const auto nothing = parse_features({"me.csv", "column,value\n"}, schema());
  ASSERT_TRUE(nothing);
  EXPECT_TRUE(nothing->columns.empty());
}

TEST(Features, MessagesNameTheLineAndNothingInIt) {
  const auto message = [](const std::string& text) {
    const auto features = parse_features({"me.csv", text}, schema());
    return features ? std::string("read") : features.error().message;
  };
  EXPECT_EQ(message(""), "me.csv:1: expected the header column,value");
  EXPECT_EQ(message("age,value\n"), "me.csv:1: expected the header column,value");
  EXPECT_EQ(message("column,value\n2,1,1\n"), "me.csv:2: expected column,value");
  for (const std::string column : {"11", "word", "word.10", "word.", "word7", "ag", "age.0", "-1", ""}) {
    EXPECT_EQ(message("column,value\n2,1\n" + column + ",1\n"),
              "me.csv:3: column: the plan has none of this number or name")
        << column;
  }
  EXPECT_EQ(message("column,value\n2,yes\n"), "me.csv:2: value: not a number");
  EXPECT_EQ(message("column,value\n2,1\nword.2,1\n"), "me.csv: a column occurs twice");
}

}  // namespace
}  // namespace ppgnn::plan_files
