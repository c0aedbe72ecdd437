#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/node_names.hpp"
#include "ppgnn/io/named_bytes.hpp"
#include "ppgnn/train/predict.hpp"

namespace ppgnn::server {

/// Everybody's likeliest class and how likely it is, by node number.
struct ClassTable {
  std::vector<std::string> classes;
  std::vector<std::uint32_t> likeliest;
  std::vector<double> probabilities;

  [[nodiscard]] static ClassTable make(std::vector<std::string> classes, const train::Predictions& predictions);
};

/// As a file, `node,class,probability` lines. docs/formats/files.md.
[[nodiscard]] std::string predictions_text(const graph::NodeNames& nodes, const ClassTable& table);

/// One line of such a file.
struct Prediction {
  std::string node;
  std::string name;  ///< of the class
  double probability = 0;
};
/// Errors  malformed, naming the line.
[[nodiscard]] Result<std::vector<Prediction>> parse_predictions(const io::NamedBytes& file);

}  // namespace ppgnn::server
