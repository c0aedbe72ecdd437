#include "ppgnn/ldp/planner.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "ldp/best_shape.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/ldp/public_hash.hpp"

namespace ppgnn::ldp {

namespace {

Error invalid(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message)};
}

// Kept back from a level budget, so that a sum of logarithms of large numbers never exceeds it by rounding.
double slack(double level_budget) noexcept {
  return 1e-12 * std::max(1.0, level_budget);
}

// What is left of a budget after the level report.
double after_report(double budget, double lambda) noexcept {
  return lambda == 0 ? budget : budget - lambda - budget * kInward;
}

// Whether every level got an integer that reports can be made with.
template <class Mechanism>
bool is_usable(const PlanTables& tables) noexcept {
  return std::all_of(tables.levels.begin(), tables.levels.end(), [&](const PlanLevel& level) {
    const auto [low, high] = Mechanism::entries(tables.shape(level));
    return level.entry >= low && level.entry <= high;
  });
}

// Fills in the integer entries for protected levels, whose reports all have one shape.
template <class Mechanism>
void fill_protected(PlanTables& tables, const PlanLevel& candidate) {
  const double lambda = tables.gamma * tables.levels[0].budget;
  for (PlanLevel& level : tables.levels) take_shape(candidate, level);
  const Shape shape = tables.shape(tables.levels[0]);
  // The strictest entry first, as the integer it becomes: the cap is solved against what is really spent.
  const std::uint64_t strictest = Mechanism::quantise(after_report(tables.levels[0].budget, lambda), shape);
  const double report = tables.level_response ? tables.level_response->loss() : 0;
  const double room = std::max(0.0, tables.level_budget - slack(tables.level_budget) - report);
  const double cap = Mechanism::cap(room, Mechanism::features_loss(strictest, shape), shape);
  for (PlanLevel& level : tables.levels) {
    const double budget = std::min(after_report(level.budget, lambda), cap);
    level.entry = std::max(strictest, Mechanism::quantise(budget, shape));
  }
}

template <class Mechanism>
void fill_public(PlanTables& tables, const std::vector<PlanLevel>& candidates) {
  for (PlanLevel& level : tables.levels) {
    level = best_shape<Mechanism>(tables, level, candidates);
    level.entry = Mechanism::quantise(level.budget, tables.shape(level));
  }
}

// The shape that keeps most, and its entries. Larger samples leave less for each part, until a level has none.
template <class Mechanism>
void fill(PlanTables& tables, const std::vector<PlanLevel>& candidates) {
  if (tables.secrecy == LevelSecrecy::public_level) return fill_public<Mechanism>(tables, candidates);
  const PlanLevel* best = &candidates.front();
  double best_mass = -1;
  for (const PlanLevel& candidate : candidates) {
    fill_protected<Mechanism>(tables, candidate);
    if (!is_usable<Mechanism>(tables)) continue;
    const double mass = Estimator(tables).expected_mass();
    if (mass > best_mass) {
      best_mass = mass;
      best = &candidate;
    }
  }
  fill_protected<Mechanism>(tables, *best);
}

// Why no report fits into the budgets, in terms of the request; empty: one does.
template <class Mechanism>
std::string too_little_left(const PlanTables& tables) {
  if (is_usable<Mechanism>(tables)) return {};
  const std::string report = " for a report (" + Mechanism::title(tables.shape(tables.levels[0])) + ")";
  const std::string strictest = format_number(tables.levels[0].budget);
  if (tables.gamma == 0) return "budgets: level 1: must be enough" + report + ", but is " + strictest;
  return "gamma: must leave enough of the strictest budget (" + strictest + ")" + report + ", but is " +
         format_number(tables.gamma);
}

}  // namespace

Result<Plan> make_plan(const PlanRequest& request) {
  Result<Schema> schema = Schema::make(request.columns);
  if (!schema) return schema.error();
  if (request.budgets.empty()) return invalid("budgets: there must be at least one");
  if (!request.prior.empty() && request.prior.size() != request.budgets.size()) {
    return invalid("prior: must have one entry per level (" + std::to_string(request.budgets.size()) + "), but has " +
                   std::to_string(request.prior.size()));
  }
  if (request.secrecy == LevelSecrecy::public_level && request.level_budget) {
    return invalid("level_budget: has no meaning where levels are public, but is " +
                   format_number(*request.level_budget));
  }

  PlanTables tables{
      .kind = request.kind, .schema = std::move(schema).value(), .secrecy = request.secrecy, .gamma = request.gamma};
  const double levels = static_cast<double>(request.budgets.size());
  for (std::size_t i = 0; i < request.budgets.size(); ++i) {
    tables.levels.push_back({request.budgets[i], request.prior.empty() ? 1 / levels : request.prior[i]});
  }
  if (request.secrecy == LevelSecrecy::protected_level) {
    tables.level_budget = request.level_budget.value_or(std::max(1.0, request.budgets[0]));
  }
  if (request.gamma > 0) {
    tables.level_response = LevelResponse::make(request.gamma * request.budgets[0], static_cast<std::uint32_t>(levels));
  }
  tables.campaign = request.campaign;
  tables.model = request.model;
  if (request.campaign) tables.codebook = public_key("ppgnn codebook 1\n" + request.campaign->name);
  if (Result<void> valid = validate(tables, Stage::request); !valid) return valid.error();

  const std::string problem = with_mechanism(request.kind, [&](auto mechanism) -> std::string {
    using Mechanism = decltype(mechanism);
    const std::vector<PlanLevel> candidates = Mechanism::candidates(tables, request.shape);
    if (candidates.empty()) return "outcomes: there is no report with so many";
    for (const PlanLevel& candidate : candidates) {
      if (std::string wrong = Mechanism::problem_with(tables, candidate); !wrong.empty()) return wrong;
    }
    fill<Mechanism>(tables, candidates);
    return too_little_left<Mechanism>(tables);
  });
  if (!problem.empty()) return invalid(problem);
  return Plan::make(std::move(tables));
}

ReportKind teaching_kind(const std::vector<ColumnGroup>& columns) noexcept {
  std::uint64_t all = 0;
  std::uint64_t two_sided = 0;
  for (const ColumnGroup& group : columns) {
    all += group.count;
    if (group.absent > group.low && group.absent < group.high) two_sided += group.count;
  }
  return 2 * two_sided > all ? ReportKind::directions : ReportKind::buckets;
}

Result<std::vector<double>> doubling_budgets(double epsilon, std::size_t levels) {
  if (!(epsilon >= kMinBudget && epsilon <= kMaxBudget)) {
    return invalid("epsilon: must be between " + format_number(kMinBudget) + " and " + format_number(kMaxBudget) +
                   ", but is " + format_number(epsilon));
  }
  if (levels < 1 || levels > kMaxLevels) {
    return invalid("levels: must be between 1 and " + std::to_string(kMaxLevels) + ", but is " +
                   std::to_string(levels));
  }
  std::vector<double> budgets(levels, epsilon);
  for (std::size_t i = 1; i < levels; ++i) budgets[i] = 2 * budgets[i - 1];
  if (budgets.back() > kMaxBudget) {
    return invalid("epsilon: the most relaxed of " + std::to_string(levels) + " levels would have budget " +
                   format_number(budgets.back()) + ", above " + format_number(kMaxBudget) + "; epsilon is " +
                   format_number(epsilon));
  }
  return budgets;
}

}  // namespace ppgnn::ldp
