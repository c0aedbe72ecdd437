#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/core/sha256.hpp"
#include "ppgnn/graph/csr.hpp"
#include "ppgnn/graph/features.hpp"
#include "ppgnn/graph/node_names.hpp"
#include "ppgnn/graph/shared_array.hpp"
#include "ppgnn/graph/string_list.hpp"

namespace ppgnn::graph {

/// The label of a node whose class is not known.
inline constexpr std::int32_t kUnknown = -1;

/// A graph with what is known of its nodes. Node i is row i everywhere.
struct Dataset {
  std::string name;                  ///< for people; not part of the checksum
  Csr graph;                         ///< square, symmetric unless the caller built it otherwise
  Features features;                 ///< one row a node; no columns when the features are missing
  SharedArray<std::int32_t> labels;  ///< one a node: 0 .. classes-1, or kUnknown
  StringList class_names;            ///< one a class
  NodeNames nodes;                   ///< external name of each node
  std::vector<std::string> notes;    ///< what a user must know, one sentence each; not part of the checksum

  [[nodiscard]] std::size_t num_nodes() const noexcept { return graph.rows(); }
  [[nodiscard]] std::size_t num_classes() const noexcept { return class_names.size(); }
};

/// Whether the parts belong together: one row, label and name per node, labels below the number of classes.
///
/// Errors  mismatch, naming the part; malformed, naming the node.
[[nodiscard]] Result<void> check(const Dataset& dataset);

/// SHA-256 of the content: the same for the raw files, the converted file and every machine.
[[nodiscard]] Digest checksum(const Dataset& dataset);

/// Class names "0", "1", ... for data that only numbers them.
[[nodiscard]] StringList numbered_names(std::size_t count);

/// How labels are taken that say that they are missing (is_missing_word in labels.hpp).
enum class MissingLabels : std::uint8_t { unknown, as_class };

/// Applies that to a data set that was read with these words as classes, and notes how many there are.
void take_missing_labels(Dataset& dataset, MissingLabels how);

/// A data set without features: no columns.
[[nodiscard]] Features no_features(std::size_t num_nodes);

}  // namespace ppgnn::graph
