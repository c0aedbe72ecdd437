#include "ppgnn/tokens/tokens.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "ppgnn/core/sha256.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::tokens {
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
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
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

// Whoever may read the file has the secret, and whoever may write it chooses it.
TEST(Secrets, AreRefusedWhereOthersMayReadThem) {
  const test::TemporaryFolder folder;
  const auto secret = folder.path() / "admin";
  const auto keys = folder.path() / "keys";
  std::ofstream(secret) << "sixteen-letters!\n";
  std::ofstream(keys) << Keys::make().text();
  for (const mode_t mode : {0600U, 0400U, 0640U, 0440U, 0700U}) {
    ASSERT_EQ(::chmod(secret.c_str(), mode), 0);
    ASSERT_EQ(::chmod(keys.c_str(), mode), 0);
    EXPECT_TRUE(check_private(secret)) << std::oct << mode;
    EXPECT_TRUE(Secret::read(secret)) << std::oct << mode;
    EXPECT_TRUE(Keys::read(keys)) << std::oct << mode;
  }
  for (const mode_t mode : {0644U, 0604U, 0602U, 0601U, 0660U, 0620U, 0666U, 0777U}) {
    ASSERT_EQ(::chmod(secret.c_str(), mode), 0);
    ASSERT_EQ(::chmod(keys.c_str(), mode), 0);
    const auto refused = Secret::read(secret);
    ASSERT_FALSE(refused) << std::oct << mode;
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
    EXPECT_NE(refused.error().message.find("chmod 600 " + secret.string()), std::string::npos);
    EXPECT_FALSE(Keys::read(keys)) << std::oct << mode;
  }
  EXPECT_EQ(Secret::read(folder.path() / "none").error().code, ErrorCode::io);
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
}  // namespace ppgnn::tokens
