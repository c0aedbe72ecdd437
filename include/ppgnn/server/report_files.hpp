#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/wire/report_format.hpp"

/// Reports as files, by the outside names of the nodes. docs/formats/files.md.
namespace ppgnn::server {

/// Writes `node,report` lines, the report as hexadecimal digits of its bytes. The file appears complete or not at all.
[[nodiscard]] Result<void> write_reports(const std::filesystem::path& path, const graph::Dataset& dataset,
                                         std::span<const wire::EncodedReport> reports);

/// Which reports of a file are taken.
struct ReportChoice {
  std::optional<std::uint64_t> round;  ///< this round's only; without it all must be of one round
  bool allow_seeded = false;           ///< also reports that were made from a seed, for research
};

/// Reads what write_reports wrote. People without a report are allowed.
///
/// Errors  malformed, naming file and line, for an unknown node, a node twice in a round, bytes that are no report of
///         this plan, a seeded report, a second round where none was chosen; naming the file where the chosen round has
///         no report.
[[nodiscard]] Result<std::vector<ldp::NodeReport>> read_reports(const std::filesystem::path& path,
                                                                const graph::Dataset& dataset, const ldp::Plan& plan,
                                                                const ReportChoice& choice = {});

}  // namespace ppgnn::server
