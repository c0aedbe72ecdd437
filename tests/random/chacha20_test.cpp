#include "ppgnn/random/chacha20.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace ppgnn::random {
namespace {

std::string key_stream(const ChaChaInput& input) {
  std::array<std::uint32_t, 64> words;
  chacha20_four_blocks(input, words);
  std::string hex;
  for (const std::uint32_t word : words) {
    for (int byte = 0; byte < 4; ++byte) {
      constexpr char kDigits[] = "0123456789abcdef";
      hex += kDigits[word >> (8 * byte + 4) & 15];
      hex += kDigits[word >> (8 * byte) & 15];
    }
  }
  return hex;
}

// RFC 8439 section 2.3.2.
TEST(ChaCha20, MatchesTheBlockVector) {
  const ChaChaInput input{0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c, 0x13121110, 0x17161514,
                          0x1b1a1918, 0x1f1e1d1c, 1,          0x09000000, 0x4a000000, 0};
  std::array<std::uint32_t, 64> words;
  chacha20_four_blocks(input, words);
  const std::array<std::uint32_t, 16> expected{0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3, 0xc7f4d1c7, 0x0368c033,
                                               0x9aaa2204, 0x4e6cd4c3, 0x466482d2, 0x09aa9f07, 0x05d7c214, 0xa2028bd9,
                                               0xd19c12b5, 0xb94e16de, 0xe883d0cb, 0x4e3c50a2};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), words.begin()));
}

// RFC 8439 appendix A.1, vectors 1 and 2: two consecutive blocks of the zero key.
TEST(ChaCha20, MatchesTheKeyStreamVectors) {
  EXPECT_EQ(key_stream(ChaChaInput{}).substr(0, 256),
            "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
            "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
            "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
            "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f");
}

TEST(ChaCha20, LanesAreConsecutiveBlocks) {
  ChaChaInput input{1, 2, 3, 4, 5, 6, 7, 8, 41, 9, 10, 11};
  const std::string four = key_stream(input);
  for (std::size_t block = 0; block < 4; ++block, ++input[8]) {
    EXPECT_EQ(key_stream(input).substr(0, 128), four.substr(128 * block, 128)) << block;
  }
}

}  // namespace
}  // namespace ppgnn::random
