#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/io/named_bytes.hpp"

namespace ppgnn::graph {

/// Contents of a data set in the simplest form. Text files separate fields by comma, tab or blanks (the first line
/// decides); lines that start with # are comments.
struct PlainFiles {
  io::NamedBytes edges;                    ///< two node names a line
  std::optional<io::NamedBytes> labels;    ///< text with a header: node, class; or a NumPy array of class numbers
  std::optional<io::NamedBytes> features;  ///< text with a header: node, one number a column; or a NumPy matrix
};

/// Where those files are.
struct PlainPaths {
  std::filesystem::path edges;
  std::optional<std::filesystem::path> labels;
  std::optional<std::filesystem::path> features;
};

/// Reads an edge list with optional labels and features.
///
/// Nodes   In the order of the labels, else of the features; called by the first field of a text file, or by the row
///         number of a NumPy one. With edges alone: the whole numbers that occur, ascending.
/// Labels  Classes are those that occur, as in parse_musae: numbers keep their order, other names are sorted, empty or
///         negative is kUnknown. Columns after the class are not read, and a note names them.
/// Edges   Symmetrised, repeats counted once, self-loops kept. A first line that is not two nodes is a header.
/// Errors  malformed, naming file and line or byte; mismatch when labels and features are not about the same nodes.
[[nodiscard]] Result<Dataset> parse_plain(const PlainFiles& files, const std::string& name);

/// parse_plain of the files at `paths`.
[[nodiscard]] Result<Dataset> read_plain(const PlainPaths& paths, const std::string& name);

}  // namespace ppgnn::graph
