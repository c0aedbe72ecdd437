#include "ppgnn/core/number.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>

namespace ppgnn {
namespace {

TEST(Number, WritesTheShortestTextThatReadsBack) {
  EXPECT_EQ(format_number(0.1), "0.1");
  EXPECT_EQ(format_number(16), "16");
  EXPECT_EQ(format_number(1e-6), "1e-06");
  for (const double value : {1.0 / 3, 6.27120302957996, 5e-324, std::numeric_limits<double>::max()}) {
    EXPECT_EQ(parse_number(format_number(value)), value);
  }
}

TEST(Number, DoesNotDependOnTheLocale) {
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  EXPECT_EQ(parse_number("0.5"), 0.5);
  EXPECT_EQ(format_number(0.5), "0.5");
  std::setlocale(LC_ALL, "C");
}

TEST(Number, ReadsTheWholeTextOrNothing) {
  for (const char* text : {"", " 1", "1 ", "1,5", "0x10", "1e999", "--1", "+1", "1.5.2", "abc"}) {
    EXPECT_FALSE(parse_number(text)) << text;
  }
  for (const char* text : {"", "-1", "+1", "1.0", "18446744073709551616", " 7"}) {
    EXPECT_FALSE(parse_unsigned(text)) << text;
  }
  EXPECT_EQ(parse_unsigned("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
}

}  // namespace
}  // namespace ppgnn
