// What is read as a ledger, and what is not, where the digest fits.
#include "support/ledger_images.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ppgnn::client {
namespace {

ErrorCode refusal_of(const std::vector<std::uint8_t>& bytes) {
  test::MemoryStorage storage;
  storage.bytes = bytes;
  const auto ledger = Ledger::open(storage.callbacks(), 100);
  EXPECT_EQ(storage.released, ledger ? 0 : 1) << "a storage that was refused is released, once";
  EXPECT_EQ(storage.locked, 0);
  return ledger ? ErrorCode::diverged : ledger.error().code;
}

TEST(LedgerImages, AreRefusedForWhatTheyHold) {
  EXPECT_EQ(refusal_of(test::sealed(test::good_image())), ErrorCode::diverged) << "a good one is taken";
  const auto images = test::refused_images();
  EXPECT_GE(images.size(), 30u);
  for (const test::NamedImage& image : images) EXPECT_EQ(refusal_of(image.bytes), ErrorCode::malformed) << image.name;
}

// Every byte after the plan's hash is zero, and none may be another.
TEST(LedgerImages, OfPeopleWhoWereNotAskedHoldNothing) {
  test::MemoryStorage storage;
  {
    Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
    ASSERT_TRUE(ledger.note_not_asked("autumn", sha256("another plan")).ok());
  }
  const auto good = storage.bytes;
  std::size_t first = good.size() - sizeof(Digest);
  while (good[first - 1] == 0) --first;
  ASSERT_GE(good.size() - sizeof(Digest) - first, 50u);
  for (std::size_t at = first; at < good.size() - sizeof(Digest); ++at) {
    auto bytes = good;
    bytes[at] = 1;
    EXPECT_EQ(refusal_of(test::sealed(bytes)), ErrorCode::malformed) << at;
  }
}

// A size beyond 2^24 is refused before any memory follows it.
TEST(LedgerImages, AreNotLargerThanTheyMayBe) {
  struct Huge {
    std::int64_t size = 0;
    int loads = 0;
  };
  for (const std::int64_t size : {(std::int64_t{1} << 24) + 1, std::numeric_limits<std::int64_t>::max()}) {
    Huge huge{.size = size};
    const Storage storage{.host = &huge,
                          .load = [](void* host, std::uint8_t*, std::size_t) -> std::int64_t {
                            ++static_cast<Huge*>(host)->loads;
                            return static_cast<Huge*>(host)->size;
                          },
                          .store = [](void*, const std::uint8_t*, std::size_t) -> std::int32_t { return -1; },
                          .lock = nullptr,
                          .unlock = nullptr,
                          .counter = nullptr,
                          .raise = nullptr,
                          .reason = nullptr,
                          .release = nullptr};
    const auto refused = Ledger::open(storage, 0);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::malformed);
    EXPECT_EQ(huge.loads, 1);
  }
}

}  // namespace
}  // namespace ppgnn::client
