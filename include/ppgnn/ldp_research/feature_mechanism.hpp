#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
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
  /// Mean and variance of the estimate of a feature that is `x`, for a person of this level; exact.
  [[nodiscard]] virtual double mean(Level level, double x) const = 0;
  [[nodiscard]] virtual double variance(Level level, double x) const = 0;
};

using FeatureMechanismPtr = std::unique_ptr<const FeatureMechanism>;

/// The value of a column on the scale [-1, 1], rounded as on a device.
double scaled_feature(const Schema& schema, const Row& row, std::uint32_t column) noexcept;

}  // namespace ppgnn::ldp_research
