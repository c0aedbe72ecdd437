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

TEST(Number, RoundsUpWhatIsABound) {
  EXPECT_EQ(format_fixed_up(.000004, 4), "0.0001");
  EXPECT_EQ(format_fixed_up(0, 4), "0.0000");
  EXPECT_EQ(format_fixed_up(1, 4), "1.0000");
  EXPECT_EQ(format_fixed_up(.99991, 4), "1.0000");
  EXPECT_EQ(format_fixed_up(73.10585786300049, 1), "73.2");
  EXPECT_EQ(format_significant_up(2.718281828, 3), "2.72");
  EXPECT_EQ(format_significant_up(2.7201, 3), "2.73");
  EXPECT_EQ(format_significant_up(9.9901, 3), "10");
  EXPECT_EQ(format_significant_up(4.01e-06, 2), "4.1e-06");
  EXPECT_EQ(format_significant_up(std::numeric_limits<double>::infinity(), 3), "inf");
  for (double value = 1e-12; value < 1e12; value *= 1.0937) {
    const double shown = *parse_number(format_significant_up(value, 3));
    EXPECT_GE(shown, value);
    EXPECT_LE(shown, value * 1.0101);
    const double fixed = *parse_number(format_fixed_up(value, 4));
    EXPECT_GE(fixed, value);
    EXPECT_LE(fixed, value + 1.01e-4 + value * 1e-15);
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
