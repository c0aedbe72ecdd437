#pragma once

#include <filesystem>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/io/named_bytes.hpp"
#include "ppgnn/ldp/plan.hpp"

/// Schemas and plans as files: what a device and whoever makes or audits a plan needs, and no server.
namespace ppgnn::plan_files {

/// Reads a schema: CSV with the header `name,count,kind,low,high,absent`, one line per group of columns.
///
/// Errors  malformed, naming file and line.
[[nodiscard]] Result<std::vector<ldp::ColumnGroup>> parse_schema(const io::NamedBytes& file);
/// parse_schema of the file at `path`.
[[nodiscard]] Result<std::vector<ldp::ColumnGroup>> read_schema(const std::filesystem::path& path);

/// The plan in a file; errors name the file.
[[nodiscard]] Result<ldp::Plan> read_plan(const std::filesystem::path& path);

}  // namespace ppgnn::plan_files
