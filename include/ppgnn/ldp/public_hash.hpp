#pragma once

#include <cstdint>
#include <string_view>

#include "ppgnn/core/sha256.hpp"

/// Numbers that everybody can compute: where a word goes, who wins a tie. Never randomness: nothing here may stand where
/// a report needs a random word.
namespace ppgnn::ldp {

/// Spreads `value` over 64 bits, differently for each key. Not cryptographic, and need not be.
///
/// Source  The finaliser of SplitMix64 (Steele, Lea, Flood, 2014), twice, the key in between.
constexpr std::uint64_t public_hash(std::uint64_t key, std::uint64_t value) noexcept {
  const auto mix = [](std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  };
  return mix(mix(value + 0x9e3779b97f4a7c15) + key);
}

/// `hash` as a number below `bound`: its first 32 bits, scaled. Off from uniform by bound / 2^32 at most.
constexpr std::uint32_t scaled(std::uint64_t hash, std::uint32_t bound) noexcept {
  return static_cast<std::uint32_t>(((hash >> 32) * bound) >> 32);
}

/// A key from public text: the first eight bytes of its SHA-256, big-endian.
inline std::uint64_t public_key(std::string_view text) noexcept {
  const Digest digest = sha256(text);
  std::uint64_t key = 0;
  for (int i = 0; i < 8; ++i) key = key << 8 | digest[static_cast<std::size_t>(i)];
  return key;
}

}  // namespace ppgnn::ldp
