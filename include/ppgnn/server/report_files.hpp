#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "ppgnn/calibrate/collect.hpp"
#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/ldp/plan.hpp"

/// Reports as files, by the outside names of the nodes. docs/formats/files.md.
namespace ppgnn::server {

/// What one person's device sent.
struct EncodedReport {
  graph::NodeId node = 0;
  std::vector<std::uint8_t> bytes;  ///< docs/formats/report.md
};

/// Writes `node,report` lines, the report as hexadecimal digits of its bytes. The file appears complete or not at all.
[[nodiscard]] Result<void> write_reports(const std::filesystem::path& path, const graph::Dataset& dataset,
                                         std::span<const EncodedReport> reports);

/// Reads what write_reports wrote. People without a report are allowed.
///
/// Errors  malformed, naming file and line, for an unknown node, a node twice, or bytes that are no report of this
///         plan.
[[nodiscard]] Result<std::vector<calibrate::NodeReport>> read_reports(const std::filesystem::path& path,
                                                                      const graph::Dataset& dataset,
                                                                      const ldp::Plan& plan);

}  // namespace ppgnn::server
