#include "ppgnn/core/result.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace ppgnn {
namespace {

Result<std::unique_ptr<int>> half(int number) {
  if ((number & 1) != 0)
    return Error{ErrorCode::invalid_argument, "number: must be even, but is " + std::to_string(number)};
  return std::make_unique<int>(number / 2);
}

TEST(Result, HoldsAValueOrAnError) {
  auto good = half(8);
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(**good, 4);
  const std::unique_ptr<int> moved = std::move(good).value();
  EXPECT_EQ(*moved, 4);

  const auto bad = half(7);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(bad.error().message, "number: must be even, but is 7");
}

TEST(Result, OfNothingIsSuccessOrAnError) {
  EXPECT_TRUE(Result<void>{}.ok());
  const Result<void> failed = Error{ErrorCode::io, "file: gone"};
  EXPECT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "file: gone");
}

#ifndef NDEBUG
TEST(ResultDeathTest, ReadingTheWrongSideIsABug) {
  EXPECT_DEATH(static_cast<void>(half(7).value()), "has_value");
}
#endif

}  // namespace
}  // namespace ppgnn
