#include "ppgnn/graph/file_digest.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace ppgnn::graph {
namespace {

std::string sha1(std::string_view text) {
  Sha1 hash;
  hash.update({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  return to_hex(hash.finish());
}

// FIPS 180-4 examples.
TEST(FileDigest, Sha1MatchesPublishedVectors) {
  EXPECT_EQ(sha1(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(sha1("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(sha1(std::string(1000000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

// What `git hash-object` and `sha256sum` say of these files.
TEST(FileDigest, OfFiles) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "empty", "");
  test::write_content(folder / "hello", "hello\n");
  EXPECT_EQ(file_digest(folder / "empty", DigestKind::git_blob).value(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_EQ(file_digest(folder / "hello", DigestKind::git_blob).value(), "ce013625030ba8dba906f756967f9e9ca394464a");
  EXPECT_EQ(file_digest(folder / "hello", DigestKind::sha256).value(),
            "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03");
  EXPECT_FALSE(file_digest(folder / "none", DigestKind::sha256));
}

}  // namespace
}  // namespace ppgnn::graph
