#include "ppgnn/wire/report_format.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "support/plans.hpp"

namespace ppgnn::wire {
namespace {

using ldp::Level;
using ldp::Plan;
using ldp::Report;
using test::plan_of;

std::string hex(const std::vector<std::uint8_t>& bytes) {
  return to_hex(bytes);
}

std::string problem(const Plan& plan, const std::vector<std::uint8_t>& bytes) {
  const auto report = decode(plan, bytes);
  return report ? std::string("accepted") : report.error().message;
}

// One plan for each form of a report.
Plan protected_signs() {
  return plan_of(test::signs_request({1, 2, 4, 8, 16}, 1433));
}
Plan reporting_signs() {
  auto request = test::signs_request({1, 2, 4, 8, 16}, 1433);
  request.gamma = .25;
  request.level_budget = 2;
  request.shape.sampled = 3;
  return plan_of(request);
}
// Reported levels up to 94, which CBOR writes in one byte or in two.
Plan many_levels() {
  std::vector<double> budgets(63);
  for (std::size_t i = 0; i < budgets.size(); ++i) budgets[i] = 1 + static_cast<double>(i) / 8;
  auto request = test::signs_request(budgets, 1433);
  request.gamma = .01;
  return plan_of(request);
}
Plan public_signs() {
  auto request = test::signs_request({1, 8}, 100);
  request.secrecy = ldp::LevelSecrecy::public_level;
  return plan_of(request);
}
Plan category() {
  return plan_of(test::category_request({1, 2}, 300));
}

// The vectors of docs/formats/report.md, which must show the same bytes.
TEST(ReportFormat, HasTheDocumentedBytes) {
  std::ifstream file(PPGNN_SOURCE_DIR "/docs/formats/report.md");
  std::string page{std::istreambuf_iterator<char>(file), {}};
  std::erase(page, ' ');
  const auto with_hash = [&page](const Plan& plan, const std::string& rest) {
    EXPECT_NE(page.find("0001015820H" + rest + "`"), std::string::npos) << rest;
    return "0001015820" + to_hex(plan.hash()) + rest;
  };
  const Plan a = protected_signs();
  EXPECT_EQ(
      hex(encode(a, {.round = 0, .reported_level = {}, .columns = {5}, .signs = {1}, .outcomes = {}, .question = {}})),
      "a4" + with_hash(a,
                       "0200"
                       "0442"
                       "000b"));
  EXPECT_EQ(
      hex(encode(
          a, {.round = 1000, .reported_level = {}, .columns = {1432}, .signs = {-1}, .outcomes = {}, .question = {}})),
      "a4" + with_hash(a,
                       "021903e8"
                       "0442"
                       "0b30"));
  const Plan b = reporting_signs();
  EXPECT_EQ(hex(encode(b, {.round = 7,
                           .reported_level = -1,
                           .columns = {0, 1, 256},
                           .signs = {-1, 1, 1},
                           .outcomes = {},
                           .question = {}})),
            "a5" + with_hash(b,
                             "0207"
                             "0320"
                             "0446"
                             "000000030201"));
  const Plan c = public_signs();
  EXPECT_EQ(
      hex(encode(c, {.round = 7, .reported_level = 1, .columns = {99}, .signs = {1}, .outcomes = {}, .question = {}})),
      "a5" + with_hash(c,
                       "0207"
                       "0301"
                       "0441"
                       "c7"));
  EXPECT_EQ(hex(encode(c, {.round = 7,
                           .reported_level = 1,
                           .seeded = true,
                           .columns = {99},
                           .signs = {1},
                           .outcomes = {},
                           .question = {}})),
            "a6" + with_hash(c,
                             "0207"
                             "0301"
                             "0441"
                             "c7"
                             "1701"));
  const Plan d = category();
  EXPECT_EQ(
      hex(encode(d, {.round = 7, .reported_level = {}, .columns = {}, .signs = {}, .outcomes = {259}, .question = {}})),
      "a4" + with_hash(d,
                       "0207"
                       "0542"
                       "0103"));
}

TEST(ReportFormat, HasTheDocumentedBytesOfSubsetResponses) {
  const std::string page = [] {
    std::ifstream file(PPGNN_SOURCE_DIR "/docs/formats/report.md");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    std::erase(text, ' ');
    return text;
  }();
  const auto expect = [&](const Plan& plan, const Report& report, const std::string& rest) {
    EXPECT_EQ(hex(encode(plan, report)), "a40001015820" + to_hex(plan.hash()) + "0207" + rest);
    std::string shown = rest;
    const std::string digest = to_hex(report.question);
    if (const auto at = shown.find(digest); at != std::string::npos) shown.replace(at, digest.size(), "Q");
    EXPECT_NE(page.find("a40001015820H0207" + shown + "`"), std::string::npos) << shown;
  };
  Report report;
  report.round = 7;
  report.outcomes = {259};
  expect(plan_of(test::bucket_request({1, 2}, 1000, 300, 5)), report, "06420103");
  report.outcomes = {255, 0};
  auto twice = test::direction_request({1, 2}, 30, 256, 20);
  twice.shape.sampled = 2;
  expect(plan_of(twice), report, "0742ff00");
  const Plan asks = plan_of(test::answer_request({1, 2}, 8, 4));
  const test::Person person(asks);
  report.outcomes = {3};
  report.question = person.question->digest();
  expect(asks, report, "085821" + to_hex(report.question) + "03");
}

TEST(ReportFormat, ReadsBackWhatItWrote) {
  for (const Plan& plan : {protected_signs(), reporting_signs(), many_levels(), public_signs(), category()}) {
    seeded::SeededStream bits(1, seeded::Purpose::test, 0);
    for (std::uint32_t i = 0; i < 300; ++i) {
      Report report;
      report.round = bits.next() >> (i & 63);
      const Level level{i % static_cast<std::uint32_t>(plan.levels().size()) + 1};
      ldp::perturb(plan, level, ldp::Row::ones({}), bits, report);
      const auto bytes = encode(plan, report);
      auto again = decode(plan, bytes);
      ASSERT_TRUE(again) << again.error().message;
      EXPECT_EQ(*again, report);
    }
  }
}

// Given the round, nothing about the person shows in the length: not the level, randomised or not.
TEST(ReportFormat, LengthIsFixed) {
  for (const Plan& plan : {protected_signs(), reporting_signs(), many_levels(), category()}) {
    seeded::SeededStream bits(2, seeded::Purpose::test, 0);
    std::set<std::size_t> lengths;
    const std::vector<std::uint32_t> columns{0};
    for (std::uint32_t i = 0; i < 3000; ++i) {
      Report report;
      const Level level{i % static_cast<std::uint32_t>(plan.levels().size()) + 1};
      ldp::perturb(plan, level, (i & 1) != 0 ? ldp::Row::ones(columns) : ldp::Row::ones({}), bits, report);
      lengths.insert(encode(plan, report).size());
    }
    EXPECT_EQ(lengths.size(), 1u);
    EXPECT_LE(*lengths.begin(), 60u);
  }
}

// The randomness says it, not whoever asks for the report.
TEST(ReportFormat, OnlyTheOperatingSystemsRandomnessLeavesNoMark) {
  for (const Plan& plan : {protected_signs(), reporting_signs(), public_signs(), category()}) {
    seeded::SeededStream seeded(4, seeded::Purpose::test, 0);
    random::SecureSource secure;
    Report marked;
    ldp::perturb(plan, Level{1}, ldp::Row::ones({}), seeded, marked);
    Report plain;
    plain.seeded = true;
    ldp::perturb(plan, Level{1}, ldp::Row::ones({}), secure, plain);
    const auto bytes = encode(plan, marked);
    EXPECT_EQ(bytes.size(), encode(plan, plain).size() + 2);
    EXPECT_TRUE(decode(plan, bytes)->seeded);
    EXPECT_FALSE(decode(plan, encode(plan, plain))->seeded);
    for (std::uint8_t other = 0; other < 255; ++other) {
      auto wrong = bytes;
      wrong.back() = static_cast<std::uint8_t>(other + (other >= 1 ? 1 : 0));
      EXPECT_FALSE(decode(plan, wrong));
    }
    auto without = bytes;
    without.resize(bytes.size() - 2);
    EXPECT_EQ(problem(plan, without), "report: seeded: missing, or not 1");
  }
}

TEST(ReportFormat, RefusesEveryTruncationAndAnyTail) {
  for (const Plan& plan : {protected_signs(), reporting_signs(), many_levels(), public_signs(), category()}) {
    seeded::SeededStream bits(3, seeded::Purpose::test, 0);
    Report report;
    ldp::perturb(plan, Level{1}, ldp::Row::ones({}), bits, report);
    const auto bytes = encode(plan, report);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      EXPECT_FALSE(decode(plan, {bytes.data(), length})) << length;
    }
    auto longer = bytes;
    longer.push_back(0);
    EXPECT_EQ(problem(plan, longer), "report: bytes after the end");
  }
}

// A changed byte is refused, or it is another valid report, which then has exactly those bytes: one form per report.
TEST(ReportFormat, AcceptsOneFormPerReport) {
  for (const Plan& plan : {protected_signs(), reporting_signs(), many_levels(), public_signs(), category()}) {
    seeded::SeededStream bits(4, seeded::Purpose::test, 0);
    Report report;
    ldp::perturb(plan, Level{1}, ldp::Row::ones({}), bits, report);
    const auto bytes = encode(plan, report);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (int value = 0; value < 256; ++value) {
        auto edited = bytes;
        edited[at] = static_cast<std::uint8_t>(value);
        const auto decoded = decode(plan, edited);
        if (decoded) {
          EXPECT_EQ(encode(plan, *decoded), edited) << at << " " << value;
        }
      }
    }
  }
}

TEST(ReportFormat, NamesTheFieldItRefuses) {
  const Plan plan = reporting_signs();
  const Report good{
      .round = 7, .reported_level = 2, .columns = {0, 1, 256}, .signs = {-1, 1, 1}, .outcomes = {}, .question = {}};
  const auto edited = [&](std::size_t from_end, std::uint8_t value) {
    auto bytes = encode(plan, good);
    bytes[bytes.size() - from_end] = value;
    return problem(plan, bytes);
  };
  // ... 02 07 | 03 02 | 04 46 | 00 00 00 03 02 01
  EXPECT_EQ(edited(1, 0x01), "accepted");
  EXPECT_EQ(edited(2, 0x0b), "accepted");
  EXPECT_EQ(edited(2, 0xff), "report: signs: column out of range");
  EXPECT_EQ(edited(5, 0x08), "report: signs: columns not ascending");
  EXPECT_EQ(edited(5, 0x02), "report: signs: columns not ascending");  // the same column twice
  EXPECT_EQ(edited(7, 0x45), "report: signs: wrong length");
  EXPECT_EQ(edited(8, 0x05), "report: payload: not of the plan's kind");
  EXPECT_EQ(edited(9, 0x17), "report: level: not one the plan allows");
  EXPECT_EQ(edited(10, 0x04), "report: level: missing");
  EXPECT_EQ(edited(11, 0x27), "report: round: not an unsigned integer in shortest form");
  EXPECT_EQ(edited(20, 0x00), "report: plan: another plan's");
  auto bytes = encode(plan, good);
  bytes[2] = 2;
  EXPECT_EQ(problem(plan, bytes), "report: version: not 1");
  bytes[0] = 0xa4;
  EXPECT_EQ(problem(plan, bytes), "report: not a map with the fields of this plan");
  EXPECT_EQ(decode(protected_signs(), encode(plan, good)).error().code, ErrorCode::mismatch);
  EXPECT_EQ(
      problem(public_signs(),
              encode(protected_signs(),
                     {.round = 0, .reported_level = {}, .columns = {1}, .signs = {1}, .outcomes = {}, .question = {}})),
      "report: not a map with the fields of this plan");
  auto other = test::signs_request({1, 2, 4, 8, 15}, 1433);
  other.gamma = .25;
  other.level_budget = 2;
  other.shape.sampled = 3;
  EXPECT_EQ(decode(plan_of(other), encode(plan, good)).error().code, ErrorCode::mismatch);
}

// RFC 8949 4.2.1: a longer head than needed is another form of the same number.
TEST(ReportFormat, RefusesLongForms) {
  const Plan plan = protected_signs();
  auto bytes =
      encode(plan, {.round = 7, .reported_level = {}, .columns = {5}, .signs = {1}, .outcomes = {}, .question = {}});
  const std::size_t round = bytes.size() - 5;
  ASSERT_EQ(bytes[round], 7);
  bytes[round] = 0x18;
  bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(round) + 1, 7);
  EXPECT_EQ(problem(plan, bytes), "report: round: not an unsigned integer in shortest form");
}

RC_GTEST_PROP(ReportFormatProperty, AnyBytesAreRefusedOrCanonical, (std::vector<std::uint8_t> bytes)) {
  static const Plan kPlan = protected_signs();
  const auto report = decode(kPlan, bytes);
  if (report) RC_ASSERT(encode(kPlan, *report) == bytes);
}

}  // namespace
}  // namespace ppgnn::wire
