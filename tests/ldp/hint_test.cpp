#include "ppgnn/ldp/hint.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "support/models.hpp"

namespace ppgnn::ldp {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<std::int32_t> odds_of(const PublishedModel& model, const Hint& hint) {
  std::vector<std::int32_t> odds(model.classes());
  hint.odds(model, odds);
  return odds;
}

TEST(Hint, VectorsAreAsDocumented) {
  const PublishedModel coarse = *PublishedModel::make(test::small_decisions());
  const PublishedModel full = *PublishedModel::make(test::small_decisions(HintKind::full));
  const std::array<std::int16_t, 3> odds{0, -256, -1000};
  EXPECT_EQ(Hint::usual().bytes(), (Bytes{1, 0}));
  EXPECT_EQ(Hint::coarse(coarse, 2, 0, 7)->bytes(), (Bytes{1, 1, 2, 0, 7}));
  EXPECT_EQ(Hint::full(full, odds)->bytes(), (Bytes{1, 2, 0, 0, 0xff, 0, 0xfc, 0x18}));
  EXPECT_EQ(odds_of(coarse, Hint::usual()), (std::vector<std::int32_t>{-100, 0, -300}));
  EXPECT_EQ(odds_of(coarse, *Hint::coarse(coarse, 2, 0, 7)), (std::vector<std::int32_t>{-1200, -1520, 0}));
  EXPECT_EQ(odds_of(full, *Hint::full(full, odds)), (std::vector<std::int32_t>{0, -256, -1000}));
  EXPECT_FALSE(Hint::usual().personal());
  EXPECT_TRUE(Hint::coarse(coarse, 2, 0, 7)->personal());
}

TEST(Hint, ParsesExactlyWhatItWrites) {
  for (const HintKind kind : {HintKind::coarse, HintKind::full}) {
    const PublishedModel model = *PublishedModel::make(test::small_decisions(kind));
    std::size_t read = 0;
    // Every hint of up to five bytes.
    for (std::size_t size = 0; size <= 5; ++size) {
      Bytes bytes(size);
      for (std::uint32_t number = 0; number < std::uint32_t{1} << (4 * size); ++number) {
        for (std::size_t i = 0; i < size; ++i) bytes[i] = number >> (4 * i) & 15;
        const Result<Hint> hint = Hint::parse(model, bytes);
        if (!hint) {
          EXPECT_EQ(hint.error().code, ErrorCode::malformed);
          continue;
        }
        EXPECT_EQ(hint->bytes(), bytes);
        ++read;
      }
    }
    EXPECT_EQ(read, kind == HintKind::coarse ? 1 + 6 * kHintSteps : 1);
  }
}

TEST(Hint, RefusesFullOnesThatAreNotCanonical) {
  const PublishedModel model = *PublishedModel::make(test::small_decisions(HintKind::full));
  const Bytes good{1, 2, 0, 0, 0xff, 0, 0xfc, 0x18};
  EXPECT_TRUE(Hint::parse(model, good));
  const auto refused = [&](Bytes bytes) { return !Hint::parse(model, bytes); };
  EXPECT_TRUE(refused({1, 2, 0xff, 0xff, 0xff, 0, 0xfc, 0x18}));  // none is 0
  EXPECT_TRUE(refused({1, 2, 0, 1, 0xff, 0, 0xfc, 0x18}));        // one is above
  EXPECT_TRUE(refused({1, 2, 0, 0, 0xff, 0}));
  EXPECT_TRUE(refused({1, 2, 0, 0, 0xff, 0, 0xfc, 0x18, 0}));
  EXPECT_TRUE(refused({2, 2, 0, 0, 0xff, 0, 0xfc, 0x18}));
  EXPECT_TRUE(refused({1, 3, 0, 0, 0xff, 0, 0xfc, 0x18}));
}

}  // namespace
}  // namespace ppgnn::ldp
