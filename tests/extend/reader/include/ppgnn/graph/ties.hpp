#pragma once

#include <filesystem>
#include <string>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/io/named_bytes.hpp"

namespace ppgnn::graph {

/// Contents of the two files.
struct TiesFiles {
  io::NamedBytes ties;     ///< two members a line
  io::NamedBytes members;  ///< with a header: member, class
};

/// Where those files are.
struct TiesPaths {
  std::filesystem::path ties, members;
};

/// Reads ties between members, in a folder of two files.
///
/// Labels  Those of the members.
/// Edges   Symmetrised, repeats counted once.
/// Errors  malformed, naming file and line.
/// Source  Made up, to try the list in HACKING.md.
[[nodiscard]] Result<Dataset> parse_ties(const TiesFiles& files, const std::string& name);

/// parse_ties of the files at `paths`.
[[nodiscard]] Result<Dataset> read_ties(const TiesPaths& paths, const std::string& name);

}  // namespace ppgnn::graph
