// Any text as a number, and any double as text: the same as <charconv>.
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "core/decimal.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  double expected = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + size, expected);
  const bool whole = status == std::errc{} && end == text.data() + size;
  const auto read = ppgnn::decimal::parse(text);
  // "inf" and "nan" are not read here.
  if (read.has_value() != (whole && expected - expected == 0)) std::abort();
  if (read && std::bit_cast<std::uint64_t>(*read) != std::bit_cast<std::uint64_t>(expected)) std::abort();

  if (size < sizeof(double)) return 0;
  double value = 0;
  std::memcpy(&value, data, sizeof(value));
  char buffer[64];
  const auto written = std::to_chars(buffer, buffer + sizeof(buffer), value);
  if (ppgnn::decimal::shortest(value) != std::string_view(buffer, written.ptr)) std::abort();
  return 0;
}
