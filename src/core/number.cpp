#include "ppgnn/core/number.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include "core/decimal.hpp"

namespace ppgnn {

#if defined(__wasi__)

std::string format_number(double value) {
  return decimal::shortest(value);
}
std::string format_significant(double value, int digits) {
  return decimal::significant(value, digits);
}
std::string format_fixed(double value, int decimals) {
  return decimal::fixed(value, decimals);
}
std::optional<double> parse_number(std::string_view text) {
  return decimal::parse(text);
}

#else

std::string format_number(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  return {buffer, end};
}

std::string format_significant(double value, int digits) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::general, digits).ptr;
  return {buffer, end};
}

std::string format_fixed(double value, int decimals) {
  char buffer[400];  // the largest double has 309 digits
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::fixed, decimals).ptr;
  return {buffer, end};
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const char* last = text.data() + text.size();
  const auto [end, status] = std::from_chars(text.data(), last, value);
  if (status != std::errc{} || end != last) return std::nullopt;
  return value;
}

#endif

namespace {

// What a format makes of the smallest double it does not round down below `value`.
std::string rounded_up(double value, int places, std::string (*format)(double, int)) {
  std::string text = format(value, places);
  if (!std::isfinite(value)) return text;
  // What is added is doubled until it shows, so the result is at most two units of the last place above.
  double more = std::abs(value) * 0x1p-52 + 0x1p-1074;
  while (parse_number(text).value_or(value) < value) {
    text = format(value + more, places);
    more *= 2;
  }
  return text;
}

}  // namespace

std::string format_significant_up(double value, int digits) {
  return rounded_up(value, digits, format_significant);
}

std::string format_fixed_up(double value, int decimals) {
  return rounded_up(value, decimals, format_fixed);
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    if (__builtin_mul_overflow(value, 10U, &value)) return std::nullopt;
    if (__builtin_add_overflow(value, static_cast<unsigned>(digit - '0'), &value)) return std::nullopt;
  }
  return value;
}

}  // namespace ppgnn
