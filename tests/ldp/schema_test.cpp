#include "ppgnn/ldp/schema.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ppgnn/ldp/row.hpp"

namespace ppgnn::ldp {
namespace {

constexpr std::int64_t kOne = std::int64_t{1} << 30;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Schema, FindsColumnsAcrossGroups) {
  const auto schema =
      Schema::make({{"word", 3, ColumnKind::binary, 0, 1, 0}, {"age", 1, ColumnKind::number, 0, 120, 40}});
  ASSERT_TRUE(schema);
  EXPECT_EQ(schema->dim(), 4u);
  EXPECT_EQ(schema->column_name(0), "word.0");
  EXPECT_EQ(schema->column_name(2), "word.2");
  EXPECT_EQ(schema->column_name(3), "age");
  EXPECT_EQ(schema->group_of(3).absent, 40);
}

TEST(Schema, NamesHaveNoHiddenCharacters) {
  const auto with = [](const std::string& name) { return Schema::make({{name, 1, ColumnKind::binary, 0, 1, 0}}); };
  for (const char* name : {"a\tb", "a\x7f", "a\xC2\x85", "a\xE2\x80\xAE", "\xE2\x81\xA6z", "\xE2\x80\x8F", "a\xff"}) {
    const auto refused = with(name);
    ASSERT_FALSE(refused) << name;
    EXPECT_NE(refused.error().message.find("name: must be UTF-8 without control"), std::string::npos);
  }
  EXPECT_TRUE(
      with("Gr\xC3\xB6\xC3\x9F"
           "e, in cm"));
}

TEST(Schema, QuantisesTheRangeToPlusMinusOne) {
  const ColumnGroup age{"age", 1, ColumnKind::number, 0, 120, 40};
  EXPECT_EQ(Schema::quantise(age, 0), -kOne);
  EXPECT_EQ(Schema::quantise(age, 60), 0);
  EXPECT_EQ(Schema::quantise(age, 120), kOne);
  EXPECT_EQ(Schema::quantise(age, 90), kOne / 2);
}

// PRIVACY: an error would depend on the data, so bad values become good ones without a word.
TEST(Schema, ClampsSilentlyAndTakesNaNAsTheMidpoint) {
  const ColumnGroup age{"age", 1, ColumnKind::number, 0, 120, 40};
  EXPECT_EQ(Schema::quantise(age, -5), -kOne);
  EXPECT_EQ(Schema::quantise(age, 1e300), kOne);
  EXPECT_EQ(Schema::quantise(age, kInfinity), kOne);
  EXPECT_EQ(Schema::quantise(age, -kInfinity), -kOne);
  EXPECT_EQ(Schema::quantise(age, std::numeric_limits<double>::quiet_NaN()), 0);
}

TEST(Schema, RefusesWhatHasNoMeaningAndNamesIt) {
  const auto problem = [](ColumnGroup group) {
    const auto schema = Schema::make({std::move(group)});
    return schema ? std::string("accepted") : schema.error().message;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(problem({"x", 1, ColumnKind::number, 1, 1, 1}),
            "schema: column group 1: range: must be finite with low < high, but is 1 to 1");
  EXPECT_NE(problem({"x", 1, ColumnKind::number, nan, 1, 1}).find("range"), std::string::npos);
  EXPECT_NE(problem({"x", 1, ColumnKind::number, -1e308, 1e308, 1}).find("range"), std::string::npos);
  EXPECT_NE(problem({"x", 1, ColumnKind::number, 0, 1, 2}).find("absent"), std::string::npos);
  EXPECT_NE(problem({"x", 1, ColumnKind::binary, 0, 2, 1}).find("absent: of a binary column"), std::string::npos);
  EXPECT_NE(problem({"x", 0, ColumnKind::number, 0, 1, 0}).find("count"), std::string::npos);
  EXPECT_NE(problem({"", 1, ColumnKind::number, 0, 1, 0}).find("name"), std::string::npos);
  EXPECT_NE(problem({"a\nb", 1, ColumnKind::number, 0, 1, 0}).find("name"), std::string::npos);
  EXPECT_NE(problem({"x", 1, ColumnKind::category, 0, 1.5, 0}).find("category"), std::string::npos);
  EXPECT_NE(problem({"x", 1, ColumnKind::category, 0, 65536, 0}).find("category"), std::string::npos);
  EXPECT_NE(problem({"x", kMaxColumns + 1, ColumnKind::binary, 0, 1, 0}).find("columns"), std::string::npos);
  EXPECT_FALSE(Schema::make({}));
}

TEST(Row, ListedColumnsHaveTheirValueAllOthersTheAbsentOne) {
  const std::vector<std::uint32_t> columns{2, 5, 9};
  const std::vector<float> values{0.5F, -1.0F, 3.0F};
  const Row sparse = Row::sparse(columns, values);
  const Row ones = Row::ones(columns);
  const Row dense = Row::dense(values);
  EXPECT_EQ(sparse.value(5, 7), -1.0);
  EXPECT_EQ(sparse.value(9, 7), 3.0);
  EXPECT_EQ(sparse.value(0, 7), 7.0);
  EXPECT_EQ(sparse.value(100, 7), 7.0);
  EXPECT_EQ(ones.value(2, 7), 1.0);
  EXPECT_EQ(ones.value(3, 7), 7.0);
  EXPECT_EQ(dense.value(2, 7), 3.0);
  EXPECT_EQ(dense.value(3, 7), 7.0);
  EXPECT_EQ(Row::ones({}).value(0, 7), 7.0);
}

}  // namespace
}  // namespace ppgnn::ldp
