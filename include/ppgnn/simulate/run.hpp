#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/server/training.hpp"
#include "ppgnn/simulate/fidelity.hpp"
#include "ppgnn/simulate/one_run.hpp"
#include "ppgnn/simulate/source.hpp"
#include "ppgnn/simulate/statistics.hpp"

namespace ppgnn::simulate {

/// What a run does. Selection is by validation only; the test part is looked at once, at the end.
struct RunConfig : SourceConfig, DrawConfig {
  server::PipelineOptions pipeline;
  std::size_t runs = 10;
  bool reference = true;    ///< also the control and training without privacy, on the same splits
  std::size_t threads = 0;  ///< runs at a time; 0: one per core
};

/// The runs of one method, in order.
struct Series {
  std::vector<double> accuracy;
  std::vector<double> log_loss;
  std::vector<double> scale;  ///< chosen common scale; 0: raw
  Interval interval;          ///< of the accuracy
  double mean_log_loss = 0;
};

/// What people at one level spend and get.
struct LevelOutcome {
  double budget = 0;
  double spent = 0;
  std::uint64_t people = 0;  ///< in test parts, over all runs
  double accuracy = 0;
  double control = 0;  ///< of the same people under the control; 0 without reference
};

struct RunResult {
  std::string method, mechanism;
  std::size_t hops = 0;  ///< averaged over: 0 for methods that do not
  Privacy privacy;
  Series accuracy;
  std::optional<Series> control;
  std::optional<Series> nonprivate;
  std::optional<PairedTest> against_control;
  std::vector<LevelOutcome> by_level;
  std::optional<Fidelity> fidelity;  ///< mean over runs; none for clean features
  std::string order;
  std::vector<std::string> notes;
  double cpu_seconds_per_epoch = 0;
};

/// Simulates the devices, calibrates, trains and evaluates, `runs` times.
///
/// Determinism  Same configuration and seeds, same bits, for any number of threads on one instruction set.
/// Errors       Those of plan, mechanism, data and training, naming the field.
[[nodiscard]] Result<RunResult> run(const graph::Dataset& dataset, const RunConfig& config,
                                    const std::function<void(double done, double total)>& progress);

/// Whether runs, features and levels can be used; the first that cannot is named.
[[nodiscard]] Result<void> check(const graph::Dataset& dataset, const RunConfig& config);

}  // namespace ppgnn::simulate
