#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "client/test_bits.h"
#include "ppgnn/client/ppgnn_client.h"
#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/wire/report_format.hpp"
#include "support/memory_storage.hpp"
#include "support/plans.hpp"

namespace ppgnn::client {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr ppgnn_limits kAnything{1e3, HUGE_VAL, UINT64_MAX, 1, 0};

// A client of a plan, closed at the end.
struct Open {
  explicit Open(const ldp::Plan& plan) {
    char error[200];
    EXPECT_EQ(ppgnn_open(plan.text().data(), plan.text().size(), &client, error, sizeof(error)), PPGNN_OK) << error;
  }
  ~Open() { ppgnn_close(client); }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
  operator ppgnn_client*() const { return client; }

  ppgnn_client* client = nullptr;
};

ppgnn_features ones(const std::vector<std::uint32_t>& columns) {
  return {PPGNN_ONES, 0, columns.data(), nullptr, columns.size()};
}

Bytes report_of(ppgnn_client* client, std::uint32_t level, const ppgnn_features& features, std::uint64_t round,
                bool fresh) {
  std::size_t size = 0;
  EXPECT_EQ(ppgnn_report_size(client, &size), PPGNN_OK);
  Bytes bytes(size);
  std::int32_t is_fresh = -1;
  EXPECT_EQ(ppgnn_report(client, level, &features, round, bytes.data(), bytes.size() - 1, &size, &is_fresh),
            PPGNN_TOO_SMALL);
  EXPECT_EQ(ppgnn_report(client, level, &features, round, bytes.data(), bytes.size(), &size, &is_fresh), PPGNN_OK)
      << ppgnn_error(client);
  EXPECT_EQ(is_fresh, fresh ? 1 : 0);
  bytes.resize(size);
  return bytes;
}

std::string text_of(ppgnn_client* client, std::int32_t kind, std::uint32_t index) {
  std::size_t size = 0;
  EXPECT_EQ(ppgnn_text(client, kind, index, nullptr, 0, &size), PPGNN_TOO_SMALL);
  std::string text(size + 1, '?');
  EXPECT_EQ(ppgnn_text(client, kind, index, text.data(), size, &size), PPGNN_TOO_SMALL) << "no room for the zero byte";
  EXPECT_EQ(ppgnn_text(client, kind, index, text.data(), text.size(), &size), PPGNN_OK);
  EXPECT_EQ(text.back(), '\0');
  text.pop_back();
  return text;
}

TEST(CApi, MakesReportsOfEveryKindThatTheServerReads) {
  for (const ldp::ReportKind kind : ldp::kReportKinds) {
    const ldp::Plan plan = test::plan_of(test::request_of(kind, {1, 2}));
    const test::Person person(plan);
    for (const std::int32_t form : {PPGNN_DENSE, PPGNN_SPARSE, PPGNN_ONES}) {
      test::MemoryStorage storage;
      const Open client(plan);
      ppgnn_set_person(client, "ana", 3);
      if (person.question) {
        const auto& bytes = person.question->bytes();
        ASSERT_EQ(ppgnn_set_question(client, bytes.data(), bytes.size()), PPGNN_OK) << ppgnn_error(client);
      }
      ASSERT_EQ(ppgnn_agree(client, &kAnything), PPGNN_OK) << ppgnn_error(client);
      const ppgnn_storage callbacks = storage.callbacks();
      ASSERT_EQ(ppgnn_use_ledger(client, &callbacks), PPGNN_OK) << ppgnn_error(client);
      const std::uint32_t column = 0;
      const float value = 1;
      const ppgnn_features features{form, 0, &column, &value, 1};
      const Bytes bytes = report_of(client, 2, features, 7, true);
      const auto report = wire::decode(plan, bytes);
      ASSERT_TRUE(report) << report.error().message;
      EXPECT_EQ(report->round, 7u);
      EXPECT_FALSE(report->seeded);
      EXPECT_EQ(report_of(client, 1, features, 8, false), bytes);
    }
  }
}

TEST(CApi, RefusesWithACodeAndASentence) {
  const ldp::Plan plan = test::plan_of(test::signs_request({1, 2}, 20));
  ppgnn_client* none = nullptr;
  char error[100];
  EXPECT_EQ(ppgnn_open("nonsense", 8, &none, error, sizeof(error)), PPGNN_MALFORMED);
  EXPECT_EQ(none, nullptr);
  EXPECT_GT(std::strlen(error), 5u);
  test::MemoryStorage storage;
  const Open client(plan);
  const std::vector<std::uint32_t> columns{1, 19};
  const std::vector<std::uint32_t> falling{19, 1};
  const ppgnn_features features = ones(columns);
  Bytes bytes(100);
  std::size_t size = 0;
  const auto report = [&](std::uint32_t level, const ppgnn_features& row, std::size_t capacity) {
    return ppgnn_report(client, level, &row, 0, bytes.data(), capacity, &size, nullptr);
  };
  EXPECT_EQ(report(1, features, 100), PPGNN_NOT_AGREED);
  const ppgnn_limits tight{1.5, HUGE_VAL, UINT64_MAX, 0, 0};
  EXPECT_EQ(ppgnn_agree(client, &tight), PPGNN_OVER_LIMIT);
  EXPECT_NE(std::string(ppgnn_error(client)).find("more than the 1.5"), std::string::npos) << ppgnn_error(client);
  EXPECT_EQ(report(1, features, 100), PPGNN_NOT_AGREED);
  EXPECT_EQ(ppgnn_agree(client, &kAnything), PPGNN_OK);
  EXPECT_EQ(report(1, features, 100), PPGNN_NO_LEDGER);
  const ppgnn_storage callbacks = storage.callbacks();
  ASSERT_EQ(ppgnn_use_ledger(client, &callbacks), PPGNN_OK);
  EXPECT_EQ(report(1, features, 4), PPGNN_TOO_SMALL);
  EXPECT_GT(size, 4u);
  EXPECT_EQ(report(3, features, 100), PPGNN_INVALID_ARGUMENT);
  EXPECT_EQ(report(1, ones(falling), 100), PPGNN_INVALID_ARGUMENT);
  EXPECT_EQ(report(1, {7, 0, columns.data(), nullptr, 2}, 100), PPGNN_INVALID_ARGUMENT);
  EXPECT_EQ(report(1, {PPGNN_SPARSE, 0, columns.data(), nullptr, 2}, 100), PPGNN_INVALID_ARGUMENT);
  EXPECT_EQ(ppgnn_resend(client, bytes.data(), 100, &size), PPGNN_NOT_THERE);
  storage.fail_stores = true;
  EXPECT_EQ(report(1, features, 100), PPGNN_STORAGE);
  EXPECT_NE(std::string(ppgnn_error(client)).find("the test says no"), std::string::npos) << ppgnn_error(client);
  storage.fail_stores = false;
  EXPECT_EQ(report(1, features, 100), PPGNN_OK);
  storage.bytes[20] ^= 1;
  EXPECT_EQ(report(1, features, 100), PPGNN_DAMAGED);
}

TEST(CApi, SaysWhatAPlanIsInNumbersAndWords) {
  const ldp::Plan plan = test::plan_of(test::answer_request({1, 2}, 6, 3));
  const test::Person person(plan);
  const Open client(plan);
  ppgnn_plan_facts facts{};
  ASSERT_EQ(ppgnn_plan(client, &facts), PPGNN_OK);
  EXPECT_EQ(facts.levels, 2u);
  EXPECT_EQ(facts.columns, 6u);
  EXPECT_EQ(facts.asks, 1u);
  EXPECT_EQ(facts.needs_person, 1u);
  EXPECT_NEAR(facts.largest_spend, plan.certificate().features[1], 1e-12);
  ppgnn_level_facts level{};
  EXPECT_EQ(ppgnn_level(client, 3, &level), PPGNN_INVALID_ARGUMENT);
  ASSERT_EQ(ppgnn_level(client, 1, &level), PPGNN_OK);
  EXPECT_EQ(level.budget, 1);
  EXPECT_NEAR(level.odds, std::exp(1.0), 1e-6);
  EXPECT_NEAR(level.percent, 73.106, 1e-2);
  ppgnn_level_facts relaxed{};
  ASSERT_EQ(ppgnn_level(client, 2, &relaxed), PPGNN_OK);
  EXPECT_NEAR(relaxed.odds, std::exp(relaxed.spend), 1e-6);
  EXPECT_NEAR(relaxed.spend, plan.certificate().features[1], 1e-12);
  std::size_t size = 0;
  EXPECT_EQ(ppgnn_preview(client, 1, nullptr, 0, &size), PPGNN_INVALID_ARGUMENT);
  ppgnn_set_person(client, "ana", 3);
  ppgnn_set_question(client, person.question->bytes().data(), person.question->bytes().size());
  EXPECT_EQ(ppgnn_preview(client, 1, nullptr, 0, &size), PPGNN_TOO_SMALL);
  std::string words(size + 1, '?');
  ASSERT_EQ(ppgnn_preview(client, 1, words.data(), words.size(), &size), PPGNN_OK);
  EXPECT_NE(words.find("do your features speak more for class 0"), std::string::npos) << words;
  EXPECT_EQ(text_of(client, PPGNN_TEXT_KIND, 0), "answer");
  EXPECT_EQ(text_of(client, PPGNN_TEXT_CAMPAIGN, 0), "spring");
  EXPECT_EQ(text_of(client, PPGNN_TEXT_HASH, 0), to_hex(plan.hash()));
  EXPECT_EQ(text_of(client, PPGNN_TEXT_COLUMN, 5), plan.schema().column_name(5));
  EXPECT_NE(text_of(client, PPGNN_TEXT_QUESTION, 2).find("weigh in it"), std::string::npos);
  EXPECT_FALSE(text_of(client, PPGNN_TEXT_NOTE, facts.notes - 1).empty());
  EXPECT_EQ(ppgnn_text(client, PPGNN_TEXT_NOTE, facts.notes, nullptr, 0, &size), PPGNN_NOT_THERE);
  EXPECT_EQ(ppgnn_text(client, 99, 0, nullptr, 0, &size), PPGNN_NOT_THERE);
  EXPECT_EQ(ppgnn_text(client, PPGNN_TEXT_LEDGER, 1, nullptr, 0, &size), PPGNN_NO_LEDGER);
  Bytes example(level.bytes);
  EXPECT_EQ(ppgnn_example(client, 1, 0, example.data(), example.size() - 1, &size), PPGNN_TOO_SMALL);
  ASSERT_EQ(ppgnn_example(client, 1, 0, example.data(), example.size(), &size), PPGNN_OK) << ppgnn_error(client);
  EXPECT_EQ(size, example.size());
  EXPECT_TRUE(wire::decode(plan, example));
}

TEST(CApi, AGivenStreamMakesTheSameBytesTwiceAndMarksThem) {
  const ldp::Plan plan = test::plan_of(test::signs_request({1, 2}, 20));
  const std::vector<std::uint64_t> words{1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<std::uint32_t> columns{1, 19};
  const ppgnn_features features = ones(columns);
  std::vector<Bytes> made;
  for (int i = 0; i < 2; ++i) {
    const Open client(plan);
    Bytes bytes(100);
    std::size_t size = 0;
    std::size_t used = 0;
    ASSERT_EQ(ppgnn_test_report(client, 1, &features, 3, words.data(), words.size(), &used, bytes.data(), 100, &size),
              PPGNN_OK);
    EXPECT_EQ(used, 3u);
    bytes.resize(size);
    EXPECT_TRUE(wire::decode(plan, bytes)->seeded);
    made.push_back(bytes);
    EXPECT_EQ(ppgnn_test_report(client, 1, &features, 3, words.data(), 2, &used, bytes.data(), 100, &size),
              PPGNN_NOT_THERE);
  }
  EXPECT_EQ(made[0], made[1]);
}

}  // namespace
}  // namespace ppgnn::client
