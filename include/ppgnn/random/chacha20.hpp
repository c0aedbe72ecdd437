#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ppgnn::random {

/// Input of the ChaCha block function apart from the constants: eight key words, counter, three nonce words.
using ChaChaInput = std::array<std::uint32_t, 12>;

/// `Blocks` consecutive ChaCha20 blocks (RFC 8439 section 2.3), as little-endian words; block i uses counter + i.
///
/// Cost  The blocks run side by side in `Blocks` lanes, which the compiler turns into vector instructions.
template <std::size_t Blocks>
inline void chacha20_blocks(const ChaChaInput& input, std::span<std::uint32_t, 16 * Blocks> out) noexcept {
  using Lanes = std::array<std::uint32_t, Blocks>;
  constexpr std::array<std::uint32_t, 4> kConstants{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  std::array<Lanes, 16> start;
  for (std::size_t word = 0; word < 16; ++word) start[word].fill(word < 4 ? kConstants[word] : input[word - 4]);
  for (std::size_t lane = 0; lane < Blocks; ++lane) start[12][lane] += static_cast<std::uint32_t>(lane);

  std::array<Lanes, 16> state = start;
  const auto quarter_round = [&state](std::size_t a, std::size_t b, std::size_t c, std::size_t d) noexcept {
    const auto half = [&state](std::size_t p, std::size_t q, std::size_t r, int turn) noexcept {
      for (std::size_t lane = 0; lane < Blocks; ++lane) {
        state[p][lane] += state[q][lane];
        state[r][lane] = std::rotl(state[r][lane] ^ state[p][lane], turn);
      }
    };
    half(a, b, d, 16);
    half(c, d, b, 12);
    half(a, b, d, 8);
    half(c, d, b, 7);
  };
  for (int double_round = 0; double_round < 10; ++double_round) {
    for (std::size_t i = 0; i < 4; ++i) quarter_round(i, 4 + i, 8 + i, 12 + i);
    for (std::size_t i = 0; i < 4; ++i) quarter_round(i, 4 + ((i + 1) & 3), 8 + ((i + 2) & 3), 12 + ((i + 3) & 3));
  }
  for (std::size_t lane = 0; lane < Blocks; ++lane) {
    for (std::size_t word = 0; word < 16; ++word) out[16 * lane + word] = state[word][lane] + start[word][lane];
  }
}

}  // namespace ppgnn::random
