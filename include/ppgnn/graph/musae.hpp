#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/io/named_bytes.hpp"

namespace ppgnn::graph {

/// Contents of the three files of a MUSAE / SNAP data set. Without features the data set has no feature columns.
struct MusaeFiles {
  io::NamedBytes edges;                    ///< CSV: two node numbers a line; another first line is a header
  io::NamedBytes target;                   ///< CSV with a header: node number first, class last; one line a node
  std::optional<io::NamedBytes> features;  ///< JSON: {"node": [column, ...], ...}
};

/// Where those files are.
struct MusaePaths {
  std::filesystem::path edges;
  std::filesystem::path target;
  std::optional<std::filesystem::path> features;
};

/// Reads a social network in the MUSAE / SNAP form. Nodes are 0 .. lines of `target` - 1.
///
/// Labels    Classes that are whole numbers keep their order and are called by their number; others are sorted by
///           name. An empty class is kUnknown.
/// Features  The listed columns are 1 (binary by the format); a node that is not mentioned has an empty row. The
///           largest column must be below the file's length in bytes.
/// Edges     Symmetrised, repeats counted once, self-loops kept.
/// Errors    malformed, naming file and line (CSV) or byte and node (JSON).
/// Source    Rozemberczki, Allen, Sarkar, Multi-scale attributed node embedding, 2021.
[[nodiscard]] Result<Dataset> parse_musae(const MusaeFiles& files, const std::string& name);

/// parse_musae of the files at `paths`.
[[nodiscard]] Result<Dataset> read_musae(const MusaePaths& paths, const std::string& name);

}  // namespace ppgnn::graph
