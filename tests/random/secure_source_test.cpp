#include "ppgnn/random/secure_source.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <fstream>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ppgnn/random/bit_source.hpp"

namespace ppgnn::random {
namespace {

static_assert(BitSource<SecureSource>);
// Nothing can be handed in from outside, and the state cannot be duplicated.
static_assert(!std::is_constructible_v<SecureSource, std::uint64_t>);
static_assert(!std::is_copy_constructible_v<SecureSource> && !std::is_copy_assignable_v<SecureSource>);

std::vector<std::uint64_t> draw(SecureSource& source, std::size_t count) {
  std::vector<std::uint64_t> words(count);
  for (std::uint64_t& word : words) word = source.next();
  return words;
}

// How many mappings of this process a child finds zeroed, and how many of these stay out of core dumps, as the kernel says.
std::pair<int, int> guarded_mappings() {
  std::ifstream maps("/proc/self/smaps");
  std::pair<int, int> found;
  for (std::string line; std::getline(maps, line);) {
    if (!line.starts_with("VmFlags:") || line.find(" wf") == std::string::npos) continue;
    ++found.first;
    if (line.find(" dd") != std::string::npos) ++found.second;
  }
  return found;
}

TEST(SecureSource, TheKernelKeepsItsPageOutOfChildrenAndDumps) {
  const auto before = guarded_mappings();
  SecureSource first;
  SecureSource second;
  first.next();
  const auto after = guarded_mappings();
  // The kernel may join two pages that lie side by side.
  EXPECT_GT(after.first, before.first);
  EXPECT_EQ(after.second, after.first);
}

// 2^20 distinct words out of 2^64: a repeat has probability 3e-8. Crosses the 1,024-refill reseed.
TEST(SecureSource, DoesNotRepeatItself) {
  SecureSource source;
  std::unordered_set<std::uint64_t> seen;
  std::uint64_t ones = 0;
  constexpr std::uint64_t kWords = 1 << 20;
  for (std::uint64_t i = 0; i < kWords; ++i) {
    const std::uint64_t word = source.next();
    EXPECT_TRUE(seen.insert(word).second);
    ones += static_cast<std::uint64_t>(std::popcount(word));
  }
  // Mean 2^25, standard deviation 4096; 7 standard deviations: false alarm below 3e-12.
  EXPECT_NEAR(static_cast<double>(ones), 32.0 * kWords, 7 * 4096);
}

TEST(SecureSource, TwoSourcesDiffer) {
  SecureSource first;
  SecureSource second;
  EXPECT_NE(draw(first, 4), draw(second, 4));
}

TEST(SecureSource, MovedSourceGoesOn) {
  SecureSource source;
  const auto before = draw(source, 4);
  SecureSource moved(std::move(source));
  EXPECT_NE(draw(moved, 4), before);
}

// A child must not replay what the parent will draw, neither from the buffer nor from the key.
TEST(SecureSource, ForkedChildrenDrawOtherWordsThanTheParent) {
  SecureSource source;
  draw(source, 3);  // leaves a part-used buffer
  constexpr std::size_t kWords = 512;
  constexpr int kChildren = 3;
  std::set<std::uint64_t> seen;
  for (int child = 0; child < kChildren; ++child) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      const auto words = draw(source, kWords);
      const auto size = static_cast<ssize_t>(words.size() * sizeof(std::uint64_t));
      _exit(write(ends[1], words.data(), static_cast<std::size_t>(size)) == size ? 0 : 1);
    }
    close(ends[1]);
    std::vector<std::uint64_t> words(kWords);
    ASSERT_EQ(read(ends[0], words.data(), kWords * sizeof(std::uint64_t)),
              static_cast<ssize_t>(kWords * sizeof(std::uint64_t)));
    close(ends[0]);
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    ASSERT_EQ(status, 0);
    seen.insert(words.begin(), words.end());
  }
  const auto own = draw(source, kWords);
  seen.insert(own.begin(), own.end());
  EXPECT_EQ(seen.size(), kWords * (kChildren + 1));
}

}  // namespace
}  // namespace ppgnn::random
