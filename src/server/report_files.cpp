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

Result<void> read_reports(const std::filesystem::path& path, const graph::Dataset& dataset, std::span<FileRound> rounds,
                          const ReportChoice& choice) {
  std::vector<bool> seen(dataset.num_nodes(), false);
  for (const FileRound& round : rounds) {
    for (const ldp::NodeReport& report : round.reports) seen[report.node] = true;
  }
  bool any = false;
  const auto take = [&](graph::NodeId node, std::string_view value) -> std::string {
    const auto bytes = from_hex(value);
    if (!bytes) return "report: not hexadecimal";
    const std::optional<Digest> plan = wire::plan_of(*bytes);
    FileRound* round = &rounds.back();
    for (FileRound& one : rounds) {
      if (plan == one.plan->hash()) round = &one;
    }
    admission::Round rules{round->plan, choice.round, round->declared, choice.allow_seeded};
    if (!rules.number && !round->reports.empty()) rules.number = round->reports.front().report.round;
    admission::Verdict verdict =
        admission::admit(rules, round->person ? round->person(node) : admission::Person(), *bytes);
    if (verdict.reason == admission::Reason::other_round) {
      return choice.round ? "" : verdict.why + ", as in the reports before it: choose one with --round";
    }
    if (verdict.reason == admission::Reason::seeded) return verdict.why + " (--allow-seeded takes it all the same)";
    if (!verdict) return std::move(verdict.why);
    if (seen[node]) return "node '" + dataset.nodes.name(node) + "' occurs twice";
    seen[node] = any = true;
    round->reports.push_back({node, std::move(*verdict.report)});
    return {};
  };
  Result<void> read = graph::read_node_lines(path, dataset.nodes, "report", take, graph::Repeats::allow);
  if (!read) return read;
  if (choice.round && !any) {
    return Error{ErrorCode::malformed,
                 io::input_name(path) + ": there is no report of round " + std::to_string(*choice.round)};
  }
  return {};
}

Result<std::vector<ldp::NodeReport>> read_reports(const std::filesystem::path& path, const graph::Dataset& dataset,
                                                  const ldp::Plan& plan, const ReportChoice& choice) {
  FileRound round{.plan = &plan};
  if (Result<void> read = read_reports(path, dataset, {&round, 1}, choice); !read) return read.error();
  return std::move(round.reports);
}

}  // namespace ppgnn::server
