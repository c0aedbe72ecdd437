// Decisions at home: the campaign's model, the person's hint, and what of it the ledger holds a device to.
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "ppgnn/client/client.hpp"
#include "ppgnn/client/ppgnn_client.h"
#include "ppgnn/random/samplers.hpp"
#include "support/memory_storage.hpp"
#include "support/models.hpp"

namespace ppgnn::client {
namespace {

using ldp::HintKind;
using ldp::Row;
using Bytes = std::vector<std::uint8_t>;

const Bytes kHint{1, 1, 1, 0, 2};  // dog, then cat, step 2

ldp::PublishedModel published(std::uint32_t evidence = 1u << 26, HintKind kind = HintKind::coarse) {
  return ldp::PublishedModel::make(test::small_decisions(kind, evidence)).value();
}

Client pilots_client(const std::string& campaign = "spring") {
  ldp::DecisionTables tables = test::small_decisions();
  tables.campaign = campaign;
  Client client = Client::make(test::pilots_plan(tables).text()).value();
  client.set_person("ana");
  return client;
}

struct Found {
  std::vector<std::uint32_t> probabilities = std::vector<std::uint32_t>(3, 7);
  std::vector<std::int32_t> groups = std::vector<std::int32_t>(2, 7);
  std::optional<ldp::Decision> decision;
  std::optional<ErrorCode> refused;
};

Found decide(Client& client, Ledger& ledger, const Row& row) {
  Found found;
  const auto decided = client.decide(row, ledger, found.probabilities, found.groups);
  if (decided) {
    found.decision = *decided;
  } else {
    found.refused = decided.error().code;
    EXPECT_EQ(found.probabilities, std::vector<std::uint32_t>(3, 7)) << "something was decided";
  }
  return found;
}

TEST(DecideAtHome, IsTheDocumentedDecision) {
  test::MemoryStorage storage;
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  Client client = pilots_client();
  ASSERT_TRUE(client.set_model(published().text(), kHint).ok());
  EXPECT_EQ(client.model(), published().hash());
  const std::vector<std::uint32_t> words{0, 2};
  const Found found = decide(client, ledger, Row::ones(words));
  ASSERT_TRUE(found.decision);
  EXPECT_EQ(found.probabilities, (std::vector<std::uint32_t>{27679, 29010, 8847}));
  EXPECT_EQ(found.groups, (std::vector<std::int32_t>{-388, 0}));
  EXPECT_EQ(found.decision->first, 1);
  EXPECT_EQ(found.decision->graph, 400);
  EXPECT_EQ(found.decision->features, -388);
}

// The device's own reading of a model, with the plan, is the same as the one without, for every model and row.
TEST(DecideAtHome, AgreesWithTheWholeModel) {
  for (const HintKind kind : {HintKind::coarse, HintKind::full}) {
    for (const std::uint32_t evidence : {0u, 1u, 12345u, 1u << 26, ~0u}) {
      const ldp::PublishedModel model = published(evidence, kind);
      const Bytes bytes = kind == HintKind::coarse ? kHint : Bytes{1, 2, 0xff, 0, 0, 0, 0xfc, 0x18};
      const ldp::Hint hint = ldp::Hint::parse(model, bytes).value();
      test::MemoryStorage storage;
      Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
      Client client = pilots_client();
      ASSERT_TRUE(client.set_model(model.text(), bytes).ok());
      for (unsigned set = 0; set < 8; ++set) {
        const std::vector<float> row{static_cast<float>(set & 1), static_cast<float>(set >> 1 & 1),
                                     static_cast<float>(set >> 2), 50 + static_cast<float>(set)};
        std::vector<std::uint32_t> wanted(3);
        std::vector<std::int32_t> why(2);
        const ldp::Decision whole = ldp::decide(model, hint, Row::dense(row), wanted, why);
        const Found found = decide(client, ledger, Row::dense(row));
        EXPECT_EQ(found.probabilities, wanted);
        EXPECT_EQ(found.groups, why);
        EXPECT_EQ(found.decision->features, whole.features);
        EXPECT_EQ(found.decision->second, whole.second);
      }
    }
  }
}

// What the plan does not ask about: another campaign, another weight, bias, class, column or length, by whatever hash.
TEST(DecideAtHome, TakesOnlyTheModelThatThePlanAsksAbout) {
  Client client = pilots_client();
  ASSERT_TRUE(client.set_model(published().text(), kHint).ok());
  const auto refusal = [&](const std::function<void(ldp::DecisionTables&)>& change) {
    ldp::DecisionTables tables = test::small_decisions();
    change(tables);
    const Result<void> set = client.set_model(ldp::PublishedModel::make(tables)->text(), kHint);
    return set ? ErrorCode::diverged : set.error().code;
  };
  EXPECT_EQ(refusal([](ldp::DecisionTables& t) { t.campaign = "summer"; }), ErrorCode::mismatch);
  EXPECT_EQ(refusal([](ldp::DecisionTables& t) { t.model.weights[5] += 1; }), ErrorCode::mismatch);
  EXPECT_EQ(refusal([](ldp::DecisionTables& t) { t.model.biases[2] -= 1; }), ErrorCode::mismatch);
  EXPECT_EQ(refusal([](ldp::DecisionTables& t) { t.model.classes[0] = "cow"; }), ErrorCode::mismatch);
  EXPECT_EQ(refusal([](ldp::DecisionTables& t) { t.model.length += 1; }), ErrorCode::mismatch);
  EXPECT_EQ(refusal([](ldp::DecisionTables& t) { t.model.width = 16; }), ErrorCode::mismatch);
  EXPECT_EQ(refusal([](ldp::DecisionTables& t) {
              t.schema = *ldp::Schema::make(
                  {{"word", 3, ldp::ColumnKind::binary, 0, 1, 0}, {"age", 1, ldp::ColumnKind::number, 0, 99, 50}});
            }),
            ErrorCode::mismatch);
  // What the pilots said may differ: the plan does not fix it, the ledger does.
  EXPECT_EQ(refusal([](ldp::DecisionTables& t) { t.evidence += 1; }), ErrorCode::diverged);

  // Neither a plan that asks nothing, nor one that asks with odds of the graph's.
  Client teacher = Client::make(test::plan_of(test::bucket_request({1, 2}, 4, 6, 2)).text()).value();
  EXPECT_EQ(teacher.set_model(published().text(), kHint).error().code, ErrorCode::mismatch);
}

TEST(DecideAtHome, ReadsAModelToTheByte) {
  Client client = pilots_client();
  const std::string text = published().text();
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = static_cast<char>(other[i] ^ 1);
    EXPECT_FALSE(client.set_model(other, kHint)) << i;
    EXPECT_FALSE(client.set_model(std::string_view(text).substr(0, i), kHint)) << i;
  }
  // A number too many or too few, a line too many, under a hash that fits.
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"usual -100 0 -300", "usual -100 0"},
           {"usual -100 0 -300", "usual -100 0 -32768"},
           {"second -80", "second x"},
           {"hint coarse", "hint rough"},
           {"evidence 67108864", "evidence 4294967296"},
           {"others -400", "other -400"},
       }) {
    std::string body = text.substr(0, text.rfind("sha256 "));
    body.replace(body.find(from), from.size(), to);
    EXPECT_FALSE(client.set_model(body + "sha256 " + to_hex(sha256(body)) + "\n", kHint)) << to;
  }
  std::string longer = text.substr(0, text.rfind("sha256 ")) + "more\n";
  EXPECT_FALSE(client.set_model(longer + "sha256 " + to_hex(sha256(longer)) + "\n", kHint));
  for (const Bytes& hint : {Bytes{}, Bytes{1}, Bytes{2, 0}, Bytes{1, 1, 1, 1, 0}, Bytes{1, 1, 3, 0, 0},
                            Bytes{1, 1, 0, 3, 0}, Bytes{1, 1, 1, 0, 8}, Bytes{1, 2, 0, 0, 0, 0, 0, 0}}) {
    EXPECT_EQ(client.set_model(text, hint).error().code, ErrorCode::malformed);
  }
}

// One model and one hint a campaign, after restarts too: whoever could hand in others would ask question after question.
TEST(DecideAtHome, ASecondModelOrHintOfTheCampaignIsRefused) {
  test::MemoryStorage storage;
  const std::vector<std::uint32_t> words{1};
  for (int restart = 0; restart < 3; ++restart) {
    Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
    Client client = pilots_client();
    EXPECT_EQ(decide(client, ledger, Row::ones(words)).refused, ErrorCode::invalid_argument) << "without a model";
    ASSERT_TRUE(client.set_model(published().text(), kHint).ok());
    EXPECT_TRUE(decide(client, ledger, Row::ones(words)).decision);
    ASSERT_TRUE(client.set_model(published((1u << 26) + 1).text(), kHint).ok());
    EXPECT_EQ(decide(client, ledger, Row::ones(words)).refused, ErrorCode::reported);
    for (const Bytes& other : {Bytes{1, 0}, Bytes{1, 1, 1, 0, 3}, Bytes{1, 1, 0, 1, 2}}) {
      ASSERT_TRUE(client.set_model(published().text(), other).ok());
      EXPECT_EQ(decide(client, ledger, Row::ones(words)).refused, ErrorCode::reported);
    }
    ASSERT_TRUE(client.set_model(published().text(), kHint).ok());
    EXPECT_TRUE(decide(client, ledger, Row::ones(words)).decision) << "the first goes on";
  }
  EXPECT_EQ(storage.stores, 1) << "noted once";
  EXPECT_EQ(storage.locked, 0);

  // Another campaign has its own.
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  Client other = pilots_client("summer");
  ldp::DecisionTables tables = test::small_decisions();
  tables.campaign = "summer";
  ASSERT_TRUE(other.set_model(ldp::PublishedModel::make(tables)->text(), Bytes{1, 0}).ok());
  EXPECT_TRUE(decide(other, ledger, Row::ones(words)).decision);
}

// A ledger that cannot be written, or that is damaged, decides nothing: nobody would know by what was decided.
TEST(DecideAtHome, NothingIsDecidedThatTheLedgerDoesNotHold) {
  test::MemoryStorage storage;
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  Client client = pilots_client();
  ASSERT_TRUE(client.set_model(published().text(), kHint).ok());
  storage.fail_stores = true;
  EXPECT_EQ(decide(client, ledger, Row::ones({})).refused, ErrorCode::io);
  storage.fail_stores = false;
  EXPECT_TRUE(decide(client, ledger, Row::ones({})).decision);
  storage.bytes[40] ^= 1;
  EXPECT_EQ(decide(client, ledger, Row::ones({})).refused, ErrorCode::malformed);
}

// A row that does not fit is refused before anything is noted.
TEST(DecideAtHome, RefusesARowThatDoesNotFit) {
  test::MemoryStorage storage;
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  Client client = pilots_client();
  ASSERT_TRUE(client.set_model(published().text(), kHint).ok());
  const std::vector<std::uint32_t> too_large{4};
  const std::vector<std::uint32_t> falling{2, 1};
  const std::vector<float> longer(5, 1);
  for (const Row& row : {Row::ones(too_large), Row::ones(falling), Row::dense(longer)}) {
    EXPECT_EQ(decide(client, ledger, row).refused, ErrorCode::invalid_argument);
  }
  EXPECT_FALSE(client.set_model(published().text() + "x", kHint));
  EXPECT_EQ(decide(client, ledger, Row::ones({})).refused, ErrorCode::invalid_argument)
      << "a refused model leaves none";
  EXPECT_EQ(storage.stores, 0);
}

// A decision leaves nothing that depends on it: the ledger, which is all that it writes, is the same whatever the
// features are, and so is the report that leaves afterwards.
TEST(DecideAtHome, WritesNothingThatDependsOnTheFeatures) {
  std::vector<Bytes> ledgers;
  for (unsigned set = 0; set < 8; ++set) {
    test::MemoryStorage storage;
    Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
    Client client = pilots_client();
    ASSERT_TRUE(client.set_model(published().text(), kHint).ok());
    const std::vector<float> row{static_cast<float>(set & 1), static_cast<float>(set >> 1 & 1),
                                 static_cast<float>(set >> 2), 13};
    EXPECT_TRUE(decide(client, ledger, Row::dense(row)).decision);
    ledgers.push_back(storage.bytes);
  }
  for (const Bytes& one : ledgers) EXPECT_EQ(one, ledgers.front());
}

// Beside the campaign's report: deciding before or after it changes neither the report nor what may be reported.
TEST(DecideAtHome, StandsBesideTheReportAndCostsNothing) {
  const ldp::DecisionTables tables = test::small_decisions();
  const ldp::Plan plan = test::pilots_plan(tables);
  const Bytes question = ldp::Question::make(*plan.tables().model, {1, 0}).value().bytes();
  for (const bool decides_first : {true, false}) {
    test::MemoryStorage storage;
    Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
    Client client = pilots_client();
    ASSERT_TRUE(client.set_question(question).ok());
    ASSERT_TRUE(client.agree({}).ok());
    ASSERT_TRUE(client.set_model(published().text(), kHint).ok());
    ASSERT_TRUE(client.note_not_asked(ledger).ok());
    Bytes out(client.largest_report());
    if (decides_first) {
      EXPECT_TRUE(decide(client, ledger, Row::ones({})).decision);
      EXPECT_EQ(ledger.spending()->entries, 2u) << "not asked, and decides";
      EXPECT_EQ((*client.standing(ledger))->state, EntryState::not_asked);
    }
    EXPECT_TRUE(client.report(ldp::Level{1}, Row::ones({}), 0, ledger, out)->fresh);
    const Bytes sent = out;
    EXPECT_TRUE(decide(client, ledger, Row::ones({})).decision);
    EXPECT_FALSE(client.report(ldp::Level{1}, Row::ones({}), 0, ledger, out)->fresh);
    EXPECT_EQ(out, sent);
    const Spending spending = ledger.spending().value();
    EXPECT_EQ(spending.reports, 1u);
    EXPECT_EQ(spending.entries, 2u);
    EXPECT_EQ(spending.counted, largest_spend(plan));
    ASSERT_TRUE(client.standing(ledger).value());
    EXPECT_EQ((*client.standing(ledger))->state, EntryState::reported);
  }
  // Who decides only was neither asked nor has reported.
  test::MemoryStorage storage;
  Ledger ledger = Ledger::open(storage.callbacks(), 100).value();
  Client client = pilots_client();
  ASSERT_TRUE(client.set_model(published().text(), kHint).ok());
  EXPECT_TRUE(decide(client, ledger, Row::ones({})).decision);
  EXPECT_FALSE(client.standing(ledger).value());
  ASSERT_TRUE(client.note_not_asked(ledger).ok());
  EXPECT_EQ((*client.standing(ledger))->state, EntryState::not_asked);
  const LedgerEntry entry = ledger.entry(0).value().value();
  EXPECT_EQ(entry.state, EntryState::decides);
  EXPECT_EQ(entry.campaign, "spring");
  EXPECT_EQ(entry.plan, published().hash());
  EXPECT_EQ(entry.question, sha256(std::string_view("\x01\x01\x01\x00\x02", 5)));
}

TEST(DecideInC, IsTheSameAndHeldToTheSame) {
  test::MemoryStorage storage;
  const std::string plan = test::pilots_plan(test::small_decisions()).text();
  const std::string model = published().text();
  ppgnn_client* client = nullptr;
  ASSERT_EQ(ppgnn_open(plan.data(), plan.size(), &client, nullptr, 0), PPGNN_OK);
  const std::vector<std::uint32_t> words{0, 2};
  const ppgnn_features features{PPGNN_ONES, 0, words.data(), nullptr, words.size()};
  ppgnn_decision decision{};
  std::vector<std::uint32_t> probabilities(3);
  std::vector<std::int32_t> groups(3);
  const auto decide = [&](std::size_t capacity) {
    return ppgnn_decide(client, &features, &decision, probabilities.data(), groups.data(), capacity);
  };
  EXPECT_EQ(decide(3), PPGNN_NO_LEDGER);
  const ppgnn_storage callbacks = storage.callbacks();
  ASSERT_EQ(ppgnn_use_ledger(client, &callbacks), PPGNN_OK);
  EXPECT_EQ(decide(3), PPGNN_INVALID_ARGUMENT) << "no model";
  EXPECT_EQ(ppgnn_set_model(client, model.data(), model.size(), nullptr, 0), PPGNN_MALFORMED);
  EXPECT_EQ(ppgnn_set_model(client, model.data(), model.size(), kHint.data(), 4), PPGNN_MALFORMED);
  ASSERT_EQ(ppgnn_set_model(client, model.data(), model.size(), kHint.data(), kHint.size()), PPGNN_OK);
  EXPECT_EQ(decide(2), PPGNN_TOO_SMALL);
  EXPECT_EQ(decision.classes, 3u);
  EXPECT_EQ(decision.groups, 2u);
  EXPECT_EQ(storage.stores, 0);
  ASSERT_EQ(ppgnn_not_asked(client), PPGNN_OK);
  ASSERT_EQ(decide(3), PPGNN_OK) << ppgnn_error(client);
  EXPECT_EQ(probabilities, (std::vector<std::uint32_t>{27679, 29010, 8847}));
  EXPECT_EQ(groups[0], -388);
  EXPECT_EQ(decision.first, 1u);
  EXPECT_EQ(decision.second, 0u);
  EXPECT_EQ(decision.graph, 400);
  EXPECT_EQ(decision.features, -388);
  const auto text = [&](int kind, std::uint32_t index) {
    std::string found(100, '\0');
    std::size_t size = 0;
    if (ppgnn_text(client, kind, index, found.data(), found.size(), &size) != PPGNN_OK) return std::string("none");
    return found.substr(0, size);
  };
  EXPECT_EQ(text(PPGNN_TEXT_CLASS, 1), "dog");
  EXPECT_EQ(text(PPGNN_TEXT_CLASS, 3), "none");
  EXPECT_EQ(text(PPGNN_TEXT_GROUP, 1), "age");
  EXPECT_EQ(text(PPGNN_TEXT_GROUP, 2), "none");
  ppgnn_sums sums{};
  ASSERT_EQ(ppgnn_ledger_sums(client, &sums), PPGNN_OK);
  EXPECT_EQ(sums.state, static_cast<std::uint32_t>(PPGNN_STATE_NOT_ASKED));
  EXPECT_EQ(sums.entries, 2u);
  ppgnn_entry entry{};
  ASSERT_EQ(ppgnn_ledger_entry(client, 1, &entry), PPGNN_OK);
  EXPECT_EQ(entry.state, static_cast<std::uint32_t>(PPGNN_STATE_DECIDES));
  const std::string other = published(1).text();
  ASSERT_EQ(ppgnn_set_model(client, other.data(), other.size(), kHint.data(), kHint.size()), PPGNN_OK);
  EXPECT_EQ(decide(3), PPGNN_REPORTED);
  const Bytes other_hint{1, 1, 1, 0, 3};
  ASSERT_EQ(ppgnn_set_model(client, model.data(), model.size(), other_hint.data(), other_hint.size()), PPGNN_OK);
  EXPECT_EQ(decide(3), PPGNN_REPORTED);
  ASSERT_EQ(ppgnn_set_model(client, model.data(), model.size(), kHint.data(), kHint.size()), PPGNN_OK);
  const std::vector<std::uint32_t> too_large{4};
  const ppgnn_features misfit{PPGNN_ONES, 0, too_large.data(), nullptr, 1};
  EXPECT_EQ(ppgnn_decide(client, &misfit, &decision, probabilities.data(), nullptr, 3), PPGNN_INVALID_ARGUMENT);
  std::string longer = model.substr(0, model.rfind("sha256 ")) + "more\n";
  longer += "sha256 " + to_hex(sha256(longer)) + "\n";
  EXPECT_EQ(ppgnn_set_model(client, longer.data(), longer.size(), kHint.data(), kHint.size()), PPGNN_MISMATCH);
  EXPECT_EQ(decide(3), PPGNN_INVALID_ARGUMENT) << "a model that was refused is none";

  // Who decides and nothing else was neither asked nor has reported.
  test::MemoryStorage fresh;
  const ppgnn_storage empty = fresh.callbacks();
  ASSERT_EQ(ppgnn_use_ledger(client, &empty), PPGNN_OK);
  ASSERT_EQ(ppgnn_set_model(client, model.data(), model.size(), kHint.data(), kHint.size()), PPGNN_OK);
  ASSERT_EQ(decide(3), PPGNN_OK);
  ASSERT_EQ(ppgnn_ledger_sums(client, &sums), PPGNN_OK);
  EXPECT_EQ(sums.state, static_cast<std::uint32_t>(PPGNN_STATE_NONE));
  ppgnn_close(client);
}

}  // namespace
}  // namespace ppgnn::client
