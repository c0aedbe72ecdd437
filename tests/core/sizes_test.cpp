#include "ppgnn/core/sizes.hpp"

#include <gtest/gtest.h>

namespace ppgnn {
namespace {

constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();

TEST(Sizes, ProductsAndSumsAreExactOrNothing) {
  EXPECT_EQ(checked_product({}), 1u);
  EXPECT_EQ(checked_product({3, 5, 7}), 105u);
  EXPECT_EQ(checked_product({kMost, 1}), kMost);
  EXPECT_EQ(checked_product({std::size_t{1} << 32, std::size_t{1} << 32}), std::nullopt);
  EXPECT_EQ(checked_product({kMost / 4 + 1, 4}), std::nullopt);
  EXPECT_EQ(checked_product({kMost / 5, 5}), kMost);
  EXPECT_EQ(checked_sum({}), 0u);
  EXPECT_EQ(checked_sum({kMost - 1, 1}), kMost);
  EXPECT_EQ(checked_sum({kMost, 1}), std::nullopt);
  EXPECT_EQ(checked_sum({1, kMost}), std::nullopt);
}

// Whatever the order, a matrix without rows is empty.
TEST(Sizes, AZeroMakesEverythingZero) {
  EXPECT_EQ(checked_product({0, kMost, kMost}), 0u);
  EXPECT_EQ(checked_product({kMost, kMost, 0}), 0u);
}

TEST(Sizes, CappedIsTheLargestWhereNothingFits) {
  EXPECT_EQ(capped_product({3, 5}), 15u);
  EXPECT_EQ(capped_product({kMost, 2}), kMost);
  EXPECT_EQ(capped_sum({3, 5}), 8u);
  EXPECT_EQ(capped_sum({kMost, 2}), kMost);
}

}  // namespace
}  // namespace ppgnn
