// The C interface at its edges: every level, every limit, every buffer, and ledgers that are none.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "ppgnn/client/client.hpp"
#include "ppgnn/client/ppgnn_client.h"
#include "ppgnn/client/words.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "support/forged.hpp"
#include "support/ledger_images.hpp"
#include "support/memory_storage.hpp"
#include "support/plans.hpp"

namespace ppgnn::client {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr ppgnn_limits kNoLimits{1e3, HUGE_VAL, UINT64_MAX, 1, 0};
constexpr ppgnn_features kNothing{PPGNN_ONES, 0, nullptr, nullptr, 0};

// Somebody's client, closed at the end.
struct Handle {
  explicit Handle(const std::string& text) {
    char error[200];
    EXPECT_EQ(ppgnn_open(text.data(), text.size(), &client, error, sizeof(error)), PPGNN_OK) << error;
    EXPECT_EQ(ppgnn_set_person(client, "ana", 3), PPGNN_OK);
  }
  ~Handle() { ppgnn_close(client); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator ppgnn_client*() const { return client; }

  int agree(const ppgnn_limits& limits) const { return ppgnn_agree(client, &limits); }
  int use(const ppgnn_storage& storage) const { return ppgnn_use_ledger(client, &storage); }
  int report(std::uint32_t level = 1) const {
    Bytes bytes(4096);
    std::size_t size = 0;
    return ppgnn_report(client, level, &kNothing, 0, bytes.data(), bytes.size(), &size, nullptr);
  }

  ppgnn_client* client = nullptr;
};

std::string text_of_campaign(const std::string& name) {
  static const std::string text = test::plan_of(test::bucket_request({1, 2}, 6, 6, 2)).text();
  return test::forged(text, "campaign spring", "campaign " + name);
}

// Twenty levels: sent, each with a number of signs of its own, and the first spends most; or protected, with a level report.
std::vector<ldp::Plan> plans_of_many_levels() {
  ldp::PlanRequest request = test::signs_request({}, 60);
  for (int level = 0; level < 20; ++level) request.budgets.push_back(1 + .1 * level);
  ldp::PlanRequest open = request;
  open.secrecy = ldp::LevelSecrecy::public_level;
  ldp::PlanTables tables = test::plan_of(open).tables();
  for (std::uint32_t level = 1; level < 20; ++level) {
    tables.levels[level].sampled = 1 + level;
    tables.levels[level].entry = ldp::SignBits::quantise(.9 - .01 * level, tables.shape(tables.levels[level]));
  }
  request.gamma = .5;
  request.level_budget = 30;
  std::vector<ldp::Plan> plans{ldp::Plan::make(tables).value(), test::plan_of(request)};
  tables.levels[16].sampled = 60;
  tables.levels[16].entry = ldp::SignBits::quantise(tables.levels[16].budget, tables.shape(tables.levels[16]));
  plans.push_back(ldp::Plan::make(tables).value());
  return plans;
}

TEST(CApiBounds, ManyLevelsHaveRoomAndNumbersOfTheirOwn) {
  for (const ldp::Plan& plan : plans_of_many_levels()) {
    const Handle client(plan.text());
    const ldp::Certificate& certificate = plan.certificate();
    double most = 0;
    std::size_t largest = 0;
    for (std::uint32_t level = 1; level <= 20; ++level) {
      const double loss = certificate.features[level - 1];
      ppgnn_level_facts facts{};
      ASSERT_EQ(ppgnn_level(client, level, &facts), PPGNN_OK);
      EXPECT_EQ(facts.budget, plan.levels()[level - 1].budget);
      EXPECT_EQ(facts.spend, loss + certificate.level_report);
      EXPECT_NEAR(facts.odds, std::exp(loss), 1e-12);
      EXPECT_NEAR(facts.percent, 100 * std::exp(loss) / (1 + std::exp(loss)), 1e-12);
      EXPECT_NEAR(facts.level_percent, 100 / (1 + std::exp(-certificate.level_given_features)), 1e-12);
      std::size_t size = 0;
      EXPECT_EQ(ppgnn_example(client, level, 0, nullptr, 0, &size), PPGNN_TOO_SMALL);
      EXPECT_EQ(facts.bytes, size) << level;
      EXPECT_EQ(ppgnn_example(client, level, ~std::uint64_t{0}, nullptr, 0, &size), PPGNN_TOO_SMALL);
      largest = std::max(largest, size);
      most = std::max(most, facts.spend);
    }
    std::size_t room = 0;
    EXPECT_EQ(ppgnn_report_size(client, &room), PPGNN_OK);
    EXPECT_EQ(room, largest);
    ppgnn_plan_facts facts{};
    ASSERT_EQ(ppgnn_plan(client, &facts), PPGNN_OK);
    EXPECT_EQ(facts.largest_spend, most);
  }
}

TEST(CApiBounds, AQuestionHasClassesForEachOfManyLevels) {
  for (const std::size_t most : {0u, 8u, 19u}) {
    ldp::PlanRequest request = test::answer_request({}, 6, 3);
    for (int level = 0; level < 20; ++level) request.budgets.push_back(1 + .1 * level);
    request.secrecy = ldp::LevelSecrecy::public_level;
    ldp::PlanTables tables = test::plan_of(request).tables();
    for (std::size_t level = 0; level < 20; ++level) {
      tables.levels[level].outcomes = level == most ? 3 : 2;
      tables.levels[level].entry = ldp::AnswerResponse::quantise(1, tables.shape(tables.levels[level]));
    }
    const Handle client(ldp::Plan::make(tables).value().text());
    const std::uint8_t two[] = {1, 1, 2, 0};
    const std::uint8_t three[] = {1, 2, 2, 0, 1};
    EXPECT_EQ(ppgnn_set_question(client, two, sizeof(two)), PPGNN_MISMATCH);
    EXPECT_EQ(ppgnn_set_question(client, three, sizeof(three)), PPGNN_OK) << ppgnn_error(client);
  }
}

TEST(CApiBounds, LimitsAreMetExactly) {
  ppgnn_plan_facts facts{};
  ASSERT_EQ(ppgnn_plan(Handle(text_of_campaign("a")), &facts), PPGNN_OK);
  const double spend = facts.largest_spend;
  const auto story = [&](double lifetime, std::uint64_t reports) {
    test::MemoryStorage storage;
    std::string said;
    for (const char* name : {"a", "b", "c"}) {
      const Handle other(text_of_campaign(std::string("not-") + name));
      EXPECT_EQ(other.use(storage.callbacks()), PPGNN_OK);
      EXPECT_EQ(ppgnn_not_asked(other), PPGNN_OK);
      const Handle client(text_of_campaign(name));
      EXPECT_EQ(client.agree({spend, lifetime, reports, 0, 0}), PPGNN_OK);
      EXPECT_EQ(client.use(storage.callbacks()), PPGNN_OK);
      const int code = client.report();
      said += code == PPGNN_OK ? 'r' : code == PPGNN_OVER_LIMIT ? 'x' : '?';
    }
    return said;
  };
  EXPECT_EQ(story(HUGE_VAL, UINT64_MAX), "rrr");
  EXPECT_EQ(story(2 * spend, UINT64_MAX), "rrx");
  EXPECT_EQ(story(std::nextafter(2 * spend, 0), UINT64_MAX), "rxx");
  EXPECT_EQ(story(HUGE_VAL, 2), "rrx");
  EXPECT_EQ(story(HUGE_VAL, 0), "xxx");
  const Handle client(text_of_campaign("a"));
  EXPECT_EQ(client.agree({std::nextafter(spend, 0), HUGE_VAL, UINT64_MAX, 0, 0}), PPGNN_OVER_LIMIT);
  EXPECT_EQ(client.agree({spend, HUGE_VAL, UINT64_MAX, 0, 0}), PPGNN_OK);
}

TEST(CApiBounds, KeepsManyCampaigns) {
  constexpr std::uint32_t kMany = 300;
  test::MemoryStorage storage;
  const auto play = [&](std::uint32_t number, bool asked) {
    const Handle client(text_of_campaign("c" + std::to_string(number)));
    ASSERT_EQ(client.agree(kNoLimits), PPGNN_OK);
    ASSERT_EQ(client.use(storage.callbacks()), PPGNN_OK) << ppgnn_error(client);
    ASSERT_EQ(asked ? client.report() : ppgnn_not_asked(client), PPGNN_OK) << ppgnn_error(client);
  };
  for (std::uint32_t number = 0; number < kMany; ++number) play(number, number < kMany - 3);
  play(kMany - 2, true);  // who was not asked at first, between two others
  const Handle client(text_of_campaign("another"));
  ASSERT_EQ(client.use(storage.callbacks()), PPGNN_OK);
  ppgnn_sums sums{};
  ASSERT_EQ(ppgnn_ledger_sums(client, &sums), PPGNN_OK);
  EXPECT_EQ(sums.entries, kMany);
  EXPECT_EQ(sums.reports, kMany - 2);
  EXPECT_EQ(sums.state, std::uint32_t{PPGNN_STATE_NONE});
  for (std::uint32_t place = 0; place < kMany; ++place) {
    ppgnn_entry entry{};
    ASSERT_EQ(ppgnn_ledger_entry(client, place, &entry), PPGNN_OK);
    const std::uint32_t number = place < kMany - 2 ? place : place == kMany - 2 ? kMany - 1 : kMany - 2;
    EXPECT_EQ(entry.campaign, "c" + std::to_string(number));
    EXPECT_EQ(entry.state, number == kMany - 3 || number == kMany - 1 ? PPGNN_STATE_NOT_ASKED : PPGNN_STATE_REPORTED);
  }
  ppgnn_entry entry{};
  EXPECT_EQ(ppgnn_ledger_entry(client, kMany, &entry), PPGNN_NOT_THERE);
}

TEST(CApiBounds, RefusesImagesThatAreNoLedger) {
  test::MemoryStorage storage;  // outlives the client, which lets go of it
  const Handle client(text_of_campaign("spring"));
  storage.bytes = test::good_image();
  EXPECT_EQ(client.use(storage.callbacks()), PPGNN_OK);
  for (const test::NamedImage& image : test::refused_images()) {
    test::MemoryStorage wrong;
    wrong.bytes = image.bytes;
    EXPECT_EQ(client.use(wrong.callbacks()), PPGNN_DAMAGED) << image.name;
    EXPECT_EQ(wrong.released, 1) << image.name;
    ppgnn_sums sums{};
    EXPECT_EQ(ppgnn_ledger_sums(client, &sums), PPGNN_NO_LEDGER) << image.name;
  }
  int loads = 0;
  ppgnn_storage huge = storage.callbacks();
  huge.host = &loads;
  huge.load = [](void* host, std::uint8_t*, std::size_t) {
    ++*static_cast<int*>(host);
    return (std::int64_t{1} << 24) + 1;
  };
  huge.lock = nullptr;
  huge.unlock = nullptr;
  huge.release = nullptr;
  EXPECT_EQ(client.use(huge), PPGNN_DAMAGED);
  EXPECT_EQ(loads, 1) << "memory follows a size only once it was looked at";
}

TEST(CApiBounds, ACounterFarAheadIsNoticed) {
  test::MemoryStorage storage;
  const Handle client(text_of_campaign("spring"));
  ASSERT_EQ(client.agree(kNoLimits), PPGNN_OK);
  storage.counter = UINT64_MAX;  // of a ledger that is gone
  EXPECT_EQ(client.use(storage.counted()), PPGNN_ROLLED_BACK);
  EXPECT_EQ(storage.counter, UINT64_MAX);
  storage.counter = 0;
  ASSERT_EQ(client.use(storage.counted()), PPGNN_OK);
  ASSERT_EQ(client.report(), PPGNN_OK);
  for (const std::uint64_t counter : {std::uint64_t{2}, (std::uint64_t{1} << 32) + 1, UINT64_MAX - 1, UINT64_MAX}) {
    storage.counter = counter;
    EXPECT_EQ(client.report(), PPGNN_ROLLED_BACK) << counter;
    EXPECT_EQ(storage.counter, counter);
  }
  storage.counter = 1;
  EXPECT_EQ(client.report(), PPGNN_OK);
  // And behind: one step may have been interrupted, two were not.
  const Handle other(text_of_campaign("summer"));
  ASSERT_EQ(other.agree(kNoLimits), PPGNN_OK);
  ASSERT_EQ(other.use(storage.counted()), PPGNN_OK);
  ASSERT_EQ(other.report(), PPGNN_OK);
  ASSERT_EQ(storage.counter, 2u);
  storage.counter = 0;
  EXPECT_EQ(other.report(), PPGNN_ROLLED_BACK);
  EXPECT_EQ(storage.counter, 0u);
  storage.counter = 1;
  EXPECT_EQ(other.report(), PPGNN_OK);
  EXPECT_EQ(storage.counter, 2u);
}

// Calls `ask(buffer, capacity, size)` with a buffer that is too small by one unit, and with one that fits exactly.
template <class Ask>
void expect_exact(std::size_t needed, std::size_t ending, const char* what, const Ask& ask) {
  std::size_t size = 0;
  EXPECT_EQ(ask(nullptr, 0, &size), PPGNN_TOO_SMALL) << what;
  EXPECT_EQ(size, needed) << what;
  Bytes bytes(needed + ending, 0xee);
  size = 0;
  EXPECT_EQ(ask(bytes.data(), needed + ending - 1, &size), PPGNN_TOO_SMALL) << what;
  EXPECT_EQ(size, needed) << what;
  EXPECT_EQ(bytes, Bytes(needed + ending, 0xee)) << what << ": nothing is in a buffer that was refused";
  EXPECT_EQ(ask(bytes.data(), needed + ending, &size), PPGNN_OK) << what;
  EXPECT_LE(size, needed) << what;
}

TEST(CApiBounds, RefusesBuffersOneByteShort) {
  test::MemoryStorage storage;  // outlives the client, which lets go of it
  const Handle client(text_of_campaign("spring"));
  ASSERT_EQ(client.agree(kNoLimits), PPGNN_OK);
  ASSERT_EQ(client.use(storage.callbacks()), PPGNN_OK);
  std::size_t size = 0;
  const auto text = [](std::uint8_t* bytes) { return reinterpret_cast<char*>(bytes); };
  expect_exact(6, 1, "campaign", [&](std::uint8_t* bytes, std::size_t capacity, std::size_t* needed) {
    return ppgnn_text(client, PPGNN_TEXT_CAMPAIGN, 0, text(bytes), capacity, needed);
  });
  ASSERT_EQ(ppgnn_preview(client, 1, nullptr, 0, &size), PPGNN_TOO_SMALL);
  expect_exact(size, 1, "preview", [&](std::uint8_t* bytes, std::size_t capacity, std::size_t* needed) {
    return ppgnn_preview(client, 1, text(bytes), capacity, needed);
  });
  ASSERT_EQ(ppgnn_example(client, 1, 0, nullptr, 0, &size), PPGNN_TOO_SMALL);
  expect_exact(size, 0, "example", [&](std::uint8_t* bytes, std::size_t capacity, std::size_t* needed) {
    return ppgnn_example(client, 1, 0, bytes, capacity, needed);
  });
  ASSERT_EQ(ppgnn_report_size(client, &size), PPGNN_OK);
  expect_exact(size, 0, "report", [&](std::uint8_t* bytes, std::size_t capacity, std::size_t* needed) {
    return ppgnn_report(client, 1, &kNothing, 0, bytes, capacity, needed, nullptr);
  });
  ASSERT_EQ(ppgnn_resend(client, nullptr, 0, &size), PPGNN_TOO_SMALL);
  expect_exact(size, 0, "stored report", [&](std::uint8_t* bytes, std::size_t capacity, std::size_t* needed) {
    return ppgnn_resend(client, bytes, capacity, needed);
  });
  // The C++ client says the same of its own buffers.
  Client device = Client::make(text_of_campaign("spring")).value();
  device.set_person("ana");
  Bytes bytes(device.largest_report() - 1, 0xee);
  EXPECT_FALSE(device.report(ldp::Level{1}, ldp::Row::ones({}), 0, bytes));
  EXPECT_EQ(bytes, Bytes(bytes.size(), 0xee));
}

TEST(CApiBounds, ReadsFeaturesIntoBuffersThatHoldThem) {
  const Handle client(text_of_campaign("spring"));
  const std::string file = R"({"word.0": 1, "word.2": 1, "word.5": 1})";
  const auto read = [&](std::uint32_t* columns, float* values, std::size_t capacity, std::size_t* count) {
    return ppgnn_read_features(client, file.data(), file.size(), columns, values, capacity, count);
  };
  std::size_t count = 0;
  EXPECT_EQ(read(nullptr, nullptr, 0, &count), PPGNN_TOO_SMALL) << ppgnn_error(client);
  ASSERT_EQ(count, 3u);
  std::vector<std::uint32_t> columns(3, 77);
  std::vector<float> values(3, 77);
  EXPECT_EQ(read(columns.data(), values.data(), 2, &count), PPGNN_TOO_SMALL);
  EXPECT_EQ(columns, std::vector<std::uint32_t>(3, 77));
  EXPECT_EQ(values, std::vector<float>(3, 77));
  EXPECT_EQ(read(columns.data(), values.data(), 3, &count), PPGNN_OK);
  EXPECT_EQ(columns, (std::vector<std::uint32_t>{0, 2, 5}));
}

// A sentence is cut to the buffer, with its zero byte inside.
TEST(CApiBounds, CutsSentencesToTheirBuffer) {
  const std::string plan = "nonsense";
  std::vector<char> whole(512);
  ppgnn_client* none = nullptr;
  ASSERT_EQ(ppgnn_open(plan.data(), plan.size(), &none, whole.data(), whole.size()), PPGNN_MALFORMED);
  const std::string sentence = whole.data();
  ASSERT_GT(sentence.size(), 10u);
  for (std::size_t capacity = 0; capacity <= sentence.size() + 1; ++capacity) {
    std::vector<char> some(capacity + 5, '?');
    some.back() = '\0';
    EXPECT_EQ(ppgnn_open(plan.data(), plan.size(), &none, some.data(), capacity), PPGNN_MALFORMED);
    EXPECT_EQ(std::string(some.data() + capacity, 4), "????") << capacity;
    EXPECT_EQ(std::string(some.data()).substr(0, sentence.size()),
              capacity > 0 ? sentence.substr(0, capacity - 1) : "????");
  }
}

TEST(CApiBounds, SaysWhatWouldBeSpentAtEveryLevel) {
  for (const ldp::Plan& plan : plans_of_many_levels()) {
    test::MemoryStorage storage;  // outlives the client, which lets go of it
    const Handle client(plan.text());
    ASSERT_EQ(client.agree(kNoLimits), PPGNN_OK);
    ASSERT_EQ(client.use(storage.callbacks()), PPGNN_OK);
    for (const std::uint32_t level : {1u, 2u, 9u, 17u, 20u}) {
      std::string words(1000, '\0');
      std::size_t size = 0;
      ASSERT_EQ(ppgnn_text(client, PPGNN_TEXT_LEDGER, level, words.data(), words.size(), &size), PPGNN_OK);
      words.resize(size);
      const Limits none{kNoLimits.report, true, kNoLimits.lifetime, kNoLimits.reports};
      EXPECT_EQ(words, words_on({}, plan, level - 1) + words_on({}, none));
    }
    EXPECT_NE(words_on({}, plan, 0), words_on({}, plan, 16));
  }
}

}  // namespace
}  // namespace ppgnn::client
