#pragma once

#include <filesystem>
#include <string>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/io/named_bytes.hpp"

namespace ppgnn::graph {

/// Contents of the Planetoid files of one data set. x and y repeat the first rows of allx and ally and are not read.
struct PlanetoidFiles {
  io::NamedBytes allx, ally, tx, ty, graph, test_index;
};

/// Reads a citation network in the Planetoid form: Python 2 pickles, interpreted by a closed list of opcodes and
/// names, never executed.
///
/// Labels   Classes are the columns of ally and ty that occur, called by their number. A zero label vector, and a test
///          node that tx and ty leave out (CiteSeer has 15), is kUnknown (Planetoid's own code reads it as class 0).
///          Such a node has no features.
/// Edges    Symmetrised, repeats counted once, self-loops left out: so do all who publish results on these files.
/// Errors   malformed, naming file and byte offset or line; mismatch when the files are not of one data set.
/// Source   Yang, Cohen, Salakhutdinov, Revisiting semi-supervised learning with graph embeddings, 2016.
[[nodiscard]] Result<Dataset> parse_planetoid(const PlanetoidFiles& files, const std::string& name);

/// parse_planetoid of the files `ind.<name>.*` in `folder`.
[[nodiscard]] Result<Dataset> read_planetoid(const std::filesystem::path& folder, const std::string& name);

}  // namespace ppgnn::graph
