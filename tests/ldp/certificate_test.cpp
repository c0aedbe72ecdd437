#include "ppgnn/ldp/certificate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace
}  // namespace ppgnn::ldp
