#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Numbers of a fixed width within a report's payload: the length of a report must not depend on what it says.
namespace ppgnn::ldp {

/// Bytes that hold every number up to `largest`.
constexpr std::size_t width_of(std::uint64_t largest) noexcept {
  return std::max<std::size_t>(1, (static_cast<std::size_t>(std::bit_width(largest)) + 7) / 8);
}

inline void append_big_endian(std::uint64_t value, std::size_t width, std::vector<std::uint8_t>& out) {
  for (std::size_t byte = width; byte-- > 0;) out.push_back(static_cast<std::uint8_t>(value >> (8 * byte)));
}

constexpr std::uint64_t read_big_endian(std::span<const std::uint8_t> bytes) noexcept {
  std::uint64_t value = 0;
  for (const std::uint8_t byte : bytes) value = value << 8 | byte;
  return value;
}

}  // namespace ppgnn::ldp
