#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/nn/network.hpp"

namespace ppgnn::train {

/// A trained network without graph and features: what a model file holds.
struct Model {
  nn::NetworkOptions network;
  std::size_t inputs = 0;
  std::size_t classes = 0;
  std::vector<float> parameters;  ///< as nn::Network::parameters(), padding included
  std::string notes;              ///< JSON of the caller: where it comes from (versions, configuration, data, seed)
};

/// As docs/formats/sealed.md says.
[[nodiscard]] std::string encode_model(const Model& model);
/// Errors  malformed for other or damaged bytes, another version, a shape that no network has or that needs another number
///         of parameters than there are, a parameter that is not finite, and notes that are not UTF-8.
[[nodiscard]] Result<Model> decode_model(std::string_view bytes);

/// The file appears complete or not at all.
[[nodiscard]] Result<void> write_model(const Model& model, const std::filesystem::path& path);
[[nodiscard]] Result<Model> read_model(const std::filesystem::path& path);

/// Loads the parameters into a network over some input and graph.
///
/// Errors  mismatch when the network has another shape.
[[nodiscard]] Result<void> load_parameters(const Model& model, nn::Network& network);

}  // namespace ppgnn::train
