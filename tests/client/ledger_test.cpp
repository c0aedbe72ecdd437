#include "ppgnn/client/ledger.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ppgnn/client/client.hpp"
#include "ppgnn/client/words.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/wire/report_format.hpp"
#include "support/memory_storage.hpp"
#include "support/plans.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::client {
namespace {

using ldp::Level;
using ldp::Row;
using Bytes = std::vector<std::uint8_t>;

const Limits kGenerous{.report = 1e3, .level_disclosed = true};

Client client_of(const ldp::Plan& plan, const Limits& limits = kGenerous) {
  Client client = Client::make(plan.text()).value();
  client.set_person("ana");
  const test::Person person(plan);
  if (person.question) {
    EXPECT_TRUE(client.set_question(person.question->bytes()).ok());
  }
  EXPECT_TRUE(client.agree(limits).ok());
  return client;
}

ldp::Plan plan_of_campaign(const std::string& name, std::vector<double> budgets = {1, 2}) {
  ldp::PlanRequest request = test::bucket_request(std::move(budgets), 6, 6, 2);
  request.campaign->name = name;
  return test::plan_of(request);
}

struct Attempt {
  Bytes bytes{};
  bool fresh = false;
  std::optional<Error> error{};
};

Attempt report(Client& client, Ledger& ledger, std::uint32_t level = 1, const Row& row = Row::ones({}),
               std::uint64_t round = 0) {
  Bytes out(client.largest_report(), 0xee);
  const Result<Sent> sent = client.report(Level{level}, row, round, ledger, out);
  if (!sent) {
    EXPECT_EQ(out, Bytes(out.size(), 0xee)) << "something is in the buffer of a report that was refused";
    return {.error = sent.error()};
  }
  out.resize(sent->size);
  return {.bytes = out, .fresh = sent->fresh};
}

TEST(Ledger, ACampaignHasOneReportInWhicheverRound) {
  const std::vector<std::uint32_t> words{0, 3};
  for (const ldp::ReportKind kind : ldp::kReportKinds) {
    const ldp::Plan plan = test::plan_of(test::request_of(kind, {1, 2}));
    test::MemoryStorage storage;
    Bytes first;
    // Each time as after a restart.
    for (std::uint32_t attempt = 0; attempt < 4; ++attempt) {
      Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
      Client client = client_of(plan);
      const std::vector<float> features{static_cast<float>(attempt)};
      const Attempt made = report(client, ledger, attempt % 2 + 1, Row::dense(features), 100 * attempt);
      ASSERT_FALSE(made.error) << made.error->message;
      EXPECT_EQ(made.fresh, attempt == 0);
      if (attempt == 0) first = made.bytes;
      EXPECT_EQ(made.bytes, first);
      EXPECT_EQ(Bytes((*client.standing(ledger))->report.begin(), (*client.standing(ledger))->report.end()), first);
    }
    EXPECT_TRUE(wire::decode(plan, first));
    EXPECT_EQ(storage.stores, 1);
    EXPECT_EQ(storage.locked, 0);
    EXPECT_EQ(storage.released, 4);
  }
}

TEST(Ledger, AnotherPlanOrQuestionOfACampaignIsRefused) {
  test::MemoryStorage storage;
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  const ldp::Plan answers = test::plan_of(test::answer_request({1, 2}, 6, 3));
  Client client = client_of(answers);
  ASSERT_TRUE(report(client, ledger).fresh);
  const Bytes before = storage.bytes;

  const auto other_question = ldp::Question::make(*answers.tables().model, {2, 1, 0}).value();
  ASSERT_TRUE(client.set_question(other_question.bytes()).ok());
  Client other_plan = client_of(plan_of_campaign("spring"));
  for (Client* one : {&client, &other_plan}) {
    const Attempt refused = report(*one, ledger);
    ASSERT_TRUE(refused.error);
    EXPECT_EQ(refused.error->code, ErrorCode::reported);
  }
  EXPECT_EQ(storage.bytes, before);
  EXPECT_EQ(storage.locked, 0);

  Client other_campaign = client_of(plan_of_campaign("autumn"));
  EXPECT_TRUE(report(other_campaign, ledger).fresh);
  Client other_budgets = client_of(plan_of_campaign("autumn", {1, 3}));
  EXPECT_EQ(report(other_budgets, ledger).error->code, ErrorCode::reported);
}

TEST(Ledger, APlanWithoutCampaignIsOneOfItsOwn) {
  test::MemoryStorage storage;
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  Client one = client_of(test::plan_of(test::signs_request({1, 2}, 20)));
  Client other = client_of(test::plan_of(test::signs_request({1, 2}, 21)));
  EXPECT_TRUE(report(one, ledger).fresh);
  EXPECT_TRUE(report(other, ledger).fresh);
  EXPECT_FALSE(report(one, ledger, 2, Row::ones({}), 9).fresh);
  EXPECT_EQ(ledger.spending()->reports, 2u);
}

TEST(Ledger, WhoIsNotAskedSpendsNothingAndMayBeAskedLater) {
  test::MemoryStorage storage;
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  Client client = client_of(plan_of_campaign("spring"));
  Client other = client_of(plan_of_campaign("autumn"));
  ASSERT_TRUE(client.note_not_asked(ledger).ok());
  ASSERT_TRUE(client.note_not_asked(ledger).ok());
  ASSERT_TRUE(other.note_not_asked(ledger).ok());
  EXPECT_EQ((*client.standing(ledger))->state, EntryState::not_asked);
  Spending spending = ledger.spending().value();
  EXPECT_EQ(spending.entries, 2u);
  EXPECT_EQ(spending.reports, 0u);
  EXPECT_EQ(spending.counted + spending.features + spending.level, 0);
  EXPECT_TRUE(report(client, ledger).fresh);
  ASSERT_TRUE(client.note_not_asked(ledger).ok());
  EXPECT_EQ((*client.standing(ledger))->state, EntryState::reported);
  spending = ledger.spending().value();
  EXPECT_EQ(spending.entries, 2u);
  EXPECT_EQ(spending.reports, 1u);
  EXPECT_EQ(ledger.entry(0).value()->campaign, "autumn");
  EXPECT_EQ(ledger.entry(1).value()->campaign, "spring");
  EXPECT_FALSE(ledger.entry(2).value());
}

// The most relaxed level counts, whoever reports: at which report a device stops is the same for everybody.
TEST(Ledger, LimitsCountTheMostRelaxedLevelForEverybody) {
  const double largest = largest_spend(plan_of_campaign("a"));
  ASSERT_GT(largest, 1.5);
  std::vector<std::string> seen;
  for (const std::uint32_t level : {1u, 2u}) {
    for (const Limits& limits : {Limits{.report = 5, .lifetime = 2.5 * largest}, Limits{.report = 5, .reports = 2}}) {
      test::MemoryStorage storage;
      Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
      std::string story;
      for (const char* name : {"a", "b", "c", "d"}) {
        Client client = client_of(plan_of_campaign(name), limits);
        const Attempt made = report(client, ledger, level);
        story += made.error ? (made.error->code == ErrorCode::over_limit ? 'x' : '?') : 'r';
      }
      seen.push_back(story);
      EXPECT_NEAR(ledger.spending()->counted, 2 * largest, 1e-9);
      EXPECT_NEAR(ledger.spending()->features, level == 1 ? 2.0 : 2 * largest, 1e-6);
      // What was reported can still be sent again.
      Client client = client_of(plan_of_campaign("a"), limits);
      EXPECT_FALSE(report(client, ledger, level).error);
    }
  }
  EXPECT_EQ(seen, std::vector<std::string>(4, "rrxx"));
}

TEST(Ledger, PlansBeyondWhatWasAgreedAreRefused) {
  Client client = Client::make(test::plan_of(test::signs_request({1, 2}, 20)).text()).value();
  EXPECT_EQ(client.agree({.report = 1.9}).error().code, ErrorCode::over_limit);  // although level 1 spends 1
  EXPECT_FALSE(client.has_agreed());
  EXPECT_TRUE(client.agree({.report = 2.0}).ok());
  EXPECT_FALSE(client.agree({.report = std::numeric_limits<double>::quiet_NaN()}).ok());
  EXPECT_FALSE(client.has_agreed());
  ldp::PlanRequest request = test::signs_request({1, 2}, 20);
  request.secrecy = ldp::LevelSecrecy::public_level;
  Client open = Client::make(test::plan_of(request).text()).value();
  EXPECT_EQ(open.agree({.report = 5}).error().message,
            "plan: it sends the level in the clear, which the person did not agree to");
  EXPECT_TRUE(open.agree({.report = 5, .level_disclosed = true}).ok());
  test::MemoryStorage storage;
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  EXPECT_TRUE(report(client, ledger).error);
}

TEST(Ledger, NothingLeavesUnlessItIsStored) {
  test::MemoryStorage storage;
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  Client client = client_of(plan_of_campaign("spring"));
  for (bool test::MemoryStorage::*fault :
       {&test::MemoryStorage::fail_stores, &test::MemoryStorage::fail_loads, &test::MemoryStorage::fail_locks}) {
    storage.*fault = true;
    const Attempt refused = report(client, ledger);
    ASSERT_TRUE(refused.error);
    EXPECT_EQ(refused.error->code, ErrorCode::io);
    EXPECT_NE(refused.error->message.find("(the test says no); no report leaves"), std::string::npos)
        << refused.error->message;
    EXPECT_EQ(storage.locked, 0);
    storage.*fault = false;
  }
  EXPECT_TRUE(report(client, ledger).fresh);
}

TEST(Ledger, DamageIsRefusedAtEveryByteAndEveryLength) {
  test::MemoryStorage storage;
  {
    Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
    Client client = client_of(plan_of_campaign("spring"));
    ASSERT_TRUE(client_of(plan_of_campaign("autumn")).note_not_asked(ledger).ok());
    ASSERT_TRUE(report(client, ledger).fresh);
  }
  const Bytes good = storage.bytes;
  const auto refused = [&](const Bytes& bytes) {
    storage.bytes = bytes;
    const auto ledger = Ledger::open(storage.callbacks(), 100);
    return !ledger && ledger.error().code == ErrorCode::malformed;
  };
  for (std::size_t i = 0; i < good.size(); ++i) {
    Bytes bad = good;
    bad[i] ^= 1;
    EXPECT_TRUE(refused(bad)) << "byte " << i;
    if (i > 0) {
      EXPECT_TRUE(refused({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(i)})) << "length " << i;
    }
  }
  Bytes longer = good;
  longer.push_back(0);
  EXPECT_TRUE(refused(longer));
  storage.bytes = good;
  EXPECT_TRUE(Ledger::open(storage.callbacks(), 100));
}

TEST(Ledger, AnOldLedgerIsNoticedByACounter) {
  test::MemoryStorage storage;
  Client spring = client_of(plan_of_campaign("spring"));
  Client autumn = client_of(plan_of_campaign("autumn"));
  Ledger ledger = Ledger::open(storage.counted(), 100).value();
  ASSERT_TRUE(report(spring, ledger).fresh);
  const Bytes old = storage.bytes;
  ASSERT_TRUE(report(autumn, ledger).fresh);
  const Bytes now = storage.bytes;
  for (const Bytes& put_back : {old, Bytes()}) {
    storage.bytes = put_back;
    const Attempt refused = report(autumn, ledger);
    ASSERT_TRUE(refused.error);
    EXPECT_EQ(refused.error->code, ErrorCode::rolled_back);
  }
  storage.bytes = now;
  EXPECT_FALSE(report(autumn, ledger).error);
  storage.counter -= 2;  // of another device
  EXPECT_EQ(report(autumn, ledger).error->code, ErrorCode::rolled_back);
}

// Between the ledger and its counter: nothing has left, and the ledger is taken, once and again.
TEST(Ledger, AnInterruptionBeforeTheCounterLosesNothing) {
  test::MemoryStorage storage;
  Client spring = client_of(plan_of_campaign("spring"));
  Ledger ledger = Ledger::open(storage.counted(), 100).value();
  storage.fail_raises = true;
  EXPECT_EQ(report(spring, ledger).error->code, ErrorCode::io);
  EXPECT_EQ(report(spring, ledger).error->code, ErrorCode::io);  // not even the stored one
  storage.fail_raises = false;
  const Attempt again = report(spring, ledger);
  ASSERT_FALSE(again.error);
  EXPECT_FALSE(again.fresh);
  EXPECT_EQ(storage.counter, 1u);
  storage.bytes.clear();
  EXPECT_EQ(report(spring, ledger).error->code, ErrorCode::rolled_back);
}

TEST(Ledger, GrowsWithWhatOthersAdd) {
  test::MemoryStorage storage;
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  {
    Ledger other = Ledger::open(storage.callbacks(), 100).value();
    for (int i = 0; i < 40; ++i) {
      Client client = client_of(plan_of_campaign("c" + std::to_string(i)));
      ASSERT_TRUE(report(client, other).fresh);
    }
  }
  Client client = client_of(plan_of_campaign("c17"));
  EXPECT_FALSE(report(client, ledger).fresh);
  Client last = client_of(plan_of_campaign("last"));
  EXPECT_TRUE(report(last, ledger).fresh);
  EXPECT_EQ(ledger.spending()->reports, 41u);
}

TEST(Ledger, ItsSizeDoesNotDependOnTheLevel) {
  for (const ldp::ReportKind kind : ldp::kReportKinds) {
    std::vector<std::size_t> sizes;
    for (const std::uint32_t level : {1u, 2u, 3u}) {
      test::MemoryStorage storage;
      Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
      Client client = client_of(test::plan_of(test::request_of(kind, {1, 2, 4})));
      ASSERT_TRUE(report(client, ledger, level).fresh);
      sizes.push_back(storage.bytes.size());
    }
    EXPECT_EQ(sizes, std::vector<std::size_t>(3, sizes[0])) << ldp::to_text(kind);
  }
}

TEST(Ledger, SaysWhatWouldBeSpentBeforeItIs) {
  const ldp::Plan plan = plan_of_campaign("spring", {1});
  EXPECT_EQ(
      words_on({}, plan, 0),
      "Reports so far: 0, for 0 nats. With this one, all of them tell 1 nats about your features, from 50:50 to at "
      "most 73.2:26.8, and about your level 0 nats, from 50:50 to at most 50.0:50.0.");
  ldp::PlanRequest request = test::signs_request({1, 2}, 20);
  request.secrecy = ldp::LevelSecrecy::public_level;
  const std::string words = words_on({.reports = 1, .features = 1}, test::plan_of(request), 0);
  EXPECT_NE(words.find("Reports so far: 1, for 1 nats."), std::string::npos) << words;
  EXPECT_NE(words.find("about your level everything: it is sent along."), std::string::npos) << words;
}

// The vector of docs/formats/ledger.md.
TEST(Ledger, IsTheBytesOfTheDocument) {
  test::MemoryStorage storage;
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  ASSERT_TRUE(ledger.note_not_asked("spring", sha256("one plan")).ok());
  const Bytes sent{0xa4, 0x00, 0x01};
  const LedgerEntry entry{.plan = sha256("another plan"),
                          .counted = 2,
                          .features = 1,
                          .level = std::numeric_limits<double>::infinity(),
                          .report = sent};
  Bytes out(10);
  ASSERT_EQ(ledger.begin(entry, kGenerous, out).value(), 0u);
  ASSERT_TRUE(ledger.keep(entry).ok());
  const std::string page = test::content_of(std::string(PPGNN_SOURCE_DIR) + "/docs/formats/ledger.md");
  std::string hex;
  for (std::size_t at = page.find("```hex\n") + 7; at < page.size() && page[at] != '`'; ++at) {
    if (page[at] != ' ' && page[at] != '\n') hex += page[at];
  }
  EXPECT_EQ(hex, to_hex(storage.bytes));
  storage.bytes = from_hex(hex).value_or(Bytes());
  EXPECT_EQ(ledger.spending()->reports, 1u);
}

}  // namespace
}  // namespace ppgnn::client
