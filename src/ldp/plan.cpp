#include "ppgnn/ldp/plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ldp/plan_text.hpp"
#include "ldp/sealed_text.hpp"
#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/random/samplers.hpp"

namespace ppgnn::ldp {

namespace {

// A bound check that also refuses NaN.
bool within(double value, double low, double high) noexcept {
  return value >= low && value <= high;
}

std::string must_be(const std::string& field, double low, double high, double value) {
  return filled("{}: must be between {} and {}, but is {}", {field, low, high, value});
}

// The numbers of a level that the planner fills in.
std::string problem_with_shape(const PlanTables& tables, std::size_t index) {
  const PlanLevel& level = tables.levels[index];
  const PlanLevel& first = tables.levels[0];
  if (tables.secrecy == LevelSecrecy::protected_level) {
    if (level.sampled != first.sampled) return "sampled: must be the same for every level where levels are protected";
    if (level.outcomes != first.outcomes || level.favoured != first.favoured) {
      return "outcomes: must be the same for every level where levels are protected";
    }
  }
  const std::string problem =
      with_mechanism(tables.kind, [&](auto mechanism) { return decltype(mechanism)::problem_with(tables, level); });
  if (!problem.empty()) {
    const std::string_view words = problem;
    const std::size_t colon = words.find(':');
    return filled("{}: level {}{}", {words.substr(0, colon), index + 1, words.substr(colon)});
  }
  const auto [low, high] =
      with_mechanism(tables.kind, [&](auto mechanism) { return decltype(mechanism)::entries(tables.shape(level)); });
  if (level.entry >= low && level.entry <= high) return {};
  return filled("entry: level {}: must be between {} and {}", {index + 1, low, high});
}

std::string problem_with_budgets(const PlanTables& tables) {
  double prior_sum = 0;
  for (std::size_t i = 0; i < tables.levels.size(); ++i) {
    const PlanLevel& level = tables.levels[i];
    if (!within(level.budget, kMinBudget, kMaxBudget)) {
      return must_be(filled("budgets: level {}", {i + 1}), kMinBudget, kMaxBudget, level.budget);
    }
    if (i > 0 && !(level.budget > tables.levels[i - 1].budget)) {
      return filled("budgets: level {}: must be above level {} ({}), but is {}",
                    {i + 1, i, tables.levels[i - 1].budget, level.budget});
    }
    if (!within(level.prior, 0, 1)) return must_be(filled("prior: level {}", {i + 1}), 0, 1, level.prior);
    prior_sum += level.prior;
  }
  if (std::abs(prior_sum - 1) > 1e-9) return filled("prior: must sum to 1, but sums to {}", {prior_sum});
  return {};
}

std::string problem_with(const Campaign& campaign) {
  if (!is_campaign_name(campaign.name)) return std::string(kCampaignName);
  if (campaign.rule.empty() || campaign.rule.size() > 200 || has_hidden_characters(campaign.rule) ||
      campaign.rule.front() == ' ' || campaign.rule.back() == ' ') {
    return "rule: must have 1 to 200 bytes of UTF-8 without control or bidirectional characters";
  }
  return {};
}

// Everything but what the planner fills in.
std::string problem_with_request(const PlanTables& tables) {
  if (tables.levels.empty() || tables.levels.size() > kMaxLevels) {
    return filled("budgets: there must be 1 to {} levels, but there are {}", {kMaxLevels, tables.levels.size()});
  }
  if (tables.schema.dim() == 0) return "schema: must have at least one column (dim is 0)";
  std::string problem = tables.campaign ? problem_with(*tables.campaign) : std::string();
  if (problem.empty() && needs_campaign(tables.kind) && !tables.campaign) problem = "campaign: must be named";
  if (problem.empty() && tables.model.has_value() != asks(tables.kind)) {
    problem = tables.model ? "question: only an answer's plan has a model" : "question: an answer's plan has a model";
  }
  if (problem.empty()) {
    problem = with_mechanism(tables.kind, [&](auto mechanism) { return decltype(mechanism)::problem_with(tables); });
  }
  if (problem.empty()) problem = problem_with_budgets(tables);
  if (!problem.empty()) return problem;

  if (!(tables.gamma >= 0 && tables.gamma < 1)) {
    return filled("gamma: must be at least 0 and below 1, but is {}", {tables.gamma});
  }
  if (tables.secrecy == LevelSecrecy::public_level) {
    if (tables.gamma != 0) return filled("gamma: must be 0 where levels are public, but is {}", {tables.gamma});
    if (tables.level_budget != 0) return "level_budget: has no meaning where levels are public";
    return {};
  }
  if (!within(tables.level_budget, kMinBudget, kMaxBudget)) {
    return must_be("level_budget", kMinBudget, kMaxBudget, tables.level_budget);
  }
  const double lambda = tables.gamma * tables.levels[0].budget;
  if (tables.gamma > 0 && !(tables.level_budget > lambda)) {
    return filled("level_budget: must be above gamma times the strictest budget ({}), but is {}",
                  {lambda, tables.level_budget});
  }
  return {};
}

std::string problem_with_response(const PlanTables& tables) {
  if ((tables.gamma > 0) != tables.level_response.has_value()) {
    return "level_response: must be present exactly when gamma is above 0";
  }
  if (const auto& response = tables.level_response) {
    const double lambda = tables.gamma * tables.levels[0].budget;
    if (response->levels != tables.levels.size() || response->radius > (tables.levels.size() - 1) / 2 ||
        response->weight < random::kWeightOut || response->weight > random::kMaxWeightIn) {
      return "level_response: radius or weight out of range";
    }
    if (!response->agrees_with(lambda)) {
      return filled("gamma: {} of the strictest budget is {}, but the level report is made for another budget",
                    {tables.gamma, lambda});
    }
  }
  return {};
}

std::string problem_with(const PlanTables& tables, Stage stage) {
  std::string problem = problem_with_request(tables);
  if (!problem.empty() || stage == Stage::request) return problem;
  problem = problem_with_response(tables);
  for (std::size_t i = 0; i < tables.levels.size() && problem.empty(); ++i) problem = problem_with_shape(tables, i);
  return problem;
}

}  // namespace

Shape PlanTables::shape(const PlanLevel& level) const noexcept {
  return with_mechanism(kind, [&](auto mechanism) { return decltype(mechanism)::shape(schema, level); });
}

Result<void> validate(const PlanTables& tables, Stage stage) {
  std::string problem = problem_with(tables, stage);
  if (problem.empty()) return {};
  return Error{ErrorCode::invalid_argument, std::move(problem)};
}

Result<Plan> Plan::make(PlanTables tables) {
  if (Result<void> valid = validate(tables); !valid) return valid.error();
  Plan plan;
  plan.certificate_ = certify(tables);
  if (!plan.certificate_.holds()) {
    return Error{ErrorCode::certificate, filled("certificate: {}", {plan.certificate_.violations.front()})};
  }
  plan.text_ = plan_text(tables);
  plan.hash_ = seal(plan.text_);
  plan.tables_ = std::move(tables);
  return plan;
}

Result<Plan> Plan::parse(std::string_view text) {
  const Result<std::string_view> body = unsealed("plan", text);
  if (!body) return body.error();
  Result<PlanTables> tables = parse_plan_text(*body);
  if (!tables) return tables.error();
  Result<Plan> plan = make(std::move(tables).value());
  if (plan && plan->text() != text) return not_canonical("plan");
  return plan;
}

std::string_view to_text(Role role) noexcept {
  switch (role) {
    case Role::teach:
      return "teach";
    case Role::pilot:
      return "pilot";
    case Role::answer:
      break;
  }
  return "answer";
}

std::string_view to_text(LevelSecrecy secrecy) noexcept {
  return secrecy == LevelSecrecy::protected_level ? "protected" : "public";
}

}  // namespace ppgnn::ldp
