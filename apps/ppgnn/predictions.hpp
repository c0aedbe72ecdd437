#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "campaign_files.hpp"
#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"

/// What `predict` and `train --store` share.
namespace ppgnn::app {

/// Everybody's likeliest class, with what else there is to say.
struct Predicted {
  graph::Dataset dataset;
  std::vector<std::string> classes;
  std::vector<std::uint32_t> likeliest;
  std::vector<double> probabilities;
  nlohmann::ordered_json more;
};

/// What the answers of a round say, with what graph and labels do.
[[nodiscard]] Result<Predicted> conclude(RoundInputs inputs, const StructureChoice& structure);

/// `node,class,probability` lines after that header.
[[nodiscard]] std::string predictions_csv(const Predicted& predicted);
/// Such lines as JSON.
[[nodiscard]] Result<nlohmann::ordered_json> prediction_lines(const std::string& csv);

}  // namespace ppgnn::app
