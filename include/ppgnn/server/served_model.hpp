#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/server/problem.hpp"
#include "ppgnn/server/training.hpp"
#include "ppgnn/train/model.hpp"
#include "ppgnn/train/predict.hpp"

namespace ppgnn::server {

/// A trained network with its meaning: what it must be fed with, and what its classes are called.
struct ServedModel {
  train::Model network;   ///< `notes` is not used: the fields below become it
  std::string plan_hash;  ///< hexadecimal; the model takes reports of this plan only
  std::size_t hops = 0;   ///< averaged over
  double factor = 1;      ///< what the calibrated features are multiplied by
  double scale = 0;       ///< the common scale behind the factor; 0: raw
  std::vector<std::string> classes;
  // Where it comes from.
  std::string data;
  std::uint64_t seed = 0;
  std::uint64_t run = 0;
  std::string instruction_set;
  std::string version;
};

/// What a training made, with its meaning; `seed` and `run` are the training's.
[[nodiscard]] ServedModel served_model(const graph::Dataset& dataset, const ldp::Plan& plan,
                                       const PipelineOptions& pipeline, const Trained& trained, std::uint64_t seed,
                                       std::uint64_t run);

/// As docs/formats/sealed.md says. The file appears complete or not at all.
[[nodiscard]] Result<void> write_served_model(const ServedModel& model, const std::filesystem::path& path);

/// The bytes of such a file.
[[nodiscard]] std::string encode_served_model(const ServedModel& model);

/// The model in the bytes of such a file.
///
/// Errors  malformed for other or damaged bytes, or notes that are not those of a served model.
[[nodiscard]] Result<ServedModel> decode_served_model(std::string_view bytes);

/// Errors  malformed, naming the file, for other or damaged bytes, or notes that are not those of a served model.
[[nodiscard]] Result<ServedModel> read_served_model(const std::filesystem::path& path);

/// The data set with the model's classes and without labels, which play no part in a prediction.
///
/// Errors  mismatch when the data has a class that the model never heard of: then it belongs to something else.
[[nodiscard]] Result<graph::Dataset> for_prediction(const ServedModel& model, graph::Dataset dataset);

/// What a network says of everybody by what was collected, averaged over `hops` and multiplied by `factor`.
///
/// Errors  mismatch for another number of columns or classes than the network's.
[[nodiscard]] Result<train::Predictions> apply_network(const train::Model& network, std::size_t hops, double factor,
                                                       const Problem& problem, const calibrate::Collected& collected,
                                                       std::size_t threads);

/// Class and class probabilities of every node: on the graph and reports the model was trained with, or others.
///
/// Errors  mismatch for reports of another plan, or data with another number of classes.
[[nodiscard]] Result<train::Predictions> predict(const ServedModel& model, const Problem& problem,
                                                 const ldp::Plan& plan, std::span<const ldp::NodeReport> reports,
                                                 std::size_t threads);

}  // namespace ppgnn::server
