#include "ppgnn/server/report_files.hpp"

#include <string>
#include <string_view>

#include "ppgnn/graph/node_lines.hpp"
#include "ppgnn/io/csv.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::server {

Result<void> write_reports(const std::filesystem::path& path, const graph::Dataset& dataset,
                           std::span<const wire::EncodedReport> reports) {
  std::string text = "node,report\n";
  for (const wire::EncodedReport& report : reports) {
    text += io::csv_field(dataset.nodes.name(report.node)) + ',' + to_hex(report.bytes) + '\n';
  }
  return io::write_text(path, text);
}

Result<std::vector<ldp::NodeReport>> read_reports(const std::filesystem::path& path, const graph::Dataset& dataset,
                                                  const ldp::Plan& plan, const ReportChoice& choice) {
  std::vector<ldp::NodeReport> reports;
  std::vector<bool> seen(dataset.num_nodes(), false);
  const auto take = [&](graph::NodeId node, std::string_view value) -> std::string {
    const auto bytes = from_hex(value);
    if (!bytes) return "report: not hexadecimal";
    Result<ldp::Report> report = wire::decode(plan, *bytes);
    if (!report) return report.error().message;
    if (choice.round && report->round != *choice.round) return {};
    if (report->seeded && !choice.allow_seeded) {
      return "report: made from a seed, for research: it protects nobody (--allow-seeded takes it all the same)";
    }
    if (!reports.empty() && report->round != reports.front().report.round) {
      return "report: of round " + std::to_string(report->round) + ", after reports of round " +
             std::to_string(reports.front().report.round) + ": choose one with --round";
    }
    if (seen[node]) return "node '" + dataset.nodes.name(node) + "' occurs twice";
    seen[node] = true;
    reports.push_back({node, std::move(report).value()});
    return {};
  };
  Result<void> read = graph::read_node_lines(path, dataset.nodes, "report", take, graph::Repeats::allow);
  if (!read) return read.error();
  if (choice.round && reports.empty()) {
    return Error{ErrorCode::malformed,
                 io::input_name(path) + ": there is no report of round " + std::to_string(*choice.round)};
  }
  return reports;
}

}  // namespace ppgnn::server
