#pragma once

#include <vector>

#include "ppgnn/ldp/plan.hpp"

namespace ppgnn::ldp {

/// Gives a level the shape of another.
inline void take_shape(const PlanLevel& from, PlanLevel& level) noexcept {
  level.sampled = from.sampled;
  level.outcomes = from.outcomes;
  level.favoured = from.favoured;
}

/// `level` with the shape that keeps most information of its whole budget.
template <class Mechanism>
PlanLevel best_shape(const PlanTables& tables, PlanLevel level, const std::vector<PlanLevel>& candidates) {
  take_shape(candidates.front(), level);
  PlanLevel best = level;
  double most = -1;
  for (const PlanLevel& candidate : candidates) {
    take_shape(candidate, level);
    const Shape shape = tables.shape(level);
    const std::uint64_t entry = Mechanism::quantise(level.budget, shape);
    if (entry < Mechanism::entries(shape).low) continue;
    const double kept = Mechanism::information(Mechanism::gain(entry, shape), shape);
    if (kept > most) {
      most = kept;
      best = level;
    }
  }
  return best;
}

}  // namespace ppgnn::ldp
