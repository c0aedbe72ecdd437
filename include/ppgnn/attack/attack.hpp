#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ppgnn/attack/attribute_attack.hpp"
#include "ppgnn/attack/level_attack.hpp"
#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/simulate/run.hpp"
#include "ppgnn/simulate/statistics.hpp"

namespace ppgnn::attack {

/// Both attacks over some runs.
struct AttackSummary {
  std::string mechanism;
  simulate::Privacy privacy;
  std::vector<double> spent;                          ///< per level
  std::map<std::string, simulate::Interval> metrics;  ///< those of AttackResult and LevelInference, over the runs
  std::vector<AttackResult> runs;                     ///< attribute inference, run by run
  LevelInference level;                               ///< all runs together
  std::uint64_t ones = 0, zeros = 0;                  ///< targets of attribute inference, over all runs
  std::vector<std::string> notes;

  /// Mean over the runs; 0 for a name that does not occur.
  [[nodiscard]] double mean(const std::string& metric) const;
};

/// Attribute and level inference on simulated devices, `config.runs` times; what concerns training is not used.
///
/// Determinism  Same configuration and seeds, same figures, for any number of threads.
/// Errors       Those of plan, mechanism and data, naming the field.
[[nodiscard]] Result<AttackSummary> attack(const graph::Dataset& dataset, const simulate::RunConfig& config,
                                           const AttackOptions& options,
                                           const std::function<void(double done, double total)>& progress);

}  // namespace ppgnn::attack
