#pragma once

#include <algorithm>

#include "ppgnn/ldp/bound.hpp"

namespace ppgnn::teach {

/// How much likelier an outcome is for being favoured, less one (e^a - 1), from P(sent | favoured) - P(sent | not), which
/// may be a mean over the levels that a report may come from. Budgets beyond 30 nats count as that: a double says no more.
inline double odds_of(double gain, const ldp::Shape& shape) {
  const double outside = (1 - gain * shape.favoured) / shape.outcomes;
  return gain / std::max(1e-13, outside);
}

}  // namespace ppgnn::teach
