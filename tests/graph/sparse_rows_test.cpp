#include "graph/sparse_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ppgnn::graph {
namespace {

TEST(SparseRows, IndicesAreWholeNumbersInRange) {
  EXPECT_EQ(as_index(3, 3), 3u);
  EXPECT_EQ(as_index(0, 0), 0u);
  for (const double value : {-1.0, 0.5, 4.0, 1e300, std::nan(""), -std::nan("")})
    EXPECT_FALSE(as_index(value, 3)) << value;
  EXPECT_FALSE(as_index(4294967296.0, ~std::size_t{0}));
}

TEST(SparseRows, ReadsBytesAtAnyAddress) {
  const std::string bytes("x\x01\x00\x00\x00\x02\x00\x00\x00", 9);
  EXPECT_EQ(widen<std::int32_t>(std::string_view(bytes).substr(1)), (std::vector<double>{1, 2}));
}

TEST(SparseRows, NamesTheRowThatIsWrong) {
  EXPECT_TRUE(make_rows({0, 1, 2}, {0, 1}, {1, 1}, 2));
  EXPECT_EQ(make_rows({0, 1}, {0, 1}, {1, 1}, 2).error().message, "indptr ends before the data");
  EXPECT_EQ(make_rows({1, 2}, {0, 1}, {1, 1}, 2).error().message, "row 0 of indptr is wrong");
  EXPECT_EQ(make_rows({0, 3}, {0, 1}, {1, 1}, 2).error().message, "row 0 of indptr is wrong");
  EXPECT_EQ(make_rows({0, 2}, {0, 2}, {1, 1}, 2).error().message, "row 0 has a column outside the 2 columns");
  EXPECT_FALSE(make_rows({}, {}, {}, 2));
  EXPECT_FALSE(make_rows({0, 1}, {0}, {}, 2));
}

}  // namespace
}  // namespace ppgnn::graph
