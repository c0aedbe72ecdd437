#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ppgnn {

using Digest = std::array<std::uint8_t, 32>;

/// SHA-256 of data that arrives in pieces.
///
/// Source  FIPS 180-4. Own code because it also runs on the device as WebAssembly, where no system library is linked.
class Sha256 {
 public:
  void update(std::span<const std::uint8_t> bytes) noexcept;
  void update(std::string_view text) noexcept;
  /// Ends the message; call once.
  Digest finish() noexcept;

 private:
  void block(const std::uint8_t* bytes) noexcept;

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> pending_{};
  std::size_t pending_size_ = 0;
  std::uint64_t total_bytes_ = 0;
};

Digest sha256(std::string_view text) noexcept;

/// Lower-case hexadecimal, two digits a byte.
std::string to_hex(std::span<const std::uint8_t> bytes);
/// And back; nothing for anything else.
std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text);

}  // namespace ppgnn
