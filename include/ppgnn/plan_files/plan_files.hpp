#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/io/named_bytes.hpp"
#include "ppgnn/ldp/plan.hpp"

/// Schemas, plans and one person's features as files: what a device and whoever makes or audits a plan needs, and no
/// server.
namespace ppgnn::plan_files {

/// Reads a schema: CSV with the header `name,count,kind,low,high,absent`, one line per group of columns.
///
/// Errors  malformed, naming file and line.
[[nodiscard]] Result<std::vector<ldp::ColumnGroup>> parse_schema(const io::NamedBytes& file);
/// parse_schema of the file at `path`.
[[nodiscard]] Result<std::vector<ldp::ColumnGroup>> read_schema(const std::filesystem::path& path);

/// One person's features: the columns that are not absent, ascending, and their values.
struct Features {
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
};

/// Reads features: CSV with the header `column,value`, one line a column that is not absent, in any order. A column goes
/// by its number, from 0, or by its name in the plan.
///
/// Errors  malformed, naming file and line and nothing that stands there: it is the person's.
[[nodiscard]] Result<Features> parse_features(const io::NamedBytes& file, const ldp::Schema& schema);
/// parse_features of the file at `path`.
[[nodiscard]] Result<Features> read_features(const std::filesystem::path& path, const ldp::Schema& schema);

/// The plan in a file; errors name the file.
[[nodiscard]] Result<ldp::Plan> read_plan(const std::filesystem::path& path);

}  // namespace ppgnn::plan_files
