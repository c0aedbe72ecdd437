#pragma once

#include <cstdint>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/plan.hpp"

namespace ppgnn::client {

/// What a person agrees to who says nothing else. One report of a campaign with the default budgets costs up to 3 nats. Where
/// all reports together reach 10, odds may have changed 22,000-fold, and private says little: the device notes the same of a single
/// report. The number of reports is for plans that cost next to nothing: each of them still tells that the person took part.
inline constexpr double kDefaultReport = 3;
inline constexpr double kDefaultLifetime = 10;
inline constexpr std::uint64_t kDefaultReports = 10;

/// What a person agreed to.
///
/// Privacy  Every limit is about what a plan may cost anybody, at its most relaxed level, never about the person's own: under the
///          same limits, devices of all levels report and refuse alike. Limits that people choose by their level tell of it.
struct Limits {
  double report = kDefaultReport;           ///< most nats that one report may cost
  bool level_disclosed = false;             ///< whether plans that send the level are agreed to
  double lifetime = kDefaultLifetime;       ///< most nats in all; infinity: no limit
  std::uint64_t reports = kDefaultReports;  ///< most reports in all; the largest number: no limit
};

/// What one report of a plan costs at its most relaxed level, in nats: what the limits count for everybody.
[[nodiscard]] double largest_spend(const ldp::Plan& plan) noexcept;

/// Refuses a plan of which one report exceeds the limits.
[[nodiscard]] Result<void> check(const Limits& limits, const ldp::Plan& plan);

}  // namespace ppgnn::client
