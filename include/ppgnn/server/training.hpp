#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ppgnn/calibrate/calibrated_input.hpp"
#include "ppgnn/calibrate/collect.hpp"
#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/split.hpp"
#include "ppgnn/server/problem.hpp"
#include "ppgnn/train/predict.hpp"
#include "ppgnn/train/trainer.hpp"

/// From what was collected and a graph to a trained model: the one path behind `run`, `study` and `train`.
namespace ppgnn::server {

inline constexpr std::size_t kMaxHops = 1000;
inline constexpr double kMaxScale = 1e6;  ///< of the root mean square

struct PipelineOptions {
  std::size_t hops = 4;  ///< at most kMaxHops
  /// Common scales to choose from by validation loss, each above 0 and at most kMaxScale; empty: the raw scale.
  std::vector<double> scales{.03, .1, .3, 1};
  train::TrainOptions training;
};

/// The scales that somebody names: "raw", "common" (the default ones), or a root mean square.
///
/// Errors  invalid_argument for anything else.
[[nodiscard]] Result<std::vector<double>> scales_named(const std::string& text);

/// CPU time in seconds, of the calling thread or, where work has several threads, of the process.
[[nodiscard]] double cpu_seconds(std::size_t threads) noexcept;

/// The seed of a run's initialisation, dropout and probes.
[[nodiscard]] constexpr std::uint64_t training_seed(std::uint64_t seed, std::uint64_t run) noexcept {
  return seed + (run << 32);
}

/// A trained network with what it needs to be used again.
struct Trained {
  train::Outcome outcome;
  std::vector<float> parameters;
  std::optional<double> scale;     ///< the chosen common scale
  double factor = 1;               ///< what the calibrated features were multiplied by
  train::Predictions predictions;  ///< by original node number
  std::vector<train::EpochRecord> history;
  std::string order;       ///< how the first layer was evaluated, explained
  double cpu_seconds = 0;  ///< of the calling thread, all scales
  std::size_t epochs = 0;  ///< all scales
  bool stopped = false;    ///< the stop flag was raised: this is the best until then
};

/// Where calibrate_and_train keeps its state: one file for all scales.
struct CheckpointOptions {
  std::filesystem::path file;  ///< empty: nothing is kept
  std::size_t every = 0;       ///< epochs; 0: only when a scale is done or the run is stopped
  bool resume = false;         ///< go on from the file, if there is one; else it is replaced
};

/// Averages what was collected over the graph, and multiplies it by `factor`; options may ask for a common scale instead.
///
/// Errors  Those of the parts, naming what does not fit.
[[nodiscard]] Result<calibrate::CalibratedInput> calibrated(const Problem& problem,
                                                            const calibrate::Collected& collected, std::size_t hops,
                                                            const calibrate::CalibrationOptions& options,
                                                            const kernels::Threads& threads, double factor = 1);

/// Predictions in the order of the problem's places, by original node number.
[[nodiscard]] train::Predictions in_original_order(const Problem& problem, const train::Predictions& placed);

/// Calibrates, trains once per scale and keeps the one with the least validation loss.
///
/// Determinism  Same bits for any thread count on one instruction set, and for a run that was interrupted and resumed.
///              A resumed run may have more epochs than the one before, not fewer.
/// Errors       invalid_argument for an empty training or validation part; io, malformed or mismatch, naming the file,
///              for a checkpoint that cannot be used or written; those of the parts.
[[nodiscard]] Result<Trained> calibrate_and_train(const Problem& problem, const calibrate::Collected& collected,
                                                  const graph::Split& split, const PipelineOptions& options,
                                                  const train::Hooks& hooks, const CheckpointOptions& keep = {});

}  // namespace ppgnn::server
