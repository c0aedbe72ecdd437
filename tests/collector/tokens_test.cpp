#include "ppgnn/collector/tokens.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "ppgnn/core/sha256.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::collector {
namespace {

Keys keys_of(const std::string& text) {
  const auto keys = Keys::parse({"keys", text});
  EXPECT_TRUE(keys) << keys.error().message;
  return keys.value();
}
const std::string kOne = to_hex(std::vector<std::uint8_t>(32, 0x11)) + "\n";
const std::string kTwo = to_hex(std::vector<std::uint8_t>(32, 0x22)) + "\n";

// From python: base64url(hmac_sha256(bytes.fromhex("11" * 32), b"ppgnn-token-1\0spring\0ana")).
TEST(Tokens, Vector) {
  const std::string token = keys_of(kOne).token("spring", "ana");
  EXPECT_EQ(token, "YW5h.whcJTZJTqx4ZCChUy6tDIieMw_9Gmq8C6SF8XSTsLxs");
  EXPECT_EQ(keys_of(kOne).person("spring", token), "ana");
}

TEST(Tokens, AreOfOnePersonCampaignAndKey) {
  const Keys one = keys_of(kOne);
  const std::string token = one.token("spring", "ana");
  EXPECT_EQ(one.person("autumn", token), std::nullopt);
  EXPECT_EQ(keys_of(kTwo).person("spring", token), std::nullopt);
  const std::string other = one.token("spring", "bob");
  const std::string mixed = other.substr(0, other.find('.')) + token.substr(token.find('.'));
  EXPECT_EQ(one.person("spring", mixed), std::nullopt);
  // Parts that are shifted between campaign and name are other parts.
  EXPECT_NE(one.token("a", "b"), one.token("a\0b", ""));
}

TEST(Tokens, TwoKeysAreGoodDuringAChange) {
  const Keys before = keys_of(kOne);
  const Keys both = before.renewed();
  EXPECT_EQ(both.person("spring", before.token("spring", "ana")), "ana");
  EXPECT_EQ(both.person("spring", both.token("spring", "ana")), "ana");
  EXPECT_EQ(before.person("spring", both.token("spring", "ana")), std::nullopt);
  EXPECT_EQ(both.renewed().person("spring", before.token("spring", "ana")), std::nullopt);
  EXPECT_EQ(keys_of(both.text()).person("spring", before.token("spring", "ana")), "ana");
}

// Every sign of a token changed, and every length.
TEST(Tokens, NothingElseIsOne) {
  const Keys keys = keys_of(kOne);
  const std::string good = keys.token("spring", "somebody");
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = bad[i] == 'A' ? 'B' : 'A';
    EXPECT_EQ(keys.person("spring", bad), std::nullopt) << i;
    EXPECT_EQ(keys.person("spring", good.substr(0, i)), std::nullopt) << i;
  }
  for (const char* bad : {"", ".", "..", "YW5h", "YW5h.", ".YW5h", "YW5h.YW5h", "=.=", "\xff.\xff"}) {
    EXPECT_EQ(keys.person("spring", bad), std::nullopt) << bad;
  }
  EXPECT_EQ(keys.person("spring", good + "A"), std::nullopt);
  EXPECT_EQ(keys.person("spring", std::string(5000, 'A') + good), std::nullopt);
}

TEST(Tokens, NamesAreAnyBytes) {
  const Keys keys = Keys::make();
  for (const std::string& name : {std::string(), std::string("\0\xff.\n", 4), std::string(1000, '\xc3')}) {
    EXPECT_EQ(keys.person("c", keys.token("c", name)), name);
  }
}

TEST(Keys, OtherFilesAreRefused) {
  const auto refused = [](const std::string& text) { return !Keys::parse({"keys", text}); };
  EXPECT_TRUE(refused(""));
  EXPECT_TRUE(refused("1\n"));
  EXPECT_TRUE(refused(to_hex(std::vector<std::uint8_t>(32, 0x11))));  // no line feed
  std::string text = kOne;
  text[5] = 'g';
  EXPECT_TRUE(refused(text));
  text = kOne;
  EXPECT_TRUE(refused(text.append("\n")));
  text = kOne;
  EXPECT_TRUE(refused(text.append(kTwo).append(kOne)));
}

TEST(Keys, AreNewEachTime) {
  EXPECT_NE(Keys::make().text(), Keys::make().text());
}

TEST(Secrets, AreComparedWhole) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "admin";
  std::ofstream(file) << "sixteen-letters!\n";
  const auto secret = Secret::read(file);
  ASSERT_TRUE(secret);
  EXPECT_TRUE(secret->is("sixteen-letters!"));
  EXPECT_FALSE(secret->is("sixteen-letters"));
  EXPECT_FALSE(secret->is(""));
  for (const char* bad : {"", "short\n", "two lines of it all\nand more\n"}) {
    std::ofstream(file) << bad;
    EXPECT_FALSE(Secret::read(file)) << bad;
  }
}

TEST(Secrets, ArePrivateFilesAndReplaceNone) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "keys";
  ASSERT_TRUE(write_private(file, "secret"));
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_FALSE(write_private(file, "another"));
}

}  // namespace
}  // namespace ppgnn::collector
