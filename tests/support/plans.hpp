#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "ppgnn/ldp/planner.hpp"

namespace ppgnn::test {

inline ldp::PlanRequest signs_request(std::vector<double> budgets, std::uint32_t dim) {
  ldp::PlanRequest request;
  request.columns = {{"word", dim, ldp::ColumnKind::binary, 0, 1, 0}};
  request.budgets = std::move(budgets);
  return request;
}

/// As `signs_request`, with columns that take any number from -1 to 1.
inline ldp::PlanRequest number_request(std::vector<double> budgets, std::uint32_t dim) {
  ldp::PlanRequest request = signs_request(std::move(budgets), dim);
  request.columns = {{"value", dim, ldp::ColumnKind::number, -1, 1, 0}};
  return request;
}

inline ldp::PlanRequest category_request(std::vector<double> budgets, std::uint32_t classes) {
  ldp::PlanRequest request;
  request.kind = ldp::ReportKind::category;
  request.columns = {{"job", 1, ldp::ColumnKind::category, 0, static_cast<double>(classes) - 1, 0}};
  request.budgets = std::move(budgets);
  return request;
}

/// A small plan of every kind: what tests that are for all kinds play. A kind that is missing here does not compile.
inline ldp::PlanRequest request_of(ldp::ReportKind kind, std::vector<double> budgets) {
  switch (kind) {
    case ldp::ReportKind::signs:
      return number_request(std::move(budgets), 4);
    case ldp::ReportKind::category:
      return category_request(std::move(budgets), 5);
  }
  std::abort();
}

/// The paper's budgets in the review's reading: epsilon * {1, 2, 4, 8, 16, 32}.
inline std::vector<double> six_levels(double epsilon) {
  return ldp::doubling_budgets(epsilon, 6).value();
}

/// The plan, or a failed test.
inline ldp::Plan plan_of(const ldp::PlanRequest& request) {
  Result<ldp::Plan> plan = ldp::make_plan(request);
  if (!plan) {
    ADD_FAILURE() << plan.error().message;
    std::abort();
  }
  return std::move(plan).value();
}

inline void expect_relative(double actual, double expected, double tolerance, const char* what = "") {
  EXPECT_NEAR(actual, expected, tolerance * std::abs(expected)) << what;
}

}  // namespace ppgnn::test
