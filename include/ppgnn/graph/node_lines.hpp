#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/io/named_bytes.hpp"

/// Files of one line per node, by the outside names of the nodes. docs/formats/files.md.
namespace ppgnn::graph {

/// Takes the value of a node, or says what is wrong with it.
using NodeLineTaker = std::function<std::string(NodeId node, std::string_view value)>;

/// What to do with a second line of a node.
enum class Repeats { refuse, allow };

/// Calls take(node, value) for every `node,<what>` line after that header.
///
/// Errors  malformed, naming file and line, for another form, an unknown node, a node twice (unless repeats are
///         allowed), or a value refused.
[[nodiscard]] Result<void> parse_node_lines(const io::NamedBytes& file, const NodeNames& nodes, const std::string& what,
                                            const NodeLineTaker& take, Repeats repeats = Repeats::refuse);
/// parse_node_lines of the file at `path`.
[[nodiscard]] Result<void> read_node_lines(const std::filesystem::path& path, const NodeNames& nodes,
                                           const std::string& what, const NodeLineTaker& take,
                                           Repeats repeats = Repeats::refuse);

/// The data set with the labels of a file of `node,class` lines instead of its own. Nodes left out and empty classes
/// are unknown. Data without classes gets them from the file, numbered as in any data set.
///
/// Errors  malformed, naming file and line, for an unknown node, a node twice, or a class that the data does not have.
[[nodiscard]] Result<Dataset> with_labels(Dataset dataset, const io::NamedBytes& file);
/// with_labels of the file at `path`.
[[nodiscard]] Result<Dataset> with_labels(Dataset dataset, const std::filesystem::path& path);

}  // namespace ppgnn::graph
