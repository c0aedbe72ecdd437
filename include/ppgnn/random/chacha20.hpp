#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ppgnn::random {

/// Input of the ChaCha block function apart from the constants: eight key words, counter, three nonce words.
using ChaChaInput = std::array<std::uint32_t, 12>;

/// Four consecutive ChaCha20 blocks (RFC 8439 section 2.3), as little-endian words; block i uses counter + i.
///
/// Cost  The blocks run side by side in the lanes of 128-bit vectors, which every target has, WebAssembly too.
inline void chacha20_four_blocks(const ChaChaInput& input, std::span<std::uint32_t, 64> out) noexcept {
  using Lanes [[gnu::vector_size(16)]] = std::uint32_t;
  constexpr std::array<std::uint32_t, 4> kConstants{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  std::array<Lanes, 16> start;
  for (std::size_t word = 0; word < 16; ++word) start[word] = Lanes{} + (word < 4 ? kConstants[word] : input[word - 4]);
  start[12] += Lanes{0, 1, 2, 3};

  std::array<Lanes, 16> state = start;
  const auto half = [&state](std::size_t a, std::size_t b, std::size_t d, int turn) noexcept {
    state[a] += state[b];
    const Lanes mixed = state[d] ^ state[a];
    state[d] = mixed << turn | mixed >> (32 - turn);
  };
  const auto quarter_round = [&half](std::size_t a, std::size_t b, std::size_t c, std::size_t d) noexcept {
    half(a, b, d, 16);
    half(c, d, b, 12);
    half(a, b, d, 8);
    half(c, d, b, 7);
  };
  for (int double_round = 0; double_round < 10; ++double_round) {
    quarter_round(0, 4, 8, 12);
    quarter_round(1, 5, 9, 13);
    quarter_round(2, 6, 10, 14);
    quarter_round(3, 7, 11, 15);
    quarter_round(0, 5, 10, 15);
    quarter_round(1, 6, 11, 12);
    quarter_round(2, 7, 8, 13);
    quarter_round(3, 4, 9, 14);
  }
  for (std::size_t word = 0; word < 16; ++word) {
    state[word] += start[word];
    for (std::size_t lane = 0; lane < 4; ++lane) out[16 * lane + word] = state[word][lane];
  }
}

}  // namespace ppgnn::random
