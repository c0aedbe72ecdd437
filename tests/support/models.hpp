#pragma once

#include <utility>

#include "ppgnn/ldp/published_model.hpp"
#include "support/plans.hpp"

namespace ppgnn::test {

/// A small model to publish: two groups of columns, three classes; `evidence` and `length` as given.
inline ldp::DecisionTables small_decisions(ldp::HintKind hint = ldp::HintKind::coarse,
                                           std::uint32_t evidence = 1u << 26, std::uint64_t length = 2u << 16) {
  ldp::DecisionTables tables;
  tables.campaign = "spring";
  tables.schema = *ldp::Schema::make(
      {{"word", 3, ldp::ColumnKind::binary, 0, 1, 0}, {"age", 1, ldp::ColumnKind::number, 0, 100, 50}});
  tables.model.width = 8;
  tables.model.classes = {"cat", "dog", "owl"};
  tables.model.biases = {3, -4, 0};
  tables.model.weights = {100, -20, 0, 7, -90, 50, 10, -7, 0, 1, 120, 64};
  tables.model.length = length;
  tables.evidence = evidence;
  tables.usual = {-100, 0, -300};
  tables.hint = hint;
  if (hint == ldp::HintKind::coarse) {
    for (std::size_t i = 0; i < ldp::kHintSteps; ++i) {
      tables.second[i] = static_cast<std::int16_t>(-80 - 160 * static_cast<int>(i));
      tables.others[i] = static_cast<std::int16_t>(-400 - 160 * static_cast<int>(i));
    }
  }
  return tables;
}

/// The plan of the people who calibrate such a model.
inline ldp::Plan pilots_plan(const ldp::DecisionTables& tables) {
  ldp::PlanRequest request;
  request.columns = tables.schema.groups();
  request.kind = ldp::ReportKind::answer;
  request.budgets = {1, 2};
  request.campaign = {tables.campaign, ldp::Role::pilot, "people who calibrate", sha256("people")};
  request.model = tables.model;
  request.model->confident = {40};
  request.shape.outcomes = 4;
  return plan_of(request);
}

}  // namespace ppgnn::test
