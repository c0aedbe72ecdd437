#pragma once

#include <filesystem>
#include <string>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/io/named_bytes.hpp"

namespace ppgnn::graph {

/// Reads a square sparse matrix in the Matrix Market form as the graph alone: `%%MatrixMarket matrix coordinate FIELD
/// SYMMETRY`, comments, rows, columns and entries, then one entry per line, counted from 1. Nodes are called "0", "1", ...
///
/// Labels  None.
/// Edges   Entries that are not 0, of any field and symmetry; symmetrised, self-loops kept.
/// Errors  malformed, naming file and line; a matrix that is not square, or not sparse, by what was found.
/// Source  Boisvert and others, The Matrix Market exchange formats, 1996.
[[nodiscard]] Result<Dataset> parse_matrix_market(const io::NamedBytes& file, const std::string& name);

/// parse_matrix_market of the file at `path`; the data set is called by the file's name without its extension.
[[nodiscard]] Result<Dataset> read_matrix_market(const std::filesystem::path& path);

}  // namespace ppgnn::graph
