#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/calibrate/feature_matrix.hpp"
#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/ldp/plan.hpp"

/// Reports, levels and schemas as files, by the outside names of the nodes. docs/formats/files.md.
namespace ppgnn::study {

/// The file appears complete or not at all.
[[nodiscard]] Result<void> write_text(const std::filesystem::path& path, std::string_view text);

/// Whether write_text could write there now; leaves nothing behind but missing folders. For before long work.
[[nodiscard]] Result<void> check_writable(const std::filesystem::path& path);

/// A field of a CSV line, quoted where it must be.
[[nodiscard]] std::string csv_field(const std::string& text);

/// Reads a schema: CSV with the header `name,count,kind,low,high,absent`, one line per group of columns.
///
/// Errors  malformed, naming file and line.
[[nodiscard]] Result<std::vector<ldp::ColumnGroup>> read_schema(const std::filesystem::path& path);

/// Writes `node,report` lines, the report as hexadecimal digits of its bytes. The file appears complete or not at all.
[[nodiscard]] Result<void> write_reports(const std::filesystem::path& path, const graph::Dataset& dataset,
                                         const ldp::Plan& plan, std::span<const calibrate::NodeReport> reports);

/// Reads what write_reports wrote. People without a report are allowed.
///
/// Errors  malformed, naming file and line, for an unknown node, a node twice, or bytes that are no report of this
/// plan.
[[nodiscard]] Result<std::vector<calibrate::NodeReport>> read_reports(const std::filesystem::path& path,
                                                                      const graph::Dataset& dataset,
                                                                      const ldp::Plan& plan);

/// The data set with the labels of a file of `node,class` lines instead of its own. Nodes left out and empty classes
/// are unknown. Data without classes gets them from the file, numbered as in any data set.
///
/// Errors  malformed, naming file and line, for an unknown node, a node twice, or a class that the data does not have.
[[nodiscard]] Result<graph::Dataset> with_labels(graph::Dataset dataset, const std::filesystem::path& path);

/// Reads `node,level` lines: every node once.
///
/// Errors  malformed, naming file and line; a level out of range is refused without naming it.
[[nodiscard]] Result<std::vector<ldp::Level>> read_levels(const std::filesystem::path& path,
                                                          const graph::Dataset& dataset, std::size_t levels);

}  // namespace ppgnn::study
