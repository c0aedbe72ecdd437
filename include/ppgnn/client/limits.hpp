#pragma once

#include <cstdint>
#include <limits>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/plan.hpp"

namespace ppgnn::client {

/// What a person agreed to.
///
/// Privacy  Every limit is about what a plan may cost anybody, at its most relaxed level, never about the person's own:
///          whether a device reports tells nothing of the level.
struct Limits {
  double report = 0;                                          ///< most nats that one report may cost
  bool level_disclosed = false;                               ///< whether plans that send the level are agreed to
  double lifetime = std::numeric_limits<double>::infinity();  ///< most nats in all
  std::uint64_t reports = std::numeric_limits<std::uint64_t>::max();  ///< most reports in all
};

/// What one report of a plan costs at its most relaxed level, in nats: what the limits count for everybody.
[[nodiscard]] double largest_spend(const ldp::Plan& plan) noexcept;

/// Refuses a plan of which one report exceeds the limits.
[[nodiscard]] Result<void> check(const Limits& limits, const ldp::Plan& plan);

}  // namespace ppgnn::client
