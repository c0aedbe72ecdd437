#pragma once

#include <cstdint>

namespace ppgnn::ldp {

/// Reports a person's level within a window: levels within `radius` of the true one have weight W, others 2^40.
/// Everybody uses the same radius and the same weight, so the report says about the level what its budget allows
/// and no more.
///
/// Privacy   ln(W / 2^40), for any two levels. Proof docs/proofs/level_response.md.
/// Cost      One random word; time does not depend on the level.
/// Source    The paper's extended square wave (ESW). Differs from it: one common budget instead of one per level
///           (supports that depend on the level give it away), and the reported level is centred on the true one (its
///           window formula has no index shift, so its probabilities do not sum to 1).
struct LevelResponse {
  std::uint32_t levels = 1;
  std::uint32_t radius = 0;                       ///< b in the paper
  std::uint64_t weight = std::uint64_t{1} << 40;  ///< W

  /// Radius and weight for `budget` (lambda in the review), the weight rounded toward privacy.
  static LevelResponse make(double budget, std::uint32_t levels) noexcept;

  /// Reported levels run from `first()` to `last()`, around 1 .. levels.
  [[nodiscard]] std::int32_t first() const noexcept { return 1 - static_cast<std::int32_t>(radius); }
  [[nodiscard]] std::int32_t last() const noexcept { return static_cast<std::int32_t>(levels + radius); }

  /// Whether radius and weight are those of `budget`, up to how another machine may round.
  [[nodiscard]] bool agrees_with(double budget) const noexcept;

  /// Largest ln P(reported | one level) / P(reported | another).
  [[nodiscard]] double loss() const noexcept;
  /// P(reported | level), both counted from 1 for the strictest level.
  [[nodiscard]] double probability(std::uint32_t level, std::int32_t reported) const noexcept;

  /// The level that is reported of somebody at `level`; ldp/perturb.hpp has it.
  template <class Bits>
  [[nodiscard]] std::int32_t perturb(std::uint32_t level, Bits& bits) const noexcept;

  bool operator==(const LevelResponse&) const = default;
};

/// The paper's window share beta(budget): the radius is floor(beta * levels). Falls from 1/2 at 0.
/// Its printed formula cancels catastrophically below 1e-5; this one is exact to a few ulp everywhere.
double window_share(double budget) noexcept;

}  // namespace ppgnn::ldp
