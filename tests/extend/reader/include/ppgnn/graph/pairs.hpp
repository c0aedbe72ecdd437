#pragma once

#include <filesystem>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/io/named_bytes.hpp"

namespace ppgnn::graph {

/// Reads pairs of node numbers, one edge a line with a blank between.
///
/// Labels  None.
/// Edges   Symmetrised, repeats counted once.
/// Errors  malformed, naming the line.
/// Source  Made up, to try the list in HACKING.md.
[[nodiscard]] Result<Dataset> parse_pairs(const io::NamedBytes& file, const std::string& name);

/// parse_pairs of the file at `path`.
[[nodiscard]] Result<Dataset> read_pairs(const std::filesystem::path& path);

}  // namespace ppgnn::graph
