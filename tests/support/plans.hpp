#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/ldp/question.hpp"

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

inline ldp::Campaign some_campaign(ldp::Role role = ldp::Role::teach) {
  return {"spring", role, "labelled people, four of five by chance", sha256("people")};
}

/// Words of a sparse vocabulary, `favoured` of `buckets` for each person.
inline ldp::PlanRequest bucket_request(std::vector<double> budgets, std::uint32_t dim, std::uint32_t buckets,
                                       std::uint32_t favoured) {
  ldp::PlanRequest request = signs_request(std::move(budgets), dim);
  request.kind = ldp::ReportKind::buckets;
  request.campaign = some_campaign();
  request.shape = {.sampled = 1, .outcomes = buckets, .favoured = favoured};
  return request;
}

inline ldp::PlanRequest direction_request(std::vector<double> budgets, std::uint32_t dim, std::uint32_t directions,
                                          std::uint32_t favoured) {
  ldp::PlanRequest request = number_request(std::move(budgets), dim);
  request.kind = ldp::ReportKind::directions;
  request.campaign = some_campaign();
  request.shape = {.sampled = 1, .outcomes = directions, .favoured = favoured};
  return request;
}

/// A model of `classes` classes, each of which every `classes`th column speaks for.
inline ldp::QuestionModel small_model(std::uint32_t dim, std::uint32_t classes) {
  ldp::QuestionModel model;
  for (std::uint32_t i = 0; i < classes; ++i) {
    model.classes.push_back("class " + std::to_string(i));
    model.biases.push_back(static_cast<std::int32_t>(i) - 1);
    for (std::uint32_t column = 0; column < dim; ++column) {
      model.weights.push_back(static_cast<std::int16_t>(column % classes == i ? 100 : -20));
    }
  }
  return model;
}

inline ldp::PlanRequest answer_request(std::vector<double> budgets, std::uint32_t dim, std::uint32_t classes) {
  ldp::PlanRequest request = signs_request(std::move(budgets), dim);
  request.kind = ldp::ReportKind::answer;
  request.campaign = some_campaign(ldp::Role::answer);
  request.model = small_model(dim, classes);
  request.shape.outcomes = classes;
  return request;
}

/// Somebody, as far as it is public: whom the falsifier makes reports for.
struct Person {
  explicit Person(const ldp::Plan& plan)
      : salt(ldp::salt_of(plan.tables().campaign ? plan.tables().campaign->name : "", "audit")) {
    const auto& model = plan.tables().model;
    if (!model) return;
    std::vector<std::uint16_t> classes(model->classes.size());
    for (std::size_t i = 0; i < classes.size(); ++i) classes[i] = static_cast<std::uint16_t>(i);
    question =
        ldp::Question::make(*model, classes, std::vector<std::int16_t>(model->fused() ? classes.size() : 0, 0)).value();
  }
  [[nodiscard]] ldp::Asked asked() const { return {salt, question ? &*question : nullptr}; }

  std::uint64_t salt;
  std::optional<ldp::Question> question;
};

/// A small plan of every kind: what tests that are for all kinds play. A kind that is missing here does not compile.
inline ldp::PlanRequest request_of(ldp::ReportKind kind, std::vector<double> budgets) {
  switch (kind) {
    case ldp::ReportKind::signs:
      return number_request(std::move(budgets), 4);
    case ldp::ReportKind::category:
      return category_request(std::move(budgets), 5);
    case ldp::ReportKind::buckets:
      return bucket_request(std::move(budgets), 6, 6, 2);
    case ldp::ReportKind::directions:
      return direction_request(std::move(budgets), 4, 6, 3);
    case ldp::ReportKind::answer:
      return answer_request(std::move(budgets), 4, 3);
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
