#pragma once

#include <vector>

#include "ppgnn/calibrate/collect.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"

namespace ppgnn::bench {

/// One strict report of every node, levels uniform over epsilon * {1, 2, 4, 8, 16}, collected in the given order.
inline Result<calibrate::Collected> strict_reports(const graph::Features& features, const calibrate::NodeOrder& order,
                                                   double epsilon, std::uint64_t seed) {
  const auto columns = static_cast<std::uint32_t>(features.cols());
  ldp::PlanRequest request;
  request.columns = {{"word", columns, ldp::ColumnKind::binary, 0, 1, 0}};
  request.budgets = *ldp::doubling_budgets(epsilon);
  const auto plan = ldp::make_plan(request);
  if (!plan) return plan.error();
  std::vector<ldp::NodeReport> reports(features.rows());
  for (std::uint32_t node = 0; node < features.rows(); ++node) {
    seeded::SeededStream levels(seed, seeded::Purpose::level, node);
    seeded::SeededStream bits(seed, seeded::Purpose::perturb, node);
    const auto level = static_cast<std::uint32_t>(random::below(plan->levels().size(), levels)) + 1;
    reports[node].node = node;
    ldp::perturb(*plan, ldp::Level{level}, ldp::Row::ones(features.pattern().row(node)), bits, reports[node].report);
  }
  return calibrate::collect(order, *plan, reports);
}

}  // namespace ppgnn::bench
