#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/plan.hpp"

namespace ppgnn::ldp {

/// What somebody wants of a plan; the planner turns it into integers, once, where the plan is made.
struct PlanRequest {
  std::vector<ColumnGroup> columns;
  ReportKind kind = ReportKind::signs;
  std::vector<double> budgets;  ///< one per level, ascending, each in [1e-6, 512]
  LevelSecrecy secrecy = LevelSecrecy::protected_level;
  std::optional<double> level_budget;  ///< default max(1, budgets[0]); only for protected levels
  double gamma = 0;                    ///< share of budgets[0] for a level report, in [0, 1)
  std::vector<double> prior;           ///< share of people per level; empty: uniform
  ShapeWishes shape;                   ///< columns or outcomes a report; default: what keeps most information
  std::optional<Campaign> campaign;    ///< required for buckets, directions and answers
  std::optional<QuestionModel> model;  ///< required for answers, and only for them
};

/// The plan that keeps most information within the request's budgets.
///
/// Privacy  Personal budgets are capped so that the level stays within `level_budget` of the strictest one.
/// Errors   Messages begin with the field of the request that they are about.
/// Cost     Tries every sample size up to the largest that can pay: milliseconds.
[[nodiscard]] Result<Plan> make_plan(const PlanRequest& request);

/// The kind of teaching report that fits columns: buckets where most start from an absent value at an end of their range,
/// as words do, of which a person has few; directions where most go to both sides of it, of which everybody has all.
[[nodiscard]] ReportKind teaching_kind(const std::vector<ColumnGroup>& columns) noexcept;

/// The budgets epsilon * {1, 2, 4, ...} of the paper.
[[nodiscard]] Result<std::vector<double>> doubling_budgets(double epsilon, std::size_t levels = 5);

}  // namespace ppgnn::ldp
