#include "core/decimal.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace ppgnn::decimal {
namespace {

// What <charconv> writes, which this standard library has in full.
template <class... Form>
std::string written(double value, Form... form) {
  char buffer[2048];
  return {buffer, std::to_chars(buffer, buffer + sizeof(buffer), value, form...).ptr};
}

std::optional<double> read(std::string_view text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void expect_same_reading(const std::string& text) {
  const auto expected = read(text);
  const auto actual = parse(text);
  ASSERT_EQ(actual.has_value(), expected.has_value()) << text;
  if (expected) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*actual), std::bit_cast<std::uint64_t>(*expected)) << text;
  }
}

void expect_same(double value) {
  const std::string text = written(value);
  EXPECT_EQ(shortest(value), text);
  for (const int digits : {0, 1, 2, 3, 4, 17}) {
    EXPECT_EQ(significant(value, digits), written(value, std::chars_format::general, digits)) << text;
  }
  for (const int decimals : {0, 1, 4, 20}) {
    EXPECT_EQ(fixed(value, decimals), written(value, std::chars_format::fixed, decimals)) << text;
  }
  if (std::isfinite(value)) expect_same_reading(text);
}

TEST(Decimal, WritesAndReadsWhatCharconvDoes) {
  std::mt19937_64 draw(20260101);  // fixed: the same numbers every time
  for (int i = 0; i < 1000; ++i) expect_same(std::bit_cast<double>(draw()));
  for (int i = 0; i < 1000; ++i) expect_same(static_cast<double>(draw() >> 44) / 1000 - 500);
  for (int i = 0; i < 500; ++i) expect_same(std::ldexp(static_cast<double>(draw()), -20));  // large whole numbers
  for (int exponent = -1074; exponent <= 1023; exponent += 3) {
    const double power = std::ldexp(1.0, exponent);  // where doubles lie closer on one side
    expect_same(power);
    expect_same(std::nextafter(power, 0));
  }
  for (int exponent = -323; exponent <= 308; ++exponent) expect_same(*read("1e" + std::to_string(exponent)));
  for (const double value : {0.0, -0.0, 0.5, 1.5, 2.5, 0.125, 9.5, 99.95, 1e22, 1e23, 9007199254740993.0, 123456.0,
                             std::numeric_limits<double>::max(), std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    expect_same(value);
  }
}

TEST(Decimal, ReadsWhatLiesBetweenDoubles) {
  std::mt19937_64 draw(20260102);  // fixed
  for (int i = 0; i < 500; ++i) {
    // Halfway between two neighbours, exactly, and a digit more or less than that.
    const double value = std::bit_cast<double>(draw() % (std::uint64_t{0x7fe} << 52));
    const double gap = std::nextafter(value, INFINITY) - value;
    const int decimals = std::max(1, 1 - std::ilogb(gap) + 1);
    std::string half = written(value, std::chars_format::fixed, decimals);
    if (gap > 2) continue;  // whole numbers: below
    // value and gap / 2 have finite expansions: adding them digit by digit.
    const std::string step = written(gap / 2, std::chars_format::fixed, decimals);
    int carry = 0;
    for (std::size_t k = 0; k < half.size(); ++k) {
      char& digit = half[half.size() - 1 - k];
      if (digit == '.') continue;
      const int sum = digit - '0' + (k < step.size() ? step[step.size() - 1 - k] - '0' : 0) + carry;
      digit = static_cast<char>('0' + sum % 10);
      carry = sum / 10;
    }
    expect_same_reading(half);
    expect_same_reading(half + "0000000001");
    expect_same_reading(half.substr(0, half.size() - 1) + "4999");
  }
  for (const char* text :
       {"9007199254740993", "9007199254740992.9999999999999999999", "9007199254740993.00000000000001", "1e400",
        "-1e400", "1.7976931348623158e308", "1.7976931348623159e308", "1e-400", "2.4e-324", "2.5e-324", "0e99999999999",
        "1e99999999999", "1e-99999999999", "00012.50", ".5", "5.", "-0", "0.000"}) {
    expect_same_reading(text);
  }
  std::string nines(2000, '9');
  expect_same_reading(nines.append("e-2000"));
  // Many digits with every exponent: what the numbers within have room for.
  for (int exponent = -2400; exponent <= 400; exponent += 37) {
    for (const unsigned count : {1U, 17U, 769U, 770U, 771U, 1500U}) {
      std::string text(count, '7');
      expect_same_reading(text.append("e").append(std::to_string(exponent)));
    }
  }
  std::string zeros = "0.";
  expect_same_reading(zeros.append(2000, '0').append("7e2000"));
}

TEST(Decimal, RefusesWhatIsNoNumber) {
  for (const char* text :
       {"", "-", ".", "e5", "1e", "1e+", "+1", "--1", " 1", "1 ", "0x10", "1.5.2", "1,5", "abc", "1e5x", "."}) {
    EXPECT_FALSE(parse(text)) << text;
    EXPECT_FALSE(read(text)) << text;
  }
}

}  // namespace
}  // namespace ppgnn::decimal
