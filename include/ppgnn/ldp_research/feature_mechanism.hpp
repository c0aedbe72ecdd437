#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/row.hpp"
#include "ppgnn/random/any_bits.hpp"

/// Mechanisms for comparison and reproduction. The client cannot link this room: some of these leak the level, some use
/// floating-point noise whose low bits give the input away, none is certified.
namespace ppgnn::ldp_research {

using ldp::Level;
using ldp::Row;
using ldp::Schema;

/// What the server receives of one person: values on the scale [-1, 1], of the listed columns or of all.
struct NoisyRow {
  std::optional<std::int32_t> reported_level;
  std::vector<std::uint32_t> columns;  ///< ascending; empty: `values` holds every column
  std::vector<double> values;
};

/// What a mechanism is said to guarantee, for one report.
struct StatedBound {
  double epsilon = 0;  ///< features, to somebody who knows the level
  double delta = 0;    ///< probability with which the bound may fail; 0: never
  std::string level;   ///< what is said about the level, in words; empty: there is one level only
  bool exact = false;  ///< holds for the code as it runs, not only for real numbers
};

/// A guess at somebody's level, and what it is made from, in words.
struct LevelGuess {
  Level level{1};
  std::string_view how;
};

/// A mechanism as experiments see it: the baselines, the paper's protocol and the strict one alike.
///
/// Threads  Immutable; `perturb` may run on many threads with a source each.
class FeatureMechanism {
 public:
  FeatureMechanism() = default;
  FeatureMechanism(const FeatureMechanism&) = delete;
  FeatureMechanism& operator=(const FeatureMechanism&) = delete;
  virtual ~FeatureMechanism() = default;

  /// Short name as in the paper's tables: "1b", "lp", "gm", "mb", "ppm", "ppm*", "strict".
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual StatedBound bound(Level level) const = 0;
  /// What the device sends.
  virtual void perturb(Level level, const Row& row, random::AnyBits bits, NoisyRow& out) const = 0;
  /// Turns what was sent into an estimate of the features, in place.
  virtual void estimate(NoisyRow& row) const = 0;
  /// What one estimated column says to somebody who does not know the level: ln P(it | the feature is 1) / P(it | -1).
  /// `index` is into the row's values.
  [[nodiscard]] virtual double log_ratio(const NoisyRow& row, std::size_t index) const = 0;
  /// The level behind what was sent, as far as somebody can tell who knows the features and which shares of people
  /// chose which level. Where everybody has the same budget there is nothing to tell.
  [[nodiscard]] virtual LevelGuess guess_level(const NoisyRow& sent, const Row& features,
                                               std::span<const double> shares) const;
  /// Mean and variance of the estimate of a feature that is `x`, for a person of this level; exact.
  [[nodiscard]] virtual double mean(Level level, double x) const = 0;
  [[nodiscard]] virtual double variance(Level level, double x) const = 0;
};

using FeatureMechanismPtr = std::unique_ptr<const FeatureMechanism>;

/// The level, counted from 1, with the largest of these log-weights.
template <class Weight>
Level most_probable(std::size_t levels, const Weight& log_weight) {
  std::size_t best = 0;
  double best_weight = -std::numeric_limits<double>::infinity();
  for (std::size_t level = 0; level < levels; ++level) {
    const double weight = log_weight(level);
    if (weight > best_weight) {
      best_weight = weight;
      best = level;
    }
  }
  return Level{static_cast<std::uint32_t>(best) + 1};
}

/// The value of a column on the scale [-1, 1], rounded as on a device.
double scaled_feature(const Schema& schema, const Row& row, std::uint32_t column) noexcept;

}  // namespace ppgnn::ldp_research
