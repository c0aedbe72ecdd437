#pragma once

#include <filesystem>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/ldp/plan.hpp"

/// Questions as files, by the outside names of the nodes. docs/formats/files.md.
namespace ppgnn::server {

/// Writes `node,question` lines, the question as hexadecimal digits of its bytes. The file appears complete or not at all.
[[nodiscard]] Result<void> write_questions(const std::filesystem::path& path, const graph::Dataset& dataset,
                                           const ldp::Questions& questions);

/// Reads what write_questions wrote.
///
/// Errors  malformed, naming file and line, for an unknown node, a node twice, or bytes that are no question of this plan;
///         invalid_argument where the plan asks none.
[[nodiscard]] Result<ldp::Questions> read_questions(const std::filesystem::path& path, const graph::Dataset& dataset,
                                                    const ldp::Plan& plan);

}  // namespace ppgnn::server
