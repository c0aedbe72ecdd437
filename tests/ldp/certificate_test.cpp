#include "ppgnn/ldp/certificate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "support/plans.hpp"

namespace ppgnn::ldp {
namespace {

using test::plan_of;

double uniform(seeded::SeededStream& bits, double low, double high) {
  return low + (high - low) * static_cast<double>(bits.next() >> 11) * 0x1p-53;
}

// 2,000 plans, budgets spread over 1e-6 .. 512 on a log scale, all kinds and options: each can be built, and its claims
// hold.
TEST(Certificate, HoldsForEveryPlanThePlannerMakes) {
  for (std::uint64_t i = 0; i < 2000; ++i) {
    seeded::SeededStream bits(1, seeded::Purpose::test, i);
    const auto levels = 1 + random::below(8, bits);
    PlanRequest request;
    for (std::uint64_t level = 0; level < levels; ++level) {
      request.budgets.push_back(std::exp(uniform(bits, std::log(1e-6), std::log(512))));
    }
    std::sort(request.budgets.begin(), request.budgets.end());
    if (i < 20) request.budgets = {1e-6, 1e-6 * (1 + 1e-15), 512 * (1 - 1e-15), 512};  // neighbours and both ends
    const auto dim = static_cast<std::uint32_t>(std::exp(uniform(bits, 0, std::log(20000))));
    request = random::below(3, bits) == 0 ? test::category_request(request.budgets, 2 + dim)
                                          : test::signs_request(request.budgets, dim);
    if (random::below(4, bits) == 0) {
      request.secrecy = LevelSecrecy::public_level;
    } else {
      if (random::below(2, bits) == 0) request.gamma = uniform(bits, 0, .999);
      const double lambda = request.gamma * request.budgets[0];
      if (random::below(2, bits) == 0)
        request.level_budget = std::exp(uniform(bits, std::log(std::max(1e-6, lambda * 1.0001)), std::log(512)));
      if (request.level_budget.value_or(std::max(1.0, request.budgets[0])) <= lambda) continue;
    }
    const auto plan = make_plan(request);
    ASSERT_TRUE(plan) << "plan " << i << ": " << plan.error().message;
    const Certificate& certificate = plan->certificate();
    EXPECT_TRUE(certificate.holds());
    for (std::size_t level = 0; level < levels && level < plan->levels().size(); ++level) {
      EXPECT_LE(certificate.features[level] + certificate.level_report, plan->levels()[level].budget);
    }
    if (request.secrecy == LevelSecrecy::public_level) {
      EXPECT_EQ(certificate.level_given_features, std::numeric_limits<double>::infinity());
      continue;
    }
    EXPECT_LE(certificate.level_given_features, plan->tables().level_budget);
    EXPECT_LE(certificate.pair_max, plan->levels().back().budget);
    EXPECT_LE(certificate.pair_strictest, plan->tables().level_budget + plan->levels().front().budget);
    EXPECT_LE(certificate.pair_strictest, certificate.pair_max);
    EXPECT_GE(certificate.pair_max, certificate.features.back() * (1 - 1e-14));
  }
}

// Every claim is checked: raising one integer beyond what its budget allows must be noticed, whichever it is.
TEST(Certificate, NoticesAnyEntryThatSpendsTooMuch) {
  for (const bool category : {false, true}) {
    PlanRequest request = category ? test::category_request({1, 2, 4}, 4) : test::signs_request({1, 2, 4}, 20);
    request.gamma = .25;
    request.level_budget = 1.5;
    const Plan plan = plan_of(request);
    for (std::size_t level = 0; level < 3; ++level) {
      PlanTables tables = plan.tables();
      tables.levels[level].entry += tables.levels[level].entry / 1000000;
      EXPECT_FALSE(certify(tables).holds()) << level;
      const auto refused = Plan::make(tables);
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, ErrorCode::certificate);
    }
    PlanTables tables = plan.tables();
    tables.level_response->weight += tables.level_response->weight / 1000000;
    EXPECT_FALSE(certify(tables).holds());
    tables = plan.tables();
    tables.level_budget = 1.4;
    EXPECT_FALSE(certify(tables).holds());
    // A strictest level that spends nothing would set the relaxed ones apart from it.
    tables = plan.tables();
    tables.levels[0].entry = category ? (std::uint64_t{1} << 60) + 1 : 1;  // one of four, or 0
    EXPECT_FALSE(certify(tables).holds());
  }
}

TEST(Certificate, WithoutTheCapAStrictPersonStandsOutByTheRelaxedBudget) {
  PlanRequest request = test::signs_request(test::six_levels(1), 1433);
  request.level_budget = 512;
  const Certificate uncapped = plan_of(request).certificate();
  EXPECT_NEAR(uncapped.pair_strictest, 27.70215809733442, 1e-9);
  EXPECT_NEAR(uncapped.level_given_features, 26.70215809733442, 1e-9);
  request.level_budget = 1;
  const Certificate capped = plan_of(request).certificate();
  EXPECT_NEAR(capped.pair_strictest, 2, 1e-9);
  EXPECT_NEAR(capped.level_given_features, 1, 1e-9);
}

// 20 levels, of which a loop that stops at 8 or 16 would leave some out.
std::vector<double> twenty_levels() {
  std::vector<double> budgets;
  for (int level = 0; level < 20; ++level) budgets.push_back(1 + .1 * level);
  return budgets;
}

// A small plan of every kind, each level of it with the most that it may spend.
PlanTables tables_of(ReportKind kind, std::vector<double> budgets, LevelSecrecy secrecy) {
  PlanRequest request = test::request_of(kind, std::move(budgets));
  request.secrecy = secrecy;
  if (secrecy == LevelSecrecy::protected_level) request.level_budget = 30;
  return plan_of(request).tables();
}

// Which levels a certificate says spend too much, in the order it names them.
std::vector<std::string> violations_of(const PlanTables& tables) {
  std::vector<std::string> named;
  for (const std::string& violation : certify(tables).violations)
    named.push_back(violation.substr(0, violation.find(':')));
  return named;
}

// Where levels are sent, each is held to its own budget and to nothing else; the last one as the first.
TEST(Certificate, EveryPublicLevelIsHeldToItsBudget) {
  for (const ReportKind kind : kReportKinds) {
    const PlanTables tables = tables_of(kind, twenty_levels(), LevelSecrecy::public_level);
    EXPECT_TRUE(certify(tables).holds());
    for (std::size_t level = 0; level < tables.levels.size(); ++level) {
      PlanTables forged = tables;
      forged.levels[level].entry += (forged.levels[level].entry >> 20) + 1024;
      EXPECT_EQ(violations_of(forged), std::vector{"features at level " + std::to_string(level + 1)}) << to_text(kind);
      const auto refused = Plan::make(forged);
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, ErrorCode::certificate);
    }
  }
}

// Protected levels: every one to its budget, and every two of them, in both orders, to what the plan says of pairs.
TEST(Certificate, EachOfManyLevelsIsHeldToItsBounds) {
  for (const ReportKind kind : kReportKinds) {
    PlanTables tables = tables_of(kind, twenty_levels(), LevelSecrecy::protected_level);
    const auto losses = [&](auto action) {
      return with_mechanism(kind, [&](auto mechanism) { return action(mechanism); });
    };
    const Certificate certificate = certify(tables);
    EXPECT_TRUE(certificate.holds());
    double level_loss = 0;
    double pair_loss = 0;
    double strictest = 0;
    for (std::size_t i = 0; i < 20; ++i) {
      const Shape shape = tables.shape(tables.levels[i]);
      PlanTables forged = tables;
      forged.levels[i].budget = certificate.features[i] / 2;
      const std::vector<std::string> named = violations_of(forged);
      ASSERT_FALSE(named.empty()) << i;
      EXPECT_EQ(named.front(), "features at level " + std::to_string(i + 1));
      for (std::size_t j = 0; j < 20; ++j) {
        const std::uint64_t first = tables.levels[i].entry;
        const std::uint64_t second = tables.levels[j].entry;
        const double pair = losses([&](auto m) { return decltype(m)::pair_loss(first, second, shape); });
        pair_loss = std::max(pair_loss, pair);
        if (i == 0 || j == 0) strictest = std::max(strictest, pair);
        if (i == j) continue;
        level_loss =
            std::max(level_loss, losses([&](auto m) { return decltype(m)::level_loss(first, second, shape); }));
      }
    }
    EXPECT_EQ(certificate.level_given_features, level_loss) << to_text(kind);
    EXPECT_EQ(certificate.pair_max, pair_loss) << to_text(kind);
    EXPECT_EQ(certificate.pair_strictest, strictest) << to_text(kind);
    // Too little for those that are furthest apart, in both orders.
    tables.level_budget = .01;
    const std::vector<std::string> named = violations_of(tables);
    for (const char* wanted : {"level 20 against level 1", "level 1 against level 20"}) {
      EXPECT_NE(std::find(named.begin(), named.end(), std::string("level given features, ") + wanted), named.end())
          << wanted;
    }
  }
}

// A claim is met where it equals the loss, and broken where it is the next number below: no tolerance, however small.
TEST(Certificate, ClaimsHoldToTheLastDigit) {
  const auto below = [](double value) { return std::nextafter(value, 0); };
  for (const ReportKind kind : kReportKinds) {
    for (const auto secrecy : {LevelSecrecy::protected_level, LevelSecrecy::public_level}) {
      PlanTables tables = tables_of(kind, {1, 2, 4}, secrecy);
      Certificate certificate = certify(tables);
      // Every budget as small as it may be: a level's own loss, and what pairs with lower levels need.
      for (std::size_t i = 0; i < 3; ++i) tables.levels[i].budget = certificate.features[i];
      EXPECT_TRUE(certify(tables).holds()) << to_text(kind);
      for (std::size_t i = 0; i < 3; ++i) {
        PlanTables tight = tables;
        tight.levels[i].budget = below(tight.levels[i].budget);
        const std::vector<std::string> named = violations_of(tight);
        ASSERT_FALSE(named.empty()) << to_text(kind) << i;
        EXPECT_EQ(named.front(), "features at level " + std::to_string(i + 1)) << to_text(kind);
      }
      if (secrecy == LevelSecrecy::public_level) continue;
      PlanTables tight = tables;
      tight.level_budget = certificate.level_given_features;
      tight.levels[0].budget = 4;  // so that pairs are not what is broken
      EXPECT_TRUE(certify(tight).holds()) << to_text(kind);
      tight.level_budget = below(tight.level_budget);
      EXPECT_FALSE(certify(tight).holds()) << to_text(kind);
      EXPECT_EQ(violations_of(tight).front().substr(0, 20), "level given features") << to_text(kind);
      tight = tables;
      tight.level_budget = certificate.pair_strictest - tight.levels[0].budget;
      while (tight.level_budget + tight.levels[0].budget < certificate.pair_strictest) {
        tight.level_budget = std::nextafter(tight.level_budget, 600);
      }
      const auto broken_pairs = [&] {
        const std::vector<std::string> named = violations_of(tight);
        return std::count_if(named.begin(), named.end(),
                             [](const std::string& one) { return one.starts_with("pair with the strictest"); });
      };
      EXPECT_EQ(broken_pairs(), 0) << to_text(kind);
      while (tight.level_budget + tight.levels[0].budget >= certificate.pair_strictest) {
        tight.level_budget = below(tight.level_budget);
      }
      EXPECT_GE(broken_pairs(), 1) << to_text(kind);
    }
  }
}

}  // namespace
}  // namespace ppgnn::ldp
