#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/graph/registry.hpp"

namespace ppgnn::graph {

struct LoadOptions {
  std::filesystem::path data_folder;  ///< where the published data sets are; empty: only paths and generated ones
  MissingFeatures missing_features = MissingFeatures::refuse;
  MissingLabels missing_labels = MissingLabels::unknown;  ///< of files of others; a stored graph has said what it means
};

/// The data set that a user names: a published one ("cora"), a generated one ("synthetic:social,nodes=5000"), or a path
/// to a stored graph, an .npz archive, an edge list, a Matrix Market file, or a folder in the plain, MUSAE or Planetoid form. docs/data.md has them all.
///
/// Of a folder or an archive, a note says what was not read; hidden files, README*, LICENSE* and *.md do not count.
///
/// Errors  invalid_argument, listing the names, when it is none of these; those of the reader.
[[nodiscard]] Result<Dataset> load(const std::string& name, const LoadOptions& options);

/// The files that load takes for this name, also those that are missing; of generated data none. With `beside`: what it
/// would take if a file of that name were in the folder too.
[[nodiscard]] std::vector<std::filesystem::path> files_of(const std::string& name, const LoadOptions& options,
                                                          const std::string& beside = {});

}  // namespace ppgnn::graph
