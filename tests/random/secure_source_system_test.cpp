// The secure source's claims, with the operating system's calls played by the test: a definition here takes the place of the
// library's for this executable. The product has no such parameter.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <set>
#include <span>
#include <vector>

#include "ppgnn/random/chacha20.hpp"
#include "ppgnn/random/secure_source.hpp"

namespace {

// What getrandom does next: a number of bytes at most, or an error.
struct Turn {
  ssize_t most = 256;
  int error = 0;
};

struct System {
  std::deque<std::uint8_t> entropy;
  std::deque<Turn> turns;
  std::size_t calls = 0;
  std::size_t delivered = 0;
  unsigned flags = 0;
  // The state's page.
  void* page = nullptr;
  std::size_t size = 0;
  bool zero_when_released = false;
  std::set<int> advice;  // that the kernel was given about all of it
  int refused = -1;      // advice that the kernel does not take
};
System os;

}  // namespace

extern "C" ssize_t getrandom(void* buffer, std::size_t size, unsigned flags) {
  ++os.calls;
  os.flags |= flags;
  Turn turn;
  if (!os.turns.empty()) {
    turn = os.turns.front();
    os.turns.pop_front();
  }
  if (turn.error != 0) {
    errno = turn.error;
    return -1;
  }
  const std::size_t count = std::min({size, static_cast<std::size_t>(turn.most), os.entropy.size()});
  for (std::size_t i = 0; i < count; ++i) {
    static_cast<std::uint8_t*>(buffer)[i] = os.entropy.front();
    os.entropy.pop_front();
  }
  os.delivered += count;
  return static_cast<ssize_t>(count);
}

extern "C" void* mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  void* page = reinterpret_cast<void*>(syscall(SYS_mmap, address, size, protection, flags, file, offset));
  os.page = page;
  os.size = size;
  return page;
}

extern "C" int madvise(void* page, std::size_t size, int advice) noexcept {
  if (advice == os.refused) return -1;
  if (page == os.page && size == os.size) os.advice.insert(advice);
  return static_cast<int>(syscall(SYS_madvise, page, size, advice));
}

extern "C" int munmap(void* page, std::size_t size) noexcept {
  const auto* bytes = static_cast<const std::uint8_t*>(page);
  if (page == os.page) os.zero_when_released = std::all_of(bytes, bytes + size, [](std::uint8_t b) { return b == 0; });
  return static_cast<int>(syscall(SYS_munmap, page, size));
}

namespace ppgnn::random {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kWordsPerRefill = 124;
constexpr std::size_t kRefillsPerReseed = 1024;
using Key = std::array<std::uint8_t, kKeyBytes>;

Key key_of(std::uint8_t first) {
  Key key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(first + 37 * i);
  return key;
}

void play(const std::vector<Key>& keys, std::deque<Turn> turns = {}) {
  os = {};
  for (const Key& key : keys) os.entropy.insert(os.entropy.end(), key.begin(), key.end());
  os.turns = std::move(turns);
}

// What RFC 8439's block function makes of a key: the next key, and the words in the order they are handed out.
struct Expected {
  Key next;
  std::vector<std::uint64_t> words;
};

Expected expected_of(const Key& key) {
  ChaChaInput input{};
  std::memcpy(input.data(), key.data(), key.size());
  std::vector<std::uint32_t> stream(256);
  for (std::size_t group = 0; group < 4; ++group, input[8] += 4) {
    chacha20_four_blocks(input, std::span<std::uint32_t, 64>(stream.data() + 64 * group, 64));
  }
  Expected expected;
  std::memcpy(expected.next.data(), stream.data(), kKeyBytes);
  expected.words.resize(kWordsPerRefill);
  std::memcpy(expected.words.data(), stream.data() + 8, kWordsPerRefill * 8);
  std::reverse(expected.words.begin(), expected.words.end());
  return expected;
}

std::vector<std::uint64_t> draw(SecureSource& source, std::size_t count) {
  std::vector<std::uint64_t> words(count);
  for (std::uint64_t& word : words) word = source.next();
  return words;
}

bool holds(const void* memory, std::size_t size, const void* pattern, std::size_t length) {
  return memmem(memory, size, pattern, length) != nullptr;
}

TEST(SecureSourceSystem, TheKeyIsAll256BitsInTheirOrder) {
  const Key key = key_of(1);
  play({key});
  SecureSource source;
  EXPECT_EQ(draw(source, kWordsPerRefill), expected_of(key).words);
  EXPECT_EQ(os.delivered, kKeyBytes);
  EXPECT_EQ(os.flags, 0u) << "blocking until the pool is ready, never the weaker source";
  const std::uint64_t first = expected_of(key).words[0];
  for (std::size_t bit = 0; bit < 8 * kKeyBytes; ++bit) {
    Key other = key;
    other[bit / 8] = static_cast<std::uint8_t>(other[bit / 8] ^ (1u << bit % 8));
    play({other});
    SecureSource changed;
    EXPECT_NE(changed.next(), first) << bit;
  }
}

TEST(SecureSourceSystem, EveryRefillReplacesTheKey) {
  const Key key = key_of(2);
  play({key});
  SecureSource source;
  const Expected first = expected_of(key);
  const Expected second = expected_of(first.next);
  EXPECT_EQ(source.next(), first.words[0]);
  EXPECT_FALSE(holds(os.page, os.size, key.data(), 8)) << "the old key is still there";
  draw(source, kWordsPerRefill - 1);
  EXPECT_EQ(draw(source, kWordsPerRefill), second.words);
  EXPECT_FALSE(holds(os.page, os.size, first.next.data(), 8));
  EXPECT_EQ(os.calls, 1u);
}

TEST(SecureSourceSystem, AWordIsGoneWhenItIsHandedOut) {
  play({key_of(3)});
  SecureSource source;
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t word = source.next();
    ASSERT_FALSE(holds(os.page, os.size, &word, sizeof word)) << i;
  }
}

// What a call left on the stack, below the caller.
[[gnu::noinline]] std::vector<std::uint8_t> stack_below() {
  std::array<std::uint8_t, 1 << 14> room;
  std::vector<std::uint8_t> found(room.size());
  const volatile std::uint8_t* bytes = room.data();  // as it was found
  for (std::size_t i = 0; i < room.size(); ++i) found[i] = bytes[i];
  return found;
}

// What the test itself left there goes first.
[[gnu::noinline]] void scrub_stack() {
  volatile std::uint8_t room[1 << 15];
  for (volatile std::uint8_t& byte : room) byte = 0;
}

TEST(SecureSourceSystem, NothingOfItStaysOnTheStack) {
  const Key key = key_of(4);
  play({key});
  const Expected expected = expected_of(key);
  SecureSource source;
  scrub_stack();
  source.next();
  const std::vector<std::uint8_t> below = stack_below();
  for (std::size_t at = 0; at < kKeyBytes; at += 8) {
    EXPECT_FALSE(holds(below.data(), below.size(), key.data() + at, 8)) << "key";
    EXPECT_FALSE(holds(below.data(), below.size(), expected.next.data() + at, 8)) << "next key";
  }
  for (std::size_t i = 1; i < expected.words.size(); ++i) {
    EXPECT_FALSE(holds(below.data(), below.size(), &expected.words[i], 8)) << "a word to come, " << i;
  }
}

TEST(SecureSourceSystem, FreshEntropyComesInAfter1024Refills) {
  std::vector<std::uint64_t> after[2];
  for (const std::uint8_t second : {std::uint8_t{50}, std::uint8_t{51}}) {
    play({key_of(5), key_of(second)});
    SecureSource source;
    draw(source, kRefillsPerReseed * kWordsPerRefill);
    EXPECT_EQ(os.calls, 1u);
    after[second - 50] = draw(source, kWordsPerRefill);
    EXPECT_EQ(os.calls, 2u);
    EXPECT_EQ(os.delivered, 2 * kKeyBytes);
  }
  EXPECT_NE(after[0], after[1]);
}

TEST(SecureSourceSystem, ShortReadsAndInterruptionsAreGoneThrough) {
  const Key key = key_of(6);
  play({key}, {{256, EINTR}, {1, 0}, {7, 0}, {256, EINTR}, {3, 0}, {20, 0}});
  SecureSource source;
  EXPECT_EQ(draw(source, kWordsPerRefill), expected_of(key).words);
  EXPECT_EQ(os.delivered, kKeyBytes);
}

TEST(SecureSourceSystemDeathTest, WithoutEntropyTheProcessEnds) {
  for (const Turn& turn : {Turn{256, EIO}, Turn{0, 0}}) {
    play({key_of(7)}, {{5, 0}, turn});
    EXPECT_DEATH(
        {
          SecureSource source;
          source.next();
        },
        "");
  }
}

// Neither a core dump nor a forked child gets the key; where the kernel cannot promise that, there is no source.
TEST(SecureSourceSystem, TheStateIsLeftOutOfDumpsAndOfChildren) {
  play({});
  { const SecureSource source; }
  EXPECT_EQ(os.advice, (std::set<int>{MADV_DONTDUMP, MADV_WIPEONFORK}));
}
TEST(SecureSourceSystemDeathTest, WithoutAPageOfItsOwnTheProcessEnds) {
  for (const int advice : {MADV_DONTDUMP, MADV_WIPEONFORK}) {
    play({});
    os.refused = advice;
    EXPECT_DEATH({ const SecureSource source; }, "");
  }
}

TEST(SecureSourceSystem, TheStateIsWipedBeforeItIsReleased) {
  play({key_of(8)});
  {
    SecureSource source;
    source.next();
  }
  EXPECT_TRUE(os.zero_when_released);
}

}  // namespace
}  // namespace ppgnn::random
