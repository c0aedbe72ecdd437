#include "ppgnn/client/ledger.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
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

const Limits kGenerous{.report = 1e3,
                       .level_disclosed = true,
                       .lifetime = std::numeric_limits<double>::infinity(),
                       .reports = std::numeric_limits<std::uint64_t>::max()};

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

TEST(Ledger, APlanWithoutCampaignIsOneOfItsOwnAndTheSecondNeedsTheWord) {
  test::MemoryStorage storage;
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  Client one = client_of(test::plan_of(test::signs_request({1, 2}, 20)));
  Client other = client_of(test::plan_of(test::signs_request({1, 2}, 21)));
  EXPECT_TRUE(report(one, ledger).fresh);
  other.permit(PPGNN_PERMIT_OTHER_RECIPIENT);  // the word for something else
  EXPECT_EQ(report(other, ledger).error->code, ErrorCode::not_permitted);
  EXPECT_EQ(storage.locked, 0);
  Client named = client_of(plan_of_campaign("spring"));
  EXPECT_TRUE(report(named, ledger).fresh);
  other.permit(PPGNN_PERMIT_UNNAMED_AGAIN);
  EXPECT_TRUE(report(other, ledger).fresh);
  EXPECT_FALSE(report(one, ledger, 2, Row::ones({}), 9).fresh);
  EXPECT_EQ(ledger.spending()->reports, 3u);
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

// The vectors of docs/formats/ledger.md: the first version, which is read, then what is made of it.
TEST(Ledger, IsTheBytesOfTheDocument) {
  const std::string page = test::content_of(std::string(PPGNN_SOURCE_DIR) + "/docs/formats/ledger.md");
  std::vector<std::string> vectors;
  for (std::size_t at = page.find("```hex\n"); at != std::string::npos; at = page.find("```hex\n", at)) {
    vectors.emplace_back();
    for (at += 7; at < page.size() && page[at] != '`'; ++at) {
      if (page[at] != ' ' && page[at] != '\n') vectors.back() += page[at];
    }
  }
  ASSERT_EQ(vectors.size(), 2u);
  test::MemoryStorage storage;
  storage.bytes = from_hex(vectors[0]).value_or(Bytes());
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  const LedgerEntry old = ledger.entry(1).value().value();
  EXPECT_EQ(old.plan, sha256("another plan"));
  EXPECT_EQ(Bytes(old.report.begin(), old.report.end()), (Bytes{0xa4, 0x00, 0x01}));
  EXPECT_EQ(old.recipient, "");

  const Bytes sent{0xa4, 0x00, 0x02};
  const LedgerEntry made{.campaign = "spring",
                         .plan = sha256("one plan"),
                         .counted = 3,
                         .features = 3,
                         .level = 1,
                         .report = sent,
                         .recipient = "https://a.example"};
  Bytes out(10);
  ASSERT_EQ(ledger.begin(made, kGenerous, out).value(), 0u);
  ASSERT_TRUE(ledger.keep(made).ok());
  EXPECT_EQ(vectors[1], to_hex(storage.bytes));
  EXPECT_EQ(ledger.entry(1).value()->recipient, "https://a.example");
  EXPECT_EQ(ledger.spending()->reports, 2u);

  // A first version has no recipients, and there is no third.
  for (const char version : {'0', '1', '3'}) {
    storage.bytes = from_hex(vectors[1]).value_or(Bytes());
    storage.bytes[13] = static_cast<std::uint8_t>(version);
    const auto body = std::span<const std::uint8_t>(storage.bytes).first(storage.bytes.size() - 32);
    Sha256 hash;
    hash.update(body);
    const Digest digest = hash.finish();
    std::copy(digest.begin(), digest.end(), storage.bytes.end() - 32);
    EXPECT_EQ(ledger.spending().error().code, ErrorCode::malformed) << version;
  }
}

// For whom a report was made decides who gets it; the person's word decides otherwise, for as long as it is given.
TEST(Ledger, AReportGoesToNobodyElseWithoutTheWord) {
  for (const std::string made_for : {"", "https://a.example"}) {
    test::MemoryStorage storage;
    Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
    const auto device = [&](const std::string& recipient) {
      Client client = client_of(plan_of_campaign("spring"));
      if (!recipient.empty()) {
        EXPECT_TRUE(client.set_recipient(recipient).ok());
      }
      return client;
    };
    Client own = device(made_for);
    const Attempt made = report(own, ledger);
    ASSERT_TRUE(made.fresh);
    EXPECT_EQ((*ledger.entry(0))->recipient, made_for);
    for (const std::string asks :
         {"", "https://a.example", "https://b.example", "https://a.exampl", "https://A.example"}) {
      Client client = device(asks);
      const bool same = asks == made_for;
      for (const std::uint32_t permitted :
           {0u, std::uint32_t{PPGNN_PERMIT_UNNAMED_AGAIN}, std::uint32_t{PPGNN_PERMIT_OTHER_RECIPIENT}, 0u}) {
        client.permit(permitted);
        const bool handed_out = same || permitted == PPGNN_PERMIT_OTHER_RECIPIENT;
        const Attempt again = report(client, ledger);
        EXPECT_EQ(!again.error, handed_out) << asks;
        const auto resent = client.resend(ledger);
        EXPECT_EQ(resent.ok(), handed_out) << asks;
        const auto standing = client.standing(ledger);
        ASSERT_TRUE(standing && *standing);
        EXPECT_EQ((*standing)->state, EntryState::reported);
        EXPECT_EQ((*standing)->report.empty(), !handed_out);
        if (handed_out) {
          EXPECT_EQ(again.bytes, made.bytes);
          EXPECT_EQ(Bytes(resent->begin(), resent->end()), made.bytes);
        } else {
          EXPECT_EQ(again.error->code, ErrorCode::not_permitted);
          EXPECT_EQ(resent.error().code, ErrorCode::not_permitted);
        }
      }
    }
    EXPECT_EQ(storage.stores, 1);
    EXPECT_EQ(storage.locked, 0);
  }
}

TEST(Ledger, SendingAgainComparesPlanAndQuestionAsReportingDoes) {
  test::MemoryStorage storage;
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  const ldp::Plan answers = test::plan_of(test::answer_request({1, 2}, 6, 3));
  Client client = client_of(answers);
  EXPECT_TRUE(client.resend(ledger)->empty());
  const Attempt made = report(client, ledger);
  ASSERT_TRUE(made.fresh);
  const auto other_question = ldp::Question::make(*answers.tables().model, {2, 1, 0}).value();
  Client asked_otherwise = client_of(answers);
  ASSERT_TRUE(asked_otherwise.set_question(other_question.bytes()).ok());
  Client other_plan = client_of(plan_of_campaign("spring"));
  for (Client* one : {&asked_otherwise, &other_plan}) {
    one->permit(PPGNN_PERMIT_OTHER_RECIPIENT);  // no word for this
    EXPECT_EQ(one->standing(ledger).error().code, ErrorCode::reported);
    EXPECT_EQ(one->resend(ledger).error().code, ErrorCode::reported);
  }
  // The plan alone, where no question is set yet.
  Client unasked = Client::make(answers.text()).value();
  const auto resent = unasked.resend(ledger);
  ASSERT_TRUE(resent);
  EXPECT_EQ(Bytes(resent->begin(), resent->end()), made.bytes);
}

TEST(Ledger, LimitsHaveDefaultsThatADefaultCampaignKeeps) {
  ldp::PlanRequest request = test::bucket_request(ldp::doubling_budgets(1).value(), 500, 0, 0);
  request.shape = {};
  test::MemoryStorage storage;
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  std::string story;
  for (const char* name : {"a", "b", "c", "d"}) {
    request.campaign->name = name;
    Client client = client_of(test::plan_of(request), Limits{});
    const Attempt made = report(client, ledger, 5);
    story += made.error ? (made.error->code == ErrorCode::over_limit ? 'x' : '?') : 'r';
  }
  EXPECT_EQ(story, "rrrx");  // 10 nats
  ppgnn_limits usual;
  ppgnn_default_limits(&usual);
  EXPECT_EQ(usual.report, Limits{}.report);
  EXPECT_EQ(usual.lifetime, Limits{}.lifetime);
  EXPECT_EQ(usual.reports, Limits{}.reports);
  EXPECT_EQ(usual.level_disclosed, 0);

  test::MemoryStorage many;
  Ledger cheap = Ledger::open(many.callbacks(), 100).value();
  int made = 0;
  for (int i = 0; i < 12; ++i) {
    Client client = client_of(plan_of_campaign("c" + std::to_string(i), {.1, .2}), Limits{});
    made += report(client, cheap).error ? 0 : 1;
  }
  EXPECT_EQ(made, 10);
}

TEST(Ledger, SaysWhatIsAddedAndWhatTheLimitsLeave) {
  test::MemoryStorage storage;
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  Client client = Client::make(plan_of_campaign("spring").text()).value();
  client.set_person("ana");
  EXPECT_NE(client.ledger_words(Level{1}, ledger)->find("With this one, all of them tell 1 nats"), std::string::npos);
  EXPECT_EQ(client.ledger_words(Level{1}, ledger)->find("limits"), std::string::npos);  // none yet
  EXPECT_FALSE(client.ledger_words(Level{3}, ledger));
  ASSERT_TRUE(client.agree({.report = 5, .lifetime = 7, .reports = 9}).ok());
  ASSERT_TRUE(report(client, ledger).fresh);
  const std::string repeated =
      "Reports so far: 1, for 1 nats. This campaign has its report and gets no other: nothing is added.";
  const std::string limits =
      " Your limits count each report at its plan's most relaxed level. So far, nats: 2 of 7; reports: 1 of 9.";
  EXPECT_EQ(*client.ledger_words(Level{2}, ledger), repeated + limits);
  // Of another plan of the campaign the same: it gets no report.
  Client other = client_of(plan_of_campaign("spring", {1, 3}));
  EXPECT_EQ(*other.ledger_words(Level{1}, ledger),
            repeated +
                " Your limits count each report at its plan's most relaxed level. So far, nats: 2 of any number; "
                "reports: 1 of any number.");
}

// Every limit by name; what is exactly as much as was agreed to is allowed, and the next number is not.
TEST(Ledger, LimitsAreMetExactly) {
  const double spend = largest_spend(plan_of_campaign("a"));
  const auto story = [&](double lifetime, std::uint64_t reports) {
    test::MemoryStorage storage;
    Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
    std::string said;
    for (const char* name : {"a", "b", "c"}) {
      EXPECT_TRUE(ledger.note_not_asked(std::string("not-") + name, sha256(name)).ok());
      Client client = client_of(plan_of_campaign(name),
                                {.report = spend, .level_disclosed = true, .lifetime = lifetime, .reports = reports});
      const Attempt made = report(client, ledger);
      said += !made.error ? 'r' : made.error->code == ErrorCode::over_limit ? 'x' : '?';
    }
    return said;
  };
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(story(spend, kAny), "rxx");
  EXPECT_EQ(story(2 * spend, kAny), "rrx");
  EXPECT_EQ(story(std::nextafter(2 * spend, 0), kAny), "rxx");
  EXPECT_EQ(story(std::nextafter(spend, 0), kAny), "xxx");
  EXPECT_EQ(story(100, 0), "xxx");
  EXPECT_EQ(story(100, 1), "rxx");
  EXPECT_EQ(story(100, 2), "rrx");
  EXPECT_EQ(story(100, 3), "rrr");
}

// A report takes the place of its own campaign's entry, wherever that is, and of no other's.
TEST(Ledger, NotAskedEntriesStayWhereTheyAre) {
  test::MemoryStorage storage;
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  const auto story = [&] {
    std::string said;
    for (std::uint32_t i = 0; i < ledger.spending()->entries; ++i) {
      const auto entry = ledger.entry(i).value();
      said += std::string(entry->campaign) + (entry->state == EntryState::reported ? "! " : " ");
    }
    return said;
  };
  for (const char* name : {"a", "b", "c", "d"}) {
    ASSERT_TRUE(client_of(plan_of_campaign(name)).note_not_asked(ledger).ok());
  }
  const std::pair<const char*, const char*> steps[] = {{"c", "a b d c! "},
                                                       {"b", "a d c! b! "},
                                                       {"e", "a d c! b! e! "},
                                                       {"d", "a c! b! e! d! "},
                                                       {"a", "c! b! e! d! a! "}};
  for (const auto& [name, expected] : steps) {
    Client client = client_of(plan_of_campaign(name));
    EXPECT_TRUE(report(client, ledger).fresh) << name;
    EXPECT_EQ(story(), expected);
    ASSERT_TRUE(client.note_not_asked(ledger).ok());
    EXPECT_EQ(story(), expected) << "a report stays one";
  }
  EXPECT_EQ(ledger.spending()->reports, 5u);
  // Plans without a campaign are told apart by their hash alone.
  ASSERT_TRUE(ledger.note_not_asked("", sha256("one")).ok());
  ASSERT_TRUE(ledger.note_not_asked("", sha256("other")).ok());
  EXPECT_EQ(ledger.spending()->entries, 7u);
  EXPECT_EQ(ledger.find("", sha256("other")).value()->plan, sha256("other"));
  EXPECT_FALSE(ledger.find("", sha256("third")).value());
}

// More campaigns than a byte counts: each is found, by name and by place, and limits count all of them.
TEST(Ledger, HoldsManyCampaigns) {
  constexpr std::uint32_t kMany = 300;
  test::MemoryStorage storage;
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  Bytes out(10);
  const auto wanted = [](std::uint32_t i, const std::string& name, const Bytes& sent) {
    return LedgerEntry{
        .campaign = name, .plan = sha256(name), .counted = .25, .features = .125 * (i % 2), .report = sent};
  };
  const Limits limits{.report = 1,
                      .level_disclosed = true,
                      .lifetime = .25 * (kMany / 2),
                      .reports = std::numeric_limits<std::uint64_t>::max()};
  for (std::uint32_t i = 0; i < kMany; ++i) {
    const std::string name = "campaign-" + std::to_string(i);
    if (i % 2 == 0) {
      ASSERT_TRUE(ledger.note_not_asked(name, sha256(name)).ok());
      continue;
    }
    const Bytes sent{static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i)};
    const LedgerEntry entry = wanted(i, name, sent);
    ASSERT_EQ(ledger.begin(entry, limits, out).value(), 0u) << i;
    ASSERT_TRUE(ledger.keep(entry).ok());
  }
  const Spending sum = ledger.spending().value();
  EXPECT_EQ(sum.entries, kMany);
  EXPECT_EQ(sum.reports, kMany / 2);
  EXPECT_EQ(sum.counted, .25 * (kMany / 2));
  EXPECT_EQ(sum.features, .125 * (kMany / 2));
  Ledger again = Ledger::open(storage.callbacks(), 100).value();
  for (std::uint32_t i = 0; i < kMany; ++i) {
    const std::string name = "campaign-" + std::to_string(i);
    EXPECT_EQ(again.entry(i).value()->campaign, name);
    EXPECT_EQ(again.find(name, sha256(name)).value()->report.size(), i % 2 == 0 ? 0u : 2u);
    if (i % 2 == 0) continue;
    ASSERT_EQ(again.begin(wanted(i, name, {}), limits, out).value(), 2u);
    EXPECT_EQ(std::uint32_t{out[0]} * 256 + out[1], i);
  }
  EXPECT_FALSE(again.entry(kMany).value());
  EXPECT_EQ(again.begin(wanted(1, "one-more", {}), limits, out).error().code, ErrorCode::over_limit);
}

// A counter that is far from the ledger's, in either direction, by whatever a short number does not hold.
TEST(Ledger, ACounterFarAheadIsNoticed) {
  test::MemoryStorage storage;
  Client client = client_of(plan_of_campaign("spring"));
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const auto refusal = [&](std::uint64_t counter) {
    storage.counter = counter;
    const auto ledger = Ledger::open(storage.counted(), 100);
    EXPECT_EQ(storage.counter, counter) << "the counter was moved";
    return ledger ? ErrorCode::diverged : ledger.error().code;
  };
  // No ledger, and a counter that says there was one.
  for (const std::uint64_t counter : {std::uint64_t{1}, std::uint64_t{1} << 32, kMost - 1, kMost}) {
    EXPECT_EQ(refusal(counter), ErrorCode::rolled_back) << counter;
  }
  storage.counter = 0;
  {
    Ledger ledger = Ledger::open(storage.counted(), 100).value();
    ASSERT_TRUE(report(client, ledger).fresh);
    ASSERT_EQ(storage.counter, 1u);
  }
  for (const std::uint64_t counter :
       {std::uint64_t{2}, std::uint64_t{1001}, (std::uint64_t{1} << 32) + 1, kMost - 1, kMost}) {
    EXPECT_EQ(refusal(counter), ErrorCode::rolled_back) << counter;
  }
  EXPECT_EQ(refusal(1), ErrorCode::diverged) << "its own is taken";
}

// What the graph says is part of a question: with other odds it is another one.
TEST(Ledger, OtherOddsAreAnotherQuestion) {
  ldp::PlanRequest request = test::answer_request({1, 2}, 6, 3);
  request.model->unit = 10;
  const ldp::Plan plan = test::plan_of(request);
  test::MemoryStorage storage;
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  Client client = client_of(plan);
  const auto ask = [&](std::vector<std::int16_t> odds) {
    const auto question = ldp::Question::make(*plan.tables().model, {0, 1, 2}, std::move(odds)).value();
    ASSERT_TRUE(client.set_question(question.bytes()).ok());
  };
  ask({0, 0, 0});
  ASSERT_TRUE(report(client, ledger).fresh);
  ask({0, 0, 1});
  EXPECT_EQ(report(client, ledger).error->code, ErrorCode::reported);
  ask({0, 0, 0});
  EXPECT_FALSE(report(client, ledger).error);
}

// A stored report into a buffer that holds it exactly, and into one that is a byte short.
TEST(Ledger, AStoredReportNeedsRoomForAllOfIt) {
  test::MemoryStorage storage;
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  const Bytes sent{1, 2, 3};
  const LedgerEntry entry{.campaign = "spring", .counted = 1, .report = sent};
  Bytes out(3);
  ASSERT_EQ(ledger.begin(entry, kGenerous, out).value(), 0u);
  ASSERT_TRUE(ledger.keep(entry).ok());
  EXPECT_EQ(ledger.begin(entry, kGenerous, out).value(), 3u);
  EXPECT_EQ(out, sent);
  Bytes small(2, 0xee);
  EXPECT_FALSE(ledger.begin(entry, kGenerous, small));
  EXPECT_EQ(small, Bytes(2, 0xee));
  EXPECT_EQ(storage.locked, 0);
}

}  // namespace
}  // namespace ppgnn::client
