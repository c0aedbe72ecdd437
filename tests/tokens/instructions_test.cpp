// Looking at a token takes the same instructions, in the same order, wherever its first wrong byte is: whoever measures time learns
// nothing to guess from. What an instruction takes by its operands, and what caches do, is not seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "ppgnn/core/sha256.hpp"
#include "ppgnn/io/base64url.hpp"
#include "ppgnn/tokens/tokens.hpp"
#include "support/single_steps.hpp"

namespace ppgnn::tokens {
namespace {

using test::Path;

constexpr std::size_t kBytes = 32;

bool can_trace() {
  return test::path_of([] {}).has_value();
}

std::string code_of(const std::string& token) {
  return *io::from_base64url(token.substr(token.find('.') + 1));
}

// A comparison that ends at the first difference shows, so the others would.
TEST(TokenInstructions, AnEarlyEndShows) {
  if (!can_trace()) GTEST_SKIP() << "skipped: the system does not let a process trace its child";
  std::array<volatile unsigned char, kBytes> bytes{};
  const auto path_with = [&](std::size_t wrong) {
    return test::path_of([&] {
      bytes[wrong] = 1;
      for (const volatile unsigned char& byte : bytes) {
        if (byte != 0) break;
      }
    });
  };
  EXPECT_EQ(path_with(7), path_with(7));
  EXPECT_NE(path_with(7), path_with(8));
}

TEST(TokenInstructions, AreTheSameWhereverItIsWrong) {
  if (!can_trace()) GTEST_SKIP() << "skipped: the system does not let a process trace its child";
  const Keys keys = Keys::make().renewed();  // two keys: the first that fits must not end it either
  const std::string good = keys.token("spring", "ana");
  std::string token = good;
  ASSERT_EQ(keys.person("spring", token), "ana");  // everything is bound
  const std::size_t start = token.find('.') + 1;
  constexpr std::array<std::size_t, 6> kWrong{0, 1, 9, 15, 16, 31};
  std::array<std::optional<Path>, kWrong.size()> paths;
  std::array<std::string, kWrong.size()> tokens;
  for (std::size_t i = 0; i < kWrong.size(); ++i) {
    std::string code = code_of(good);
    code[kWrong[i]] = static_cast<char>(code[kWrong[i]] ^ 1);
    tokens[i] = good.substr(0, start) + io::to_base64url(code);
    ASSERT_EQ(keys.person("spring", tokens[i]), std::nullopt);
  }
  for (std::size_t i = 0; i < kWrong.size(); ++i) {
    std::copy(tokens[i].begin(), tokens[i].end(), token.begin());  // in the same place
    paths[i] = test::path_of([&] { static_cast<void>(keys.person("spring", token)); });
  }
  for (std::size_t i = 0; i < kWrong.size(); ++i) {
    ASSERT_TRUE(paths[i]);
    EXPECT_GT(paths[i]->instructions, 1000U);
    EXPECT_EQ(paths[i]->instructions, paths[0]->instructions) << "byte " << kWrong[i];
    EXPECT_EQ(paths[i]->places, paths[0]->places) << "byte " << kWrong[i];
  }
}

// Digests are compared: texts whose digests share their first byte, or first two, with the secret's take no longer.
TEST(TokenInstructions, AreTheSameForEverySecretOfALength) {
  if (!can_trace()) GTEST_SKIP() << "skipped: the system does not let a process trace its child";
  const std::string right = "a secret of 24 letters.";
  const Secret secret(right);
  const Digest digest = sha256(right);
  std::array<std::string, 3> shown;  // by how many bytes are alike
  for (int i = 0; i < 10'000'000 && std::any_of(shown.begin(), shown.end(), [](auto& one) { return one.empty(); });
       ++i) {
    std::string text = right;
    std::snprintf(text.data() + 10, 12, "%011d", i);
    text[21] = 'x';
    const Digest other = sha256(text);
    const auto alike = static_cast<std::size_t>(
        std::mismatch(digest.begin(), digest.end(), other.begin(), other.end()).first - digest.begin());
    if (alike < shown.size() && shown[alike].empty()) shown[alike] = text;
  }
  std::string text = right;
  ASSERT_TRUE(secret.is(text));
  std::array<std::optional<Path>, 3> paths;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    ASSERT_EQ(shown[i].size(), text.size());
    std::copy(shown[i].begin(), shown[i].end(), text.begin());
    paths[i] = test::path_of([&] { static_cast<void>(secret.is(text)); });
    ASSERT_TRUE(paths[i]);
  }
  EXPECT_EQ(paths[1], paths[0]);
  EXPECT_EQ(paths[2], paths[0]);
}

}  // namespace
}  // namespace ppgnn::tokens
