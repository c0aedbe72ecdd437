#include "ppgnn/client/client.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/answer_response.hpp"
#include "ppgnn/wire/report_format.hpp"
#include "support/forged.hpp"
#include "support/plans.hpp"

namespace ppgnn::client {
namespace {

using ldp::Level;
using ldp::Row;
using test::plan_of;

// There is one way to make a client, and it takes a plan and nothing else.
static_assert(!std::is_default_constructible_v<Client> && !std::is_copy_constructible_v<Client>);
static_assert(!std::is_constructible_v<Client, ldp::Plan> &&
              !std::is_constructible_v<Client, ldp::Plan, std::uint64_t>);
static_assert(!std::is_invocable_v<decltype(&Client::make), std::string_view, std::uint64_t>);
template <class Bits>
concept TakesBits = requires(Client& client, Bits& bits, std::span<std::uint8_t> out) {
  client.report(Level{1}, Row::ones({}), 0, bits);
}
|| requires(Client& client, Bits& bits, std::span<std::uint8_t> out) {
  client.report(Level{1}, Row::ones({}), 0, bits, out);
};
static_assert(!TakesBits<random::SecureSource> && TakesBits<Ledger>);

TEST(Client, MakesReportsThatTheServerReads) {
  const ldp::Plan plan = plan_of(test::signs_request({1, 2, 4}, 200));
  auto client = Client::make(plan.text());
  ASSERT_TRUE(client) << client.error().message;
  const std::vector<std::uint32_t> words{3, 77, 150};
  for (const std::uint32_t level : {1u, 2u, 3u}) {
    const auto bytes = client->report(Level{level}, Row::ones(words), 9);
    ASSERT_TRUE(bytes);
    const auto report = wire::decode(plan, *bytes);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->round, 9u);
    EXPECT_EQ(report->columns.size(), plan.levels()[0].sampled);
  }
}

TEST(Client, RefusesAPlanThatDoesNotHold) {
  std::string text = plan_of(test::signs_request({1, 2, 4}, 200)).text();
  EXPECT_FALSE(Client::make(text.substr(0, text.size() - 1)));
  EXPECT_FALSE(Client::make(""));
  // A forger who also fixes the hash: a budget that the entries exceed.
  text.replace(text.find("level budget 1 "), 15, "level budget 0.5 ");
  text.resize(text.rfind("sha256 "));
  text += "sha256 " + to_hex(sha256(text)) + "\n";
  const auto refused = Client::make(text);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::certificate);
}

// The level is private: the message says what is allowed, not what was given.
TEST(Client, RefusesALevelThePlanDoesNotHaveWithoutNamingIt) {
  auto client = Client::make(plan_of(test::signs_request({1, 2, 4}, 200)).text());
  for (const std::uint32_t level : {0u, 4u, 77u}) {
    const auto refused = client->report(Level{level}, Row::ones({}), 0);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "level: must be between 1 and 3");
  }
}

// A mistake of the application, in every build: found whatever the level and however often, in one sentence that holds
// nothing of the person's.
TEST(Client, RefusesARowThatDoesNotFitTheSchema) {
  auto client = Client::make(plan_of(test::signs_request({1, 2, 4}, 200)).text());
  using Columns = std::vector<std::uint32_t>;
  const Columns falling{3, 77, 76};
  const Columns falling_at_once{150, 3, 77};
  const Columns repeated{3, 77, 77};
  const Columns too_large{3, 77, 200};
  const Columns far_too_large{3, 77, ~std::uint32_t{0}};
  const Columns good{3, 77, 150};
  const std::vector<float> three(3, 1.0F);
  const std::vector<float> two(2, 1.0F);
  const std::vector<float> four(4, 1.0F);
  const std::vector<float> longer(201, 1.0F);
  std::vector<Row> rows{Row::sparse(good, two), Row::sparse(good, four), Row::sparse(good, {}), Row::sparse({}, three),
                        Row::dense(longer)};
  for (const Columns* columns : {&falling, &falling_at_once, &repeated, &too_large, &far_too_large}) {
    rows.push_back(Row::ones(*columns));
    rows.push_back(Row::sparse(*columns, three));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::uint32_t trial = 0; trial < 60; ++trial) {
      const auto refused = client->report(Level{trial % 3 + 1}, rows[i], 0);
      ASSERT_FALSE(refused) << "row " << i;
      EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
      EXPECT_EQ(
          refused.error().message,
          "features: listed columns must ascend without repeats and be below 200, with one value each; a dense row "
          "must have at most 200 values");
    }
  }
}

TEST(Client, TakesEveryRowThatFitsTheSchema) {
  auto client = Client::make(plan_of(test::signs_request({1, 2, 4}, 200)).text());
  std::vector<std::uint32_t> all(200);
  for (std::uint32_t column = 0; column < 200; ++column) all[column] = column;
  const std::vector<std::uint32_t> last{199};
  const std::vector<float> full(200, 1.0F);
  const std::vector<float> odd{std::numeric_limits<float>::quiet_NaN()};
  for (const Row& row : {Row::ones({}), Row::sparse({}, {}), Row::dense({}), Row::dense(odd), Row::dense(full),
                         Row::ones(all), Row::sparse(all, full), Row::ones(last), Row::sparse(last, odd)}) {
    for (const std::uint32_t level : {1u, 2u, 3u}) EXPECT_TRUE(client->report(Level{level}, row, 0));
  }
  auto category = Client::make(plan_of(test::category_request({1, 2}, 5)).text());
  const std::vector<float> one{3};
  const std::vector<float> two{3, 4};
  EXPECT_TRUE(category->report(Level{1}, Row::dense(one), 0));
  EXPECT_FALSE(category->report(Level{1}, Row::dense(two), 0));
  EXPECT_FALSE(category->report(Level{1}, Row::ones(last), 0));
}

// False alarm: 16 (15/16)^10240, none in practice.
TEST(Client, ReportsFromEverywhereInTheWidestSchema) {
  ldp::PlanRequest request = test::signs_request({16, 32}, ldp::kMaxColumns);
  request.shape.sampled = 512;
  const ldp::Plan plan = plan_of(request);
  auto client = Client::make(plan.text());
  const std::vector<std::uint32_t> last{0, 65535, 65536, ldp::kMaxColumns - 1};
  std::set<std::uint32_t> sixteenths;
  for (std::uint32_t i = 0; i < 20; ++i) {
    const auto report = wire::decode(plan, client->report(Level{i % 2 + 1}, Row::ones(last), i).value());
    ASSERT_TRUE(report) << report.error().message;
    for (const std::uint32_t column : report->columns) sixteenths.insert(column >> 26);
  }
  EXPECT_EQ(sixteenths.size(), 16u);
  EXPECT_EQ(*sixteenths.rbegin(), 15u);
  const std::vector<std::uint32_t> beyond{ldp::kMaxColumns};
  EXPECT_FALSE(client->report(Level{1}, Row::ones(beyond), 0));
}

TEST(Client, TwoClientsAndTwoProcessesSendDifferentReports) {
  const std::string text = plan_of(test::signs_request({16, 32}, 100000)).text();
  auto first = Client::make(text);
  auto second = Client::make(text);
  const auto bytes = [](Client& client) { return client.report(Level{1}, Row::ones({}), 0).value(); };
  std::set<std::vector<std::uint8_t>> seen{bytes(*first), bytes(*second)};
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    const auto child = bytes(*first);
    _exit(write(ends[1], child.data(), child.size()) == static_cast<ssize_t>(child.size()) ? 0 : 1);
  }
  std::vector<std::uint8_t> child(bytes(*first).size());
  ASSERT_EQ(read(ends[0], child.data(), child.size()), static_cast<ssize_t>(child.size()));
  int status = 0;
  waitpid(pid, &status, 0);
  ASSERT_EQ(status, 0);
  close(ends[0]);
  close(ends[1]);
  seen.insert(child);
  seen.insert(bytes(*first));
  EXPECT_EQ(seen.size(), 4u);
}

TEST(Client, ACampaignNeedsAPersonAndAnAnswerAQuestion) {
  ldp::PlanRequest request = test::answer_request({1, 2}, 6, 3);
  request.columns[0].name = "hobby";
  request.model->classes = {"chess", "rowing", "dance"};
  const ldp::Plan plan = test::plan_of(request);
  Client client = Client::make(plan.text()).value();
  const auto message = [&] {
    const auto bytes = client.report(ldp::Level{1}, ldp::Row::ones({}), 0);
    return bytes ? std::string("sent") : bytes.error().message;
  };
  EXPECT_EQ(message(), "person: a campaign's plan needs the name the server knows");
  client.set_person("ana");
  EXPECT_EQ(message(), "question: the plan asks one, and there is none");
  EXPECT_FALSE(client.preview(ldp::Level{1}));
  const auto short_question = ldp::Question::make(*plan.tables().model, {2, 0}).value();
  EXPECT_EQ(client.set_question(short_question.bytes()).error().message,
            "question: has fewer classes than the plan chooses from");
  const auto question = ldp::Question::make(*plan.tables().model, {2, 0, 1}).value();
  EXPECT_FALSE(client.set_question({question.bytes().data(), 3}).ok());
  ASSERT_TRUE(client.set_question(question.bytes()).ok());
  EXPECT_EQ(message(), "sent");
  const auto bytes = client.report(ldp::Level{2}, ldp::Row::ones({}), 0).value();
  EXPECT_TRUE(ldp::AnswerResponse::answers(wire::decode(plan, bytes).value(), question));
  const std::string words = client.preview(ldp::Level{1}).value();
  EXPECT_NE(words.find("do your features speak more for dance, chess or for rowing?"), std::string::npos) << words;
  EXPECT_NE(words.find("hobby.2"), std::string::npos) << words;
  EXPECT_NE(words.find("It may be any question about your features"), std::string::npos) << words;
  EXPECT_NE(words.find("by a factor of 2.72 on the odds at most"), std::string::npos) << words;
  EXPECT_EQ(Client::make(test::plan_of(test::signs_request({1, 2}, 6)).text())
                ->set_question(question.bytes())
                .error()
                .message,
            "question: the plan asks none");
}

// The level that chooses from most decides which questions are taken, whatever the person's is.
TEST(Client, AQuestionHasClassesForEveryLevel) {
  ldp::PlanRequest request = test::answer_request({1, 2}, 6, 3);
  request.secrecy = ldp::LevelSecrecy::public_level;
  ldp::PlanTables tables = test::plan_of(request).tables();
  tables.levels[0].outcomes = 2;
  tables.levels[0].entry = ldp::AnswerResponse::quantise(1, tables.shape(tables.levels[0]));
  const ldp::Plan plan = ldp::Plan::make(tables).value();
  Client client = Client::make(plan.text()).value();
  EXPECT_FALSE(client.set_question(ldp::Question::make(*tables.model, {2, 0}).value().bytes()).ok());
  EXPECT_TRUE(client.set_question(ldp::Question::make(*tables.model, {2, 0, 1}).value().bytes()).ok());
}

std::string code_of(const std::string& text) {
  const auto client = Client::make(text);
  if (client) return "taken";
  return client.error().code == ErrorCode::certificate ? "certificate" : client.error().message;
}

// A plan of signs with `sampled` of 200 columns, twenty levels or two.
ldp::PlanTables signs_tables(std::vector<double> budgets, std::uint32_t sampled, ldp::LevelSecrecy secrecy) {
  ldp::PlanRequest request = test::signs_request(std::move(budgets), 200);
  request.secrecy = secrecy;
  if (secrecy == ldp::LevelSecrecy::protected_level) request.level_budget = 400;
  request.shape.sampled = sampled;
  return plan_of(request).tables();
}
std::vector<double> twenty_budgets() {
  std::vector<double> budgets;
  for (int level = 0; level < 20; ++level) budgets.push_back(1 + .1 * level);
  return budgets;
}

// The text of a plan with another entry at one level, counted from 0.
std::string with_entry(const ldp::Plan& plan, std::size_t level, std::uint64_t entry) {
  return test::forged(plan.text(), filled(" entry {}\n", {plan.levels()[level].entry}), filled(" entry {}\n", {entry}));
}

// A forger who fixes the hash, at each level in turn, where only that level's bound is broken.
TEST(Client, RefusesAPlanThatBreaksABoundAnywhere) {
  using ldp::SignBits;
  for (const std::uint32_t sampled : {1u, 100u}) {
    const ldp::Plan open =
        ldp::Plan::make(signs_tables(twenty_budgets(), sampled, ldp::LevelSecrecy::public_level)).value();
    for (std::size_t level = 0; level < 20; ++level) {
      const ldp::PlanLevel& one = open.levels()[level];
      const std::uint64_t more = SignBits::quantise(1.02 * one.budget, open.shape(level));
      EXPECT_EQ(code_of(with_entry(open, level, more)), "certificate") << sampled << " signs, level " << level + 1;
      EXPECT_EQ(code_of(with_entry(open, level, one.entry - 1)), "taken");
    }
  }
  // Strict people spend less than they may, so that relaxed ones stand out from them and pairs stay within their bounds.
  ldp::PlanTables apart = signs_tables({25, 50}, 100, ldp::LevelSecrecy::protected_level);
  apart.levels[0].entry = SignBits::quantise(10, apart.shape(apart.levels[0]));
  const ldp::Plan lonely = ldp::Plan::make(apart).value();
  const double loss = lonely.certificate().level_given_features;
  ASSERT_GT(loss, 20);
  EXPECT_EQ(code_of(test::forged(lonely.text(), "levels protected 400", filled("levels protected {}", {loss}))),
            "taken");
  EXPECT_EQ(code_of(test::forged(lonely.text(), "levels protected 400", filled("levels protected {}", {loss - 1}))),
            "certificate");
  // Of twenty levels, those beyond the sixteenth stand out furthest.
  const ldp::Plan many = ldp::Plan::make(signs_tables(twenty_budgets(), 1, ldp::LevelSecrecy::protected_level)).value();
  const double furthest = SignBits::level_loss(many.levels()[0].entry, many.levels()[19].entry, many.shape(0));
  for (const auto& [share, expected] : {std::pair(1.01, "taken"), std::pair(.99, "certificate")}) {
    const std::string claim = filled("levels protected {}", {share * furthest});
    EXPECT_EQ(code_of(test::forged(many.text(), "levels protected 400", claim)), expected) << claim;
  }
  // A level report that nobody subtracted.
  ldp::PlanRequest reporting = test::signs_request(twenty_budgets(), 200);
  reporting.gamma = .5;
  reporting.level_budget = 100;
  reporting.shape.sampled = 1;
  const ldp::Plan plan = plan_of(reporting);
  for (std::size_t level = 0; level < 20; ++level) {
    const std::uint64_t whole = SignBits::quantise(plan.levels()[level].budget, plan.shape(level));
    EXPECT_EQ(code_of(with_entry(plan, level, whole)), "certificate") << level;
  }
}

// By one in the last place of a number, in a budget, in the level's budget, in the weight of a level report.
TEST(Client, RefusesAPlanThatIsOverByTheLastDigit) {
  ldp::PlanTables tables = signs_tables({1, 2}, 1, ldp::LevelSecrecy::public_level);
  for (std::size_t level = 0; level < 2; ++level) {
    tables.levels[level].budget = certify(tables).features[level];
  }
  const ldp::Plan plan = ldp::Plan::make(tables).value();
  for (const ldp::PlanLevel& level : plan.levels()) {
    const std::string written = filled("level budget {} ", {level.budget});
    ASSERT_NE(plan.text().find(written), std::string::npos);
    EXPECT_EQ(
        code_of(test::forged(plan.text(), written, filled("level budget {} ", {std::nextafter(level.budget, 9)}))),
        "taken");
    EXPECT_EQ(
        code_of(test::forged(plan.text(), written, filled("level budget {} ", {std::nextafter(level.budget, 0)}))),
        "certificate");
  }
  ldp::PlanRequest request = test::signs_request({1, 2}, 200);
  request.gamma = .5;
  request.level_budget = 10;
  request.shape.sampled = 1;
  tables = plan_of(request).tables();
  for (ldp::PlanLevel& level : tables.levels) level.entry /= 2;  // so that no other bound is broken
  const ldp::Plan reporting = ldp::Plan::make(tables).value();
  const std::uint64_t weight = tables.level_response->weight;
  const auto with_weight = [&](std::uint64_t other) {
    return code_of(test::forged(reporting.text(), filled("weight {}\n", {weight}), filled("weight {}\n", {other})));
  };
  EXPECT_EQ(with_weight(weight - 1), "taken");
  EXPECT_EQ(with_weight(weight + (weight >> 32)).substr(0, 6), "gamma:");
}

// A level that samples most is the first, one in the middle, or the last: there is room for its report.
TEST(Client, EachOfManyLevelsHasRoomForItsReport) {
  for (const std::size_t most : {0u, 8u, 16u, 19u}) {
    ldp::PlanTables tables = signs_tables(twenty_budgets(), 1, ldp::LevelSecrecy::public_level);
    tables.levels[most].sampled = 50;
    tables.levels[most].entry = ldp::SignBits::quantise(1, tables.shape(tables.levels[most]));
    Client client = Client::make(ldp::Plan::make(tables).value().text()).value();
    std::size_t largest = 0;
    for (std::uint32_t level = 1; level <= 20; ++level) {
      largest = std::max(largest, client.size_of(Level{level}, ~std::uint64_t{0}));
    }
    EXPECT_GT(largest, 100u);
    EXPECT_EQ(client.largest_report(), largest) << most;
  }
}

// Of twenty levels, one chooses from three classes and the others from two.
std::vector<ldp::Plan> plans_with_one_wide_question() {
  std::vector<ldp::Plan> plans;
  for (const std::size_t most : {0u, 8u, 16u, 19u}) {
    ldp::PlanRequest request = test::answer_request(twenty_budgets(), 6, 3);
    request.secrecy = ldp::LevelSecrecy::public_level;
    ldp::PlanTables tables = plan_of(request).tables();
    for (std::size_t level = 0; level < 20; ++level) {
      tables.levels[level].outcomes = level == most ? 3 : 2;
      tables.levels[level].entry = ldp::AnswerResponse::quantise(1, tables.shape(tables.levels[level]));
    }
    plans.push_back(ldp::Plan::make(tables).value());
  }
  return plans;
}

TEST(Client, AQuestionHasClassesForEachOfManyLevels) {
  for (const ldp::Plan& plan : plans_with_one_wide_question()) {
    const ldp::QuestionModel& model = *plan.tables().model;
    Client client = Client::make(plan.text()).value();
    EXPECT_FALSE(client.set_question(ldp::Question::make(model, {2, 0}).value().bytes()).ok());
    EXPECT_TRUE(client.set_question(ldp::Question::make(model, {2, 0, 1}).value().bytes()).ok());
  }
}

}  // namespace
}  // namespace ppgnn::client
