#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ppgnn/calibrate/calibrated_input.hpp"
#include "ppgnn/calibrate/fidelity.hpp"
#include "ppgnn/calibrate/node_order.hpp"
#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/graph/split.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/ldp_research/feature_mechanism.hpp"
#include "ppgnn/train/model.hpp"
#include "ppgnn/train/trainer.hpp"

/// From reports and a graph to a trained model: the one path behind `run`, `train` and `predict`.
namespace ppgnn::study {

/// The public part of a task, in the engine's node order: graph and labels.
class Problem {
 public:
  /// Errors  invalid_argument for fewer than two classes or a graph that is not symmetric.
  [[nodiscard]] static Result<Problem> make(const graph::Dataset& dataset);

  [[nodiscard]] const graph::Csr& graph() const noexcept { return graph_; }
  [[nodiscard]] const calibrate::NodeOrder& order() const noexcept { return order_; }
  [[nodiscard]] std::span<const std::int32_t> labels() const noexcept { return labels_; }
  [[nodiscard]] std::size_t classes() const noexcept { return classes_; }

 private:
  graph::Csr graph_;
  calibrate::NodeOrder order_;
  std::vector<std::int32_t> labels_;
  std::size_t classes_ = 0;
};

/// What the server knows of people's features, and how it is averaged over the graph; in the engine's node order.
struct Collected {
  std::shared_ptr<const calibrate::FeatureMatrix> estimates;
  calibrate::Operator kind = calibrate::Operator::convolution;
  std::vector<float> weights;  ///< of flexprop and convolution
};

/// Strict reports, by the caller's node number; people without a report are left out.
[[nodiscard]] Result<Collected> collect(const Problem& problem, const ldp::Plan& plan,
                                        std::span<const calibrate::NodeReport> reports);
/// Estimates of any mechanism, one row per node in the caller's order; `kind` says how they are averaged.
[[nodiscard]] Result<Collected> collect(const Problem& problem, std::size_t columns, calibrate::Operator kind,
                                        std::span<const ldp_research::NoisyRow> rows);
/// Clean features as in the file: what training without privacy sees.
[[nodiscard]] Result<Collected> collect(const Problem& problem, const graph::Features& features);

struct PipelineOptions {
  std::size_t hops = 4;
  /// Common scales to choose from by validation loss; empty: the raw scale.
  std::vector<double> scales{.03, .1, .3, 1};
  train::TrainOptions training;
};

/// A trained network with what it needs to be used again.
struct Trained {
  train::Outcome outcome;
  std::vector<float> parameters;
  std::optional<double> scale;             ///< the chosen common scale
  double factor = 1;                       ///< what the calibrated features were multiplied by
  std::vector<std::uint32_t> predictions;  ///< per node, in the caller's order
  std::vector<float> probabilities;        ///< of every class, node by node, in the caller's order
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

/// Calibrates, trains once per scale and keeps the one with the least validation loss.
///
/// Determinism  Same bits for any thread count on one instruction set, and for a run that was interrupted and resumed.
/// A
///              resumed run may have more epochs than the one before, not fewer.
/// Errors       invalid_argument for an empty training or validation part; io, malformed or mismatch, naming the file,
///              for a checkpoint that cannot be used or written; those of the parts.
[[nodiscard]] Result<Trained> calibrate_and_train(const Problem& problem, const Collected& collected,
                                                  const graph::Split& split, const PipelineOptions& options,
                                                  train::Hooks hooks, const CheckpointOptions& keep = {});

/// How near the calibrated features are to the same aggregates of the clean ones, which only a simulation has.
///
/// Cost  Where there are more than 256 columns: of 256 people drawn by the seed. At most 8 products of 64 columns.
[[nodiscard]] Result<calibrate::Fidelity> fidelity(const Problem& problem, const Collected& collected,
                                                   const graph::Features& features, std::size_t hops,
                                                   std::uint64_t seed);

/// Class and class probabilities of every node under a model: on the graph and reports it was trained with, or others.
/// `hops` and `factor` are those of training.
[[nodiscard]] Result<Trained> apply_model(const Problem& problem, const Collected& collected, const train::Model& model,
                                          std::size_t hops, double factor, std::size_t threads);

}  // namespace ppgnn::study
