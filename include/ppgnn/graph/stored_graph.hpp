#pragma once

#include <filesystem>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"

namespace ppgnn::graph {

/// First bytes of a stored graph.
inline constexpr std::string_view kStoredGraphMagic = "PPGNNGRF";

/// Writes a data set as one file, laid out as docs/formats/graph.md says. Notes are not stored.
///
/// Errors  As check() for a data set whose parts do not belong together; io. The file appears complete or not at all.
[[nodiscard]] Result<void> write_stored_graph(const Dataset& dataset, const std::filesystem::path& path);

/// Maps a stored data set; its arrays are the file's own bytes, nothing is copied.
///
/// Errors  io; malformed, naming file and byte offset, for a file that is truncated, has a flipped byte, or whose
///         arrays are no valid graph. Whatever the bytes are, a data set that is returned is safe to use.
/// Cost    One pass to check the checksums, one to check the arrays.
[[nodiscard]] Result<Dataset> open_stored_graph(const std::filesystem::path& path);

}  // namespace ppgnn::graph
