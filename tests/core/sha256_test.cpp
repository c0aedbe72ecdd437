#include "ppgnn/core/sha256.hpp"

#include <gtest/gtest.h>

namespace ppgnn {
namespace {

// FIPS 180-4 examples and the two block-boundary lengths.
TEST(Sha256, MatchesPublishedVectors) {
  EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(to_hex(sha256(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheMessageIsCut) {
  std::string message;
  for (int i = 0; i < 300; ++i) message += static_cast<char>(i);
  for (std::size_t length = 0; length <= message.size(); length += 7) {
    const std::string_view text = std::string_view(message).substr(0, length);
    const Digest whole = sha256(text);
    for (std::size_t cut = 0; cut <= length; cut += 13) {
      Sha256 hash;
      hash.update(text.substr(0, cut));
      hash.update(text.substr(cut));
      ASSERT_EQ(hash.finish(), whole) << length << " cut at " << cut;
    }
  }
}

}  // namespace
}  // namespace ppgnn
