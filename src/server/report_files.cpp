#include "ppgnn/study/files.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "ppgnn/core/number.hpp"
#include "ppgnn/core/sha256.hpp"
#include "ppgnn/graph/csv.hpp"
#include "ppgnn/graph/files.hpp"
#include "ppgnn/graph/labels.hpp"
#include "ppgnn/wire/report_format.hpp"

namespace ppgnn::study {

namespace {

std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text) {
  const auto digit = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
  };
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]);
    const int low = digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<std::uint8_t>(high << 4 | low));
  }
  return bytes;
}

// Calls take(node, value) for every `node,<what>` line after that header; take returns what is wrong with the value, or
// nothing. No node may occur twice.
Result<void> read_node_lines(const std::filesystem::path& path, const graph::Dataset& dataset, const std::string& what,
                             const std::function<std::string(std::uint32_t node, std::string_view value)>& take) {
  const Result<std::string> bytes = graph::read_file(path);
  if (!bytes) return bytes.error();
  auto reader = graph::CsvReader::make({path.string(), *bytes}, graph::Separator::comma);
  if (!reader) return reader.error();
  std::vector<bool> seen(dataset.num_nodes(), false);
  bool header = true;
  while (true) {
    const Result<bool> more = reader->next();
    if (!more) return more.error();
    if (!*more) break;
    const auto fields = reader->fields();
    if (fields.size() != 2) return reader->error("expected node," + what);
    if (header) {
      header = false;
      if (fields[0] != "node" || fields[1] != what) return reader->error("expected the header node," + what);
      continue;
    }
    const std::optional<graph::NodeId> node = dataset.nodes.find(fields[0]);
    if (!node) return reader->error("node '" + std::string(fields[0]) + "' is not in the graph");
    if (seen[*node]) return reader->error("node '" + std::string(fields[0]) + "' occurs twice");
    seen[*node] = true;
    if (const std::string problem = take(*node, fields[1]); !problem.empty()) return reader->error(problem);
  }
  if (header) return graph::at_line(path.string(), 1, "expected the header node," + what);
  return {};
}

}  // namespace

Result<void> write_text(const std::filesystem::path& path, std::string_view text) {
  Result<graph::AtomicFile> file = graph::AtomicFile::create(path);
  if (!file) return file.error();
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  if (Result<void> written = file->write(bytes); !written) return written;
  return file->commit();
}

Result<void> check_writable(const std::filesystem::path& path) {
  Result<graph::AtomicFile> file = graph::AtomicFile::create(path);
  if (!file) return file.error();
  return {};
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

Result<std::vector<ldp::ColumnGroup>> read_schema(const std::filesystem::path& path) {
  const Result<std::string> bytes = graph::read_file(path);
  if (!bytes) return bytes.error();
  auto reader = graph::CsvReader::make({path.string(), *bytes}, graph::Separator::comma);
  if (!reader) return reader.error();
  constexpr std::array<std::string_view, 6> kHeader{"name", "count", "kind", "low", "high", "absent"};
  std::vector<ldp::ColumnGroup> groups;
  for (bool header = true;; header = false) {
    const Result<bool> more = reader->next();
    if (!more) return more.error();
    if (!*more) break;
    const auto fields = reader->fields();
    if (fields.size() != kHeader.size()) return reader->error("expected name,count,kind,low,high,absent");
    if (header) {
      if (!std::equal(kHeader.begin(), kHeader.end(), fields.begin())) {
        return reader->error("expected the header name,count,kind,low,high,absent");
      }
      continue;
    }
    const auto count = parse_unsigned(fields[1]);
    const auto low = parse_number(fields[3]);
    const auto high = parse_number(fields[4]);
    const auto absent = parse_number(fields[5]);
    const bool binary = fields[2] == "binary";
    if (!binary && fields[2] != "number") return reader->error("kind: must be binary or number");
    if (!count || *count < 1 || *count > ldp::kMaxColumns) return reader->error("count: not a whole number from 1");
    if (!low || !high || !absent) return reader->error("low, high, absent: not numbers");
    groups.push_back({std::string(fields[0]), static_cast<std::uint32_t>(*count),
                      binary ? ldp::ColumnKind::binary : ldp::ColumnKind::number, *low, *high, *absent});
    if (const Result<ldp::Schema> alone = ldp::Schema::make({groups.back()}); !alone) {
      const std::string& message = alone.error().message;
      constexpr std::string_view kWhere = "schema: column group 1: ";
      return reader->error(message.starts_with(kWhere) ? message.substr(kWhere.size()) : message);
    }
  }
  if (groups.empty())
    return graph::at_line(path.string(), 1,
                          "expected the header name,count,kind,low,high,absent and at least one group");
  return groups;
}

Result<void> write_reports(const std::filesystem::path& path, const graph::Dataset& dataset, const ldp::Plan& plan,
                           std::span<const calibrate::NodeReport> reports) {
  std::string text = "node,report\n";
  for (const calibrate::NodeReport& report : reports) {
    text += csv_field(dataset.nodes.name(report.node)) + ',' + to_hex(wire::encode(plan, report.report)) + '\n';
  }
  return write_text(path, text);
}

Result<std::vector<calibrate::NodeReport>> read_reports(const std::filesystem::path& path,
                                                        const graph::Dataset& dataset, const ldp::Plan& plan) {
  std::vector<calibrate::NodeReport> reports;
  const auto take = [&](std::uint32_t node, std::string_view value) -> std::string {
    const auto bytes = from_hex(value);
    if (!bytes) return "report: not hexadecimal";
    Result<ldp::Report> report = wire::decode(plan, *bytes);
    if (!report) return report.error().message;
    reports.push_back({node, std::move(report).value()});
    return {};
  };
  if (Result<void> read = read_node_lines(path, dataset, "report", take); !read) return read.error();
  return reports;
}

Result<graph::Dataset> with_labels(graph::Dataset dataset, const std::filesystem::path& path) {
  std::map<std::string, std::int32_t, std::less<>> known;
  for (std::size_t i = 0; i < dataset.num_classes(); ++i) {
    known.emplace(dataset.class_names[i], static_cast<std::int32_t>(i));
  }
  std::vector<std::int32_t> labels(dataset.num_nodes(), graph::kUnknown);
  std::vector<std::string> texts(known.empty() ? dataset.num_nodes() : 0);
  const auto take = [&](std::uint32_t node, std::string_view value) -> std::string {
    if (known.empty()) {
      texts[node] = value;
    } else if (!graph::is_unknown_class(value)) {
      const auto found = known.find(value);
      if (found == known.end()) return "class '" + std::string(value) + "' is not one of the data's";
      labels[node] = found->second;
    }
    return {};
  };
  if (Result<void> read = read_node_lines(path, dataset, "class", take); !read) return read.error();
  if (known.empty()) {
    graph::NamedLabels numbered = graph::number_classes(texts);
    labels = std::move(numbered.labels);
    dataset.class_names = std::move(numbered.class_names);
  }
  if (std::all_of(labels.begin(), labels.end(), [](std::int32_t label) { return label == graph::kUnknown; })) {
    return Error{ErrorCode::malformed, path.string() + ": no node has a class"};
  }
  dataset.labels = graph::SharedArray<std::int32_t>(std::move(labels));
  return dataset;
}

Result<std::vector<ldp::Level>> read_levels(const std::filesystem::path& path, const graph::Dataset& dataset,
                                            std::size_t levels) {
  std::vector<ldp::Level> chosen(dataset.num_nodes(), ldp::Level{0});
  const auto take = [&](std::uint32_t node, std::string_view value) -> std::string {
    const auto level = parse_unsigned(value);
    if (!level || *level < 1 || *level > levels) return "level: must be between 1 and " + std::to_string(levels);
    chosen[node] = ldp::Level{static_cast<std::uint32_t>(*level)};
    return {};
  };
  if (Result<void> read = read_node_lines(path, dataset, "level", take); !read) return read.error();
  const auto missing = std::find(chosen.begin(), chosen.end(), ldp::Level{0});
  if (missing != chosen.end()) {
    const auto node = static_cast<graph::NodeId>(missing - chosen.begin());
    return Error{ErrorCode::malformed, path.string() + ": no level for node '" + dataset.nodes.name(node) + "'"};
  }
  return chosen;
}

}  // namespace ppgnn::study
