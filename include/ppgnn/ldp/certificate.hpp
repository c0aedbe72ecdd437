#pragma once

#include <string>
#include <vector>

namespace ppgnn::ldp {

struct PlanTables;

/// What an observer of one report can learn at most, as log-likelihood ratios in nats, computed from a plan's integers
/// and rounded up. Infinity where levels are public: then the report states the level.
struct Certificate {
  std::vector<double> features;         ///< per level: two feature vectors, to somebody who knows the level
  double level_report = 0;              ///< spent by the level report alone
  double level_given_features = 0;      ///< two levels, to somebody who knows the features
  double pair_max = 0;                  ///< any (features, level) against any other
  double pair_strictest = 0;            ///< a person at the strictest level against any alternative
  std::vector<std::string> violations;  ///< claims of the plan that do not hold; empty in every plan that exists

  [[nodiscard]] bool holds() const noexcept { return violations.empty(); }
};

/// Checks every claim of a plan: per level features + level report <= budget; level <= level budget; pair <= the larger
/// of the two budgets; strictest <= level budget + its own. Theorem S in docs/proofs/strict.md. Needs integers only: a
/// device verifies a plan with it and never plans.
Certificate certify(const PlanTables& tables);

}  // namespace ppgnn::ldp
