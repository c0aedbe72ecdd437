#include "ppgnn/graph/plain.hpp"

#include <algorithm>
#include <functional>
#include <system_error>
#include <unordered_set>

#include "graph/npy.hpp"
#include "graph/sparse_rows.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/graph/csv.hpp"
#include "ppgnn/graph/files.hpp"
#include "ppgnn/graph/labels.hpp"

namespace ppgnn::graph {

namespace {

bool is_npy(const NamedBytes& file) {
  return file.bytes.starts_with(kNpyMagic);
}

// Calls record(reader) for each record that is no comment, until one fails.
Result<void> for_each_record(const NamedBytes& file, const std::function<Result<void>(const CsvReader&)>& record) {
  auto reader = CsvReader::make(file, guess_separator(file.bytes));
  if (!reader) return reader.error();
  for (;;) {
    const auto more = reader->next();
    if (!more) return more.error();
    if (!*more) return {};
    if (reader->fields()[0].starts_with('#')) continue;
    if (auto done = record(*reader); !done) return done;
  }
}

// A text table with a header: what each line is called, and the rest of its fields.
struct Table {
  std::vector<std::string> header;
  std::vector<std::string> nodes;
  std::vector<std::vector<std::string>> cells;
  std::vector<std::size_t> lines;  // where each row begins
};

Result<Table> read_table(const NamedBytes& file) {
  Table table;
  std::unordered_set<std::string> seen;
  auto done = for_each_record(file, [&](const CsvReader& reader) -> Result<void> {
    const auto fields = reader.fields();
    if (table.header.empty()) {
      if (fields.size() < 2) return reader.error("the header needs a node and at least one more field");
      table.header.assign(fields.begin() + 1, fields.end());
      return {};
    }
    if (fields.size() != table.header.size() + 1) {
      return reader.error("it has " + std::to_string(fields.size()) + " fields, the header " +
                          std::to_string(table.header.size() + 1));
    }
    table.nodes.emplace_back(fields[0]);
    if (!seen.insert(table.nodes.back()).second) {
      return reader.error("node '" + table.nodes.back() + "' occurs twice");
    }
    table.cells.emplace_back(fields.begin() + 1, fields.end());
    table.lines.push_back(reader.line());
    return {};
  });
  if (!done) return done.error();
  if (table.header.empty()) return at_line(file.name, 1, "the header is missing");
  return table;
}

// Names of their own, unless they are just the numbers of the rows.
Result<NodeNames> name_nodes(const std::vector<std::string>& names) {
  bool numbered = true;
  for (std::size_t i = 0; i < names.size() && numbered; ++i) numbered = names[i] == std::to_string(i);
  if (numbered) return NodeNames(names.size());
  return NodeNames::make(StringList(names));
}

struct Labels {
  NodeNames nodes;
  NamedLabels named;
};

Result<Labels> read_labels(const NamedBytes& file) {
  std::vector<std::string> classes;
  std::vector<std::string> names;
  if (is_npy(file)) {
    const auto array = parse_npy(file);
    if (!array) return array.error();
    if (array->shape.size() != 1) return at_byte(file.name, 0, "labels need an array of one dimension");
    for (const double value : array->elements()) {
      const auto label = as_index(value, std::numeric_limits<std::int32_t>::max());
      if (!label && !(value < 0))
        return at_byte(file.name, 0, "entry " + std::to_string(classes.size()) + " is no class number");
      classes.push_back(label ? std::to_string(*label) : "");
    }
    return Labels{NodeNames(classes.size()), number_classes(classes)};
  }
  auto table = read_table(file);
  if (!table) return table.error();
  for (auto& row : table->cells) classes.push_back(std::move(row[0]));
  auto nodes = name_nodes(table->nodes);
  if (!nodes) return in_file(file.name, nodes.error());
  return Labels{std::move(*nodes), number_classes(classes)};
}

struct Rows {
  NodeNames nodes;
  std::vector<SparseRow> rows;
  std::vector<std::string> columns;  // names; empty for a NumPy matrix
  std::size_t cols = 0;
};

Result<Rows> read_rows(const NamedBytes& file) {
  Rows result;
  if (is_npy(file)) {
    const auto array = parse_npy(file);
    if (!array) return array.error();
    if (array->shape.size() != 2 || array->data.empty())
      return at_byte(file.name, 0, "features need a matrix that is not empty");
    const std::size_t num_rows = array->shape[0];
    result.cols = array->shape[1];
    const std::vector<double> values = array->elements();
    result.rows.resize(num_rows);
    for (std::size_t row = 0; row < num_rows; ++row) {
      for (std::size_t col = 0; col < result.cols; ++col) {
        const bool by_row = array->order == NpyOrder::row_major;
        const double value = values[by_row ? row * result.cols + col : col * num_rows + row];
        if (value != 0) result.rows[row].push_back({static_cast<std::uint32_t>(col), static_cast<float>(value)});
      }
    }
    result.nodes = NodeNames(num_rows);
    return result;
  }
  auto table = read_table(file);
  if (!table) return table.error();
  auto nodes = name_nodes(table->nodes);
  if (!nodes) return in_file(file.name, nodes.error());
  result.nodes = std::move(*nodes);
  result.columns = std::move(table->header);
  result.cols = result.columns.size();
  for (const auto& cells : table->cells) {
    SparseRow& row = result.rows.emplace_back();
    for (std::size_t col = 0; col < cells.size(); ++col) {
      const auto value = parse_number(cells[col]);
      if (!value) {
        return at_line(file.name, table->lines[result.rows.size() - 1],
                       "column '" + result.columns[col] + "' is no number");
      }
      if (*value != 0) row.push_back({static_cast<std::uint32_t>(col), static_cast<float>(*value)});
    }
  }
  return result;
}

// The feature rows in the order of `nodes`.
Result<Features> order_features(Rows features, const NodeNames& nodes, const std::string& file) {
  std::vector<SparseRow> rows(nodes.size());
  if (features.nodes.size() != nodes.size()) {
    return Error{ErrorCode::mismatch, file + ": it has " + std::to_string(features.nodes.size()) + " rows for " +
                                          std::to_string(nodes.size()) + " labelled nodes"};
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::string name = features.nodes.name(static_cast<NodeId>(row));
    const auto node = nodes.find(name);
    if (!node) return in_file(file, {ErrorCode::mismatch, "node '" + name + "' has no label line"});
    rows[*node] = std::move(features.rows[row]);
  }
  auto built = make_features(std::move(rows), features.cols, StringList(features.columns));
  if (!built) return in_file(file, built.error());
  return built;
}

Result<std::vector<Edge>> read_edges(const NamedBytes& file, const NodeNames& nodes) {
  std::vector<Edge> edges;
  bool first = true;
  auto done = for_each_record(file, [&](const CsvReader& reader) -> Result<void> {
    const auto fields = reader.fields();
    const bool may_be_header = std::exchange(first, false);
    if (fields.size() != 2) return reader.error("not two nodes");
    const auto source = nodes.find(fields[0]);
    const auto target = nodes.find(fields[1]);
    if (source && target) {
      edges.push_back({*source, *target});
    } else if (!may_be_header || source || target) {
      return reader.error("'" + std::string(fields[source ? 1 : 0].substr(0, 80)) + "' is no node");
    }
    return {};
  });
  if (!done) return done.error();
  return edges;
}

// The nodes of an edge list that comes alone: the numbers that occur.
Result<NodeNames> nodes_of_edges(const NamedBytes& file) {
  std::vector<std::uint64_t> ids;
  bool first = true;
  auto done = for_each_record(file, [&](const CsvReader& reader) -> Result<void> {
    const bool may_be_header = std::exchange(first, false);
    if (reader.fields().size() != 2) return reader.error("not two nodes");
    const auto source = parse_unsigned(reader.fields()[0]);
    const auto target = parse_unsigned(reader.fields()[1]);
    if (source && target) {
      ids.insert(ids.end(), {*source, *target});
    } else if (!may_be_header) {
      return reader.error("not two whole numbers (only a labels or features file can name nodes by text)");
    }
    return {};
  });
  if (!done) return done.error();
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::vector<std::string> names;
  names.reserve(ids.size());
  for (const std::uint64_t id : ids) names.push_back(std::to_string(id));
  return name_nodes(names);
}

// The first of stem.csv, .tsv, .txt, .npy that exists.
std::optional<std::filesystem::path> find_file(const std::filesystem::path& folder, const char* stem,
                                               std::initializer_list<const char*> extensions) {
  for (const char* extension : extensions) {
    std::filesystem::path path = folder / (std::string(stem) + extension);
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return std::nullopt;
}

}  // namespace

Result<Dataset> parse_plain(const PlainFiles& files, const std::string& name) {
  Dataset dataset;
  dataset.name = name;
  std::optional<Rows> rows;
  if (files.features) {
    auto read = read_rows(*files.features);
    if (!read) return read.error();
    rows = std::move(*read);
  }
  if (files.labels) {
    auto labels = read_labels(*files.labels);
    if (!labels) return labels.error();
    dataset.nodes = std::move(labels->nodes);
    dataset.labels = std::move(labels->named.labels);
    dataset.class_names = labels->named.class_names;
  } else {
    auto nodes = rows ? Result<NodeNames>(rows->nodes) : nodes_of_edges(files.edges);
    if (!nodes) return nodes.error();
    dataset.nodes = std::move(*nodes);
    dataset.labels = std::vector<std::int32_t>(dataset.nodes.size(), kUnknown);
  }
  auto features =
      rows ? order_features(std::move(*rows), dataset.nodes, files.features->name) : no_features(dataset.nodes.size());
  if (!features) return features.error();
  dataset.features = std::move(*features);
  auto edges = read_edges(files.edges, dataset.nodes);
  if (!edges) return edges.error();
  auto graph = build_graph(dataset.nodes.size(), std::move(*edges));
  if (!graph) return in_file(files.edges.name, graph.error());
  dataset.graph = std::move(*graph);
  return dataset;
}

bool is_plain(const std::filesystem::path& folder) {
  return find_file(folder, "edges", {".csv", ".tsv", ".txt"}).has_value();
}

Result<Dataset> read_plain(const std::filesystem::path& folder) {
  const auto edges = find_file(folder, "edges", {".csv", ".tsv", ".txt"});
  if (!edges) return Error{ErrorCode::io, folder.string() + ": there is no edges.csv, edges.tsv or edges.txt"};
  const auto labels = find_file(folder, "labels", {".csv", ".tsv", ".txt", ".npy"});
  const auto features = find_file(folder, "features", {".csv", ".tsv", ".txt", ".npy"});
  std::vector<std::filesystem::path> paths{*edges};
  if (labels) paths.push_back(*labels);
  if (features) paths.push_back(*features);
  const auto read = read_files(paths);
  if (!read) return read.error();
  PlainFiles files{(*read)[0].view(), {}, {}};
  if (labels) files.labels = (*read)[1].view();
  if (features) files.features = read->back().view();
  std::error_code ignored;
  return parse_plain(files, std::filesystem::absolute(folder, ignored).lexically_normal().filename().string());
}

}  // namespace ppgnn::graph
