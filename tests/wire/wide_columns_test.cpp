// Payload entries are column * 2 + sign: of more than 16 bits from 32,769 columns on, and of 31 at the widest schema.
#include "support/wide_columns.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ppgnn/wire/report_format.hpp"
#include "privacy/mutants.hpp"

namespace ppgnn::wire {
namespace {

using ldp::Plan;
using ldp::Report;
using Bytes = std::vector<std::uint8_t>;

Report report_of(std::vector<std::uint32_t> columns, std::vector<std::int8_t> signs) {
  return {.round = 0,
          .reported_level = {},
          .columns = std::move(columns),
          .signs = std::move(signs),
          .outcomes = {},
          .question = {}};
}

// Whether every telling column arrives, with either sign. `spoil` is what happens to a report on its way into the bytes.
template <class Spoil>
bool all_arrive(const Plan& plan, Spoil&& spoil) {
  for (const std::uint32_t column : test::telling_columns(plan.schema().dim())) {
    for (const std::int8_t sign : {std::int8_t{1}, std::int8_t{-1}}) {
      const Report sent = report_of({column}, {sign});
      Report spoilt = sent;
      spoil(spoilt);
      const Result<Report> read = decode(plan, encode(plan, spoilt));
      if (!read || *read != sent) return false;
    }
  }
  return true;
}

TEST(WideColumns, ArriveWithEitherSign) {
  for (const std::uint32_t dim : test::kWideDims) {
    EXPECT_TRUE(all_arrive(test::wide_plan(dim), [](Report&) {})) << dim;
  }
}

TEST(WideColumns, ArriveManyAtOnce) {
  for (const std::uint32_t dim : test::kWideDims) {
    ldp::PlanRequest request = test::number_request({16}, dim);
    const std::vector<std::uint32_t> columns = test::telling_columns(dim);
    request.shape.sampled = static_cast<std::uint32_t>(columns.size());
    const Plan plan = test::plan_of(request);
    std::vector<std::int8_t> signs;
    for (std::size_t i = 0; i < columns.size(); ++i) signs.push_back(i % 3 == 0 ? 1 : -1);
    const Report sent = report_of(columns, signs);
    const Result<Report> read = decode(plan, encode(plan, sent));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, sent);
  }
}

TEST(WideColumns, AnEntryOfSixteenBitsIsFound) {
  for (const std::uint32_t dim : test::kWideDims) {
    const Plan plan = test::wide_plan(dim);
    const auto device = test::make_device<test::SixteenBitPayload>(plan);
    EXPECT_FALSE(all_arrive(plan, [&](Report& report) { device.send(report); })) << dim;
  }
}

// The last bytes of a report: the entry and nothing else, as wide as 2 d - 1 needs.
TEST(WideColumns, HaveTheirOwnBytes) {
  const auto entry = [](std::uint32_t dim, std::uint32_t column, std::int8_t sign, std::size_t width) {
    const Bytes bytes = encode(test::wide_plan(dim), report_of({column}, {sign}));
    EXPECT_EQ(bytes[bytes.size() - width - 1], 0x40 + width) << dim;  // a byte string of this length
    return to_hex(Bytes(bytes.end() - static_cast<std::ptrdiff_t>(width), bytes.end()));
  };
  EXPECT_EQ(entry(32768, 32767, 1, 2), "ffff");
  EXPECT_EQ(entry(32769, 32768, -1, 3), "010000");
  EXPECT_EQ(entry(65536, 65535, 1, 3), "01ffff");
  EXPECT_EQ(entry(65537, 65536, 1, 3), "020001");
  EXPECT_EQ(entry(ldp::kMaxColumns, ldp::kMaxColumns - 1, -1, 4), "7ffffffe");
  EXPECT_EQ(entry(ldp::kMaxColumns, ldp::kMaxColumns - 1, 1, 4), "7fffffff");
}

TEST(WideColumns, OneTooLargeIsRefused) {
  for (const std::uint32_t dim : test::kWideDims) {
    const Plan plan = test::wide_plan(dim);
    const Bytes last = encode(plan, report_of({dim - 1}, {1}));
    const std::size_t width = dim == ldp::kMaxColumns ? 4 : 3;
    const auto with_entry = [&](std::uint64_t entry) {
      Bytes bytes = last;
      for (std::size_t i = 0; i < width; ++i) bytes[bytes.size() - 1 - i] = static_cast<std::uint8_t>(entry >> (8 * i));
      const Result<Report> read = decode(plan, bytes);
      return read ? "accepted" : read.error().message;
    };
    EXPECT_EQ(with_entry(2 * std::uint64_t{dim} - 1), "accepted");
    EXPECT_EQ(with_entry(2 * std::uint64_t{dim}), "report: signs: column out of range");
    EXPECT_EQ(with_entry(~std::uint64_t{0}), "report: signs: column out of range");
  }
}

}  // namespace
}  // namespace ppgnn::wire
