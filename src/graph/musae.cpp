#include "ppgnn/graph/musae.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ppgnn/core/number.hpp"
#include "ppgnn/graph/labels.hpp"
#include "ppgnn/io/csv.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::graph {

namespace {

std::optional<NodeId> node_number(std::string_view text, std::size_t nodes) {
  const auto number = parse_unsigned(text);
  return number && *number < nodes ? std::optional(static_cast<NodeId>(*number)) : std::nullopt;
}

// The class texts by node. The number of nodes is the number of lines, so that it is bounded by the file.
Result<std::vector<std::string>> read_target(const io::NamedBytes& file) {
  auto reader = io::CsvReader::make(file, io::Separator::comma);
  if (!reader) return reader.error();
  struct Line {
    std::uint64_t node;
    std::string text;
    std::size_t line;
  };
  std::vector<Line> lines;
  std::size_t width = 0;
  for (;;) {
    const auto more = reader->next();
    if (!more) return more.error();
    if (!*more) break;
    const auto fields = reader->fields();
    if (width == 0) {
      width = fields.size();
      if (width < 2) return reader->error("the header needs at least a node and a class");
      continue;
    }
    const auto node = parse_unsigned(fields[0]);
    if (fields.size() != width || !node) {
      return reader->error("not " + std::to_string(width) + " fields that start with a node number");
    }
    lines.push_back({*node, std::string(fields.back()), reader->line()});
  }
  std::vector<std::string> texts(lines.size());
  std::vector<char> seen(lines.size(), 0);
  for (Line& line : lines) {
    if (line.node >= lines.size() || seen[line.node] != 0) {
      return io::at_line(file.name, line.line,
                         "node " + std::to_string(line.node) + " is not below the number of lines (" +
                             std::to_string(lines.size()) + ") or occurs twice");
    }
    seen[line.node] = 1;
    texts[line.node] = std::move(line.text);
  }
  return texts;
}

Result<std::vector<Edge>> read_edges(const io::NamedBytes& file, std::size_t nodes) {
  auto reader = io::CsvReader::make(file, io::Separator::comma);
  if (!reader) return reader.error();
  std::vector<Edge> edges;
  for (bool header = true;; header = false) {
    const auto more = reader->next();
    if (!more) return more.error();
    if (!*more) return edges;
    const auto fields = reader->fields();
    const auto source = fields.size() == 2 ? node_number(fields[0], nodes) : std::nullopt;
    const auto target = source ? node_number(fields[1], nodes) : std::nullopt;
    // A first line without any number is a header; one with a wrong number is an edge that would be lost.
    if (header && std::none_of(fields.begin(), fields.end(), [](auto field) { return parse_unsigned(field); }))
      continue;
    if (!target) return reader->error("not two node numbers below " + std::to_string(nodes));
    edges.push_back({*source, *target});
  }
}

// Receives the parser's events for {"node": [column, ...], ...} and refuses every other form.
class FeatureEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  FeatureEvents(const io::NamedBytes& file, std::size_t nodes) : file_(file), rows_(nodes), seen_(nodes, 0) {}

  bool start_object(std::size_t) override { return ++depth_ == 1 || refuse("an object inside the object"); }
  bool end_object() override { return true; }
  bool key(std::string& text) override {
    const auto node = node_number(text, rows_.size());
    if (!node) return refuse("key '" + text.substr(0, 40) + "' is no node below " + std::to_string(rows_.size()));
    if (seen_[*node] != 0) return refuse("node " + text + " occurs twice");
    seen_[*node] = 1;
    node_ = *node;
    return true;
  }
  bool start_array(std::size_t) override { return ++depth_ == 2 || refuse("a list where none belongs"); }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool number_unsigned(std::uint64_t column) override {
    if (depth_ != 2) return refuse("a number outside a list");
    if (column >= file_.bytes.size()) {
      return refuse("node " + std::to_string(node_) + ": column " + std::to_string(column) +
                    " is larger than the file is long");
    }
    rows_[node_].push_back({static_cast<std::uint32_t>(column), 1.0F});
    return true;
  }
  bool number_integer(std::int64_t) override { return refuse("a negative column"); }
  bool number_float(double, const std::string&) override { return refuse("a column that is no whole number"); }
  bool null() override { return refuse("null"); }
  bool boolean(bool) override { return refuse("a boolean"); }
  bool string(std::string&) override { return refuse("a text"); }
  bool binary(nlohmann::json::binary_t&) override { return refuse("binary data"); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    error_ = io::at_byte(file_.name, position, "this is not JSON");
    return false;
  }

  std::vector<std::vector<FeaturesBuilder::Entry>>& rows() { return rows_; }
  [[nodiscard]] const Error& error() const { return error_; }

 private:
  bool refuse(const std::string& what) {
    error_ = io::in_file(file_.name, {ErrorCode::malformed, what + " (expected {\"node\": [column, ...], ...})"});
    return false;
  }

  io::NamedBytes file_;
  std::vector<std::vector<FeaturesBuilder::Entry>> rows_;
  std::vector<char> seen_;
  NodeId node_ = 0;
  std::size_t depth_ = 0;
  Error error_;
};

Result<Features> read_features(const io::NamedBytes& file, std::size_t nodes) {
  FeatureEvents events(file, nodes);
  if (!nlohmann::json::sax_parse(file.bytes, &events)) return events.error();
  FeaturesBuilder builder;
  for (std::size_t row = 0; row < nodes; ++row) {
    if (const auto added = builder.add_row(events.rows()[row]); !added) {
      return io::in_file(file.name + ": node " + std::to_string(row), added.error());
    }
  }
  const std::size_t columns = builder.columns_seen();
  return std::move(builder).finish(columns, SchemaOrigin::declared);
}

}  // namespace

Result<Dataset> parse_musae(const MusaeFiles& files, const std::string& name) {
  const auto classes = read_target(files.target);
  if (!classes) return classes.error();
  const std::size_t nodes = classes->size();
  auto edges = read_edges(files.edges, nodes);
  if (!edges) return edges.error();
  auto features = files.features ? read_features(*files.features, nodes) : no_features(nodes);
  if (!features) return features.error();
  auto graph = build_graph(nodes, std::move(*edges));
  if (!graph) return io::in_file(files.edges.name, graph.error());
  NamedLabels named = number_classes(*classes);
  return Dataset{
      name, std::move(*graph), std::move(*features), std::move(named.labels), named.class_names, NodeNames(nodes), {}};
}

Result<Dataset> read_musae(const MusaePaths& paths, const std::string& name) {
  std::vector<std::filesystem::path> all{paths.edges, paths.target};
  if (paths.features) all.push_back(*paths.features);
  const auto files = io::read_files(all);
  if (!files) return files.error();
  const auto file = [&](std::size_t index) { return (*files)[index].view(); };
  return parse_musae({file(0), file(1), paths.features ? std::optional(file(2)) : std::nullopt}, name);
}

}  // namespace ppgnn::graph
