#include "ppgnn/client/limits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ppgnn/ldp/mechanism.hpp"
#include "support/plans.hpp"

namespace ppgnn::client {
namespace {

// Every limit by name: none is left to what it is by itself.
Limits at_most(double report) {
  return {.report = report,
          .level_disclosed = true,
          .lifetime = std::numeric_limits<double>::infinity(),
          .reports = std::numeric_limits<std::uint64_t>::max()};
}

// The smallest limit that a plan keeps is `spend`, to the last digit.
void expect_limit(const ldp::Plan& plan, double spend, const std::string& what) {
  EXPECT_EQ(largest_spend(plan), spend) << what;
  EXPECT_TRUE(check(at_most(spend), plan).ok()) << what;
  const Result<void> refused = check(at_most(std::nextafter(spend, 0)), plan);
  ASSERT_FALSE(refused.ok()) << what;
  EXPECT_EQ(refused.error().code, ErrorCode::over_limit) << what;
}

TEST(Limits, AreMetExactly) {
  for (const ldp::ReportKind kind : ldp::kReportKinds) {
    const ldp::Plan plan = test::plan_of(test::request_of(kind, {1, 2}));
    expect_limit(plan, plan.certificate().features[1], std::string(to_text(kind)));
  }
  const ldp::Plan plan = test::plan_of(test::signs_request({1, 2}, 20));
  for (const double none : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(check(at_most(none), plan).error().code, ErrorCode::invalid_argument);
    Limits limits = at_most(5);
    limits.lifetime = none;
    EXPECT_EQ(check(limits, plan).error().code, ErrorCode::invalid_argument);
  }
}

// A level report is part of what a report costs.
TEST(Limits, CountTheLevelReport) {
  ldp::PlanRequest request = test::signs_request({1, 2}, 20);
  request.gamma = .5;
  request.level_budget = 2;
  const ldp::Plan plan = test::plan_of(request);
  const ldp::Certificate& certificate = plan.certificate();
  ASSERT_GT(certificate.level_report, .4);
  expect_limit(plan, certificate.features[1] + certificate.level_report, "gamma .5");
  EXPECT_FALSE(check(at_most(certificate.features[1]), plan).ok());
}

// A plan may let any level spend most, also the strictest: whichever it is, it counts for everybody.
TEST(Limits, CountTheLevelThatSpendsMost) {
  std::vector<double> budgets;
  for (int level = 0; level < 20; ++level) budgets.push_back(2 + .1 * level);
  for (const auto secrecy : {ldp::LevelSecrecy::public_level, ldp::LevelSecrecy::protected_level}) {
    ldp::PlanRequest request = test::signs_request(budgets, 20);
    request.secrecy = secrecy;
    if (secrecy == ldp::LevelSecrecy::protected_level) request.level_budget = 30;
    request.shape.sampled = 1;
    const ldp::PlanTables tables = test::plan_of(request).tables();
    for (std::size_t most = 0; most < budgets.size(); ++most) {
      ldp::PlanTables one = tables;
      for (std::size_t level = 0; level < budgets.size(); ++level) {
        if (level != most) one.levels[level].entry = ldp::SignBits::quantise(1, one.shape(one.levels[level]));
      }
      const ldp::Plan plan = ldp::Plan::make(one).value();
      expect_limit(plan, plan.certificate().features[most], "level " + std::to_string(most + 1));
    }
  }
}

}  // namespace
}  // namespace ppgnn::client
