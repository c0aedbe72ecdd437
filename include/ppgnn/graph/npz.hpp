#pragma once

#include <filesystem>
#include <string>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/io/named_bytes.hpp"

namespace ppgnn::graph {

/// Reads a NumPy archive in the layout of gnn-benchmark: adj_{data,indices,indptr,shape}, attr_{...}, labels; stored
/// or deflated. Other members are never opened (they may be Python pickles), and a note names them. attr_* and labels
/// may be missing. Without adj_*: the parts of PyTorch Geometric (edge_index, x, y), or one square matrix as
/// scipy.sparse.save_npz writes it (CSR, CSC or COO), which is the graph alone.
///
/// Labels  Classes are the numbers that occur, called by their number; a negative one is kUnknown.
/// Edges   Entries of adj that are not 0; symmetrised, self-loops kept.
/// Errors  malformed, naming the archive, the member and a byte offset. An archive that would unpack to more than 64
///         MiB and more than 64 times its length is refused.
/// Source  Shchur and others, Pitfalls of graph neural network evaluation, 2018.
[[nodiscard]] Result<Dataset> parse_npz(const io::NamedBytes& file, const std::string& name);

/// parse_npz of the file at `path`; the data set is called by the file's name without its extension.
[[nodiscard]] Result<Dataset> read_npz(const std::filesystem::path& path);

}  // namespace ppgnn::graph
