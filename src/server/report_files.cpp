#include "ppgnn/server/report_files.hpp"

#include <string>
#include <string_view>

#include "ppgnn/graph/node_lines.hpp"
#include "ppgnn/io/csv.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/wire/report_format.hpp"

namespace ppgnn::server {

Result<void> write_reports(const std::filesystem::path& path, const graph::Dataset& dataset,
                           std::span<const EncodedReport> reports) {
  std::string text = "node,report\n";
  for (const EncodedReport& report : reports) {
    text += io::csv_field(dataset.nodes.name(report.node)) + ',' + to_hex(report.bytes) + '\n';
  }
  return io::write_text(path, text);
}

Result<std::vector<calibrate::NodeReport>> read_reports(const std::filesystem::path& path,
                                                        const graph::Dataset& dataset, const ldp::Plan& plan) {
  std::vector<calibrate::NodeReport> reports;
  const auto take = [&](graph::NodeId node, std::string_view value) -> std::string {
    const auto bytes = from_hex(value);
    if (!bytes) return "report: not hexadecimal";
    Result<ldp::Report> report = wire::decode(plan, *bytes);
    if (!report) return report.error().message;
    reports.push_back({node, std::move(report).value()});
    return {};
  };
  if (Result<void> read = graph::read_node_lines(path, dataset.nodes, "report", take); !read) return read.error();
  return reports;
}

}  // namespace ppgnn::server
