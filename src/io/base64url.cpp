#include "ppgnn/io/base64url.hpp"

#include <array>
#include <cstdint>

namespace ppgnn::io {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr std::array<std::int8_t, 256> values_of_alphabet() {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    values[static_cast<std::uint8_t>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  return values;
}
constexpr std::array kValues = values_of_alphabet();

}  // namespace

std::string to_base64url(std::string_view bytes) {
  std::string text;
  std::uint32_t pending = 0;
  int bits = 0;
  for (const char byte : bytes) {
    pending = pending << 8 | static_cast<std::uint8_t>(byte);
    for (bits += 8; bits >= 6; bits -= 6) text += kAlphabet[pending >> (bits - 6) & 63];
  }
  if (bits > 0) text += kAlphabet[pending << (6 - bits) & 63];
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t pending = 0;
  int bits = 0;
  for (const char sign : text) {
    const std::int8_t value = kValues[static_cast<std::uint8_t>(sign)];
    if (value < 0) return std::nullopt;
    pending = pending << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(pending >> bits & 255);
  }
  if (bits >= 6 || (pending & ((1U << bits) - 1)) != 0) return std::nullopt;
  return bytes;
}

}  // namespace ppgnn::io
