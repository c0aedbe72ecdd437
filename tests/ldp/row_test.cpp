#include "ppgnn/ldp/row.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/rows.hpp"
#include "support/wide_columns.hpp"

namespace ppgnn::ldp {
namespace {

// Every form against a search one by one, listed columns and their neighbours.
TEST(Row, FindsWideColumns) {
  for (const std::uint32_t dim : test::kWideDims) {
    test::OwnedRow owned = test::wide_row(dim);
    for (const auto form : {test::OwnedRow::Form::sparse, test::OwnedRow::Form::ones}) {
      owned.form = form;
      for (const std::uint32_t listed : owned.columns) {
        for (const std::uint32_t column : {listed == 0 ? 0 : listed - 1, listed, listed + 1}) {
          EXPECT_EQ(owned.row().value(column, 7), owned.value(column, 7)) << column << " of " << dim;
        }
      }
    }
  }
  // The last column and nothing else: no shorter number leads there.
  const std::vector<std::uint32_t> last{kMaxColumns - 1};
  const std::vector<float> value{.25F};
  EXPECT_EQ(Row::sparse(last, value).value(kMaxColumns - 1, 7), .25);
  EXPECT_EQ(Row::ones(last).value(kMaxColumns - 1, 7), 1);
  for (const std::uint32_t short_of : {65535u, (1u << 24) - 1, (1u << 29) - 1}) {
    EXPECT_EQ(Row::sparse(last, value).value(short_of, 7), 7) << short_of;
  }
}

TEST(Row, FitsBySchemaAndFormAlone) {
  const std::vector<std::uint32_t> columns{1, 65535, 65536};
  const std::vector<float> values(3, 0);
  for (const Row& row : {Row::ones(columns), Row::sparse(columns, values)}) {
    EXPECT_TRUE(row.fits(65537));
    EXPECT_TRUE(row.fits(kMaxColumns));
    EXPECT_FALSE(row.fits(65536));
    EXPECT_FALSE(row.fits(1));
  }
  EXPECT_TRUE(Row::dense(values).fits(3));
  EXPECT_TRUE(Row::dense(values).fits(4));
  EXPECT_FALSE(Row::dense(values).fits(2));
}

// Wherever in a list it is: the comparison of many at once must miss none.
TEST(Row, DoesNotFitWithOnePairOutOfOrderAnywhere) {
  for (std::size_t size = 2; size <= 70; ++size) {
    std::vector<std::uint32_t> columns(size);
    for (std::size_t i = 0; i < size; ++i) columns[i] = static_cast<std::uint32_t>(3 * i);
    ASSERT_TRUE(Row::ones(columns).fits(kMaxColumns));
    for (std::size_t at = 1; at < size; ++at) {
      std::vector<std::uint32_t> repeated = columns;
      repeated[at] = repeated[at - 1];
      EXPECT_FALSE(Row::ones(repeated).fits(kMaxColumns)) << at << " of " << size;
      std::vector<std::uint32_t> swapped = columns;
      std::swap(swapped[at], swapped[at - 1]);
      EXPECT_FALSE(Row::ones(swapped).fits(kMaxColumns)) << at << " of " << size;
    }
  }
}

}  // namespace
}  // namespace ppgnn::ldp
