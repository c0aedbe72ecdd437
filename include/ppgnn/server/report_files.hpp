#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ppgnn/admission/admission.hpp"
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

/// A round of a campaign whose reports are in files.
struct FileRound {
  const ldp::Plan* plan = nullptr;
  bool declared = false;                                             ///< as in admission::Round
  std::function<admission::Person(graph::NodeId node)> person = {};  ///< empty: everybody is asked, and no question
  std::vector<ldp::NodeReport> reports = {};                         ///< that were read
};

/// Reads what write_reports wrote and adds each report to its round, the one whose plan it names. People without a report
/// are allowed.
///
/// Errors  malformed, naming file and line, for an unknown node, a node twice, bytes that are no report of these plans, and
///         what admission::admit refuses; naming the file where the chosen round has no report.
[[nodiscard]] Result<void> read_reports(const std::filesystem::path& path, const graph::Dataset& dataset,
                                        std::span<FileRound> rounds, const ReportChoice& choice);

/// The same of one plan, for which everybody may report.
[[nodiscard]] Result<std::vector<ldp::NodeReport>> read_reports(const std::filesystem::path& path,
                                                                const graph::Dataset& dataset, const ldp::Plan& plan,
                                                                const ReportChoice& choice = {});

}  // namespace ppgnn::server
