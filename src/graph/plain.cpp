#include "ppgnn/graph/plain.hpp"

#include <algorithm>
#include <utility>

#include "graph/tables.hpp"
#include "graph/unread.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::graph {

namespace {

// The feature rows in the order of `nodes`.
Result<Features> order_features(FeatureTable features, const NodeNames& nodes, const std::string& file) {
  std::vector<SparseRow> rows(nodes.size());
  if (features.nodes.size() != nodes.size()) {
    return Error{ErrorCode::mismatch, file + ": it has " + std::to_string(features.nodes.size()) + " rows for " +
                                          std::to_string(nodes.size()) + " labelled nodes"};
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::string name = features.nodes.name(static_cast<NodeId>(row));
    const auto node = nodes.find(name);
    if (!node) return io::in_file(file, {ErrorCode::mismatch, "node '" + name + "' has no label line"});
    rows[*node] = std::move(features.rows[row]);
  }
  auto built = make_features(std::move(rows), features.cols, StringList(features.columns));
  if (!built) return io::in_file(file, built.error());
  return built;
}

Result<std::vector<Edge>> read_edges(const io::NamedBytes& file, const NodeNames& nodes) {
  std::vector<Edge> edges;
  bool first = true;
  auto done = for_each_record(file, [&](const io::CsvReader& reader) -> Result<void> {
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
Result<NodeNames> nodes_of_edges(const io::NamedBytes& file) {
  std::vector<std::uint64_t> ids;
  bool first = true;
  auto done = for_each_record(file, [&](const io::CsvReader& reader) -> Result<void> {
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

}  // namespace

Result<Dataset> parse_plain(const PlainFiles& files, const std::string& name) {
  Dataset dataset;
  dataset.name = name;
  std::optional<FeatureTable> rows;
  if (files.features) {
    auto read = parse_feature_table(*files.features);
    if (!read) return read.error();
    rows = std::move(*read);
  }
  if (files.labels) {
    auto labels = parse_label_table(*files.labels);
    if (!labels) return labels.error();
    dataset.nodes = std::move(labels->nodes);
    dataset.labels = std::move(labels->named.labels);
    dataset.class_names = labels->named.class_names;
    if (!labels->unread.empty()) {
      const std::string file = std::filesystem::path(files.labels->name).filename().string();
      dataset.notes.push_back(unread_note(std::move(labels->unread), " of " + file, "its first two columns are"));
    }
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
  if (!graph) return io::in_file(files.edges.name, graph.error());
  dataset.graph = std::move(*graph);
  return dataset;
}

Result<Dataset> read_plain(const PlainPaths& paths, const std::string& name) {
  std::vector<std::filesystem::path> all{paths.edges};
  if (paths.labels) all.push_back(*paths.labels);
  if (paths.features) all.push_back(*paths.features);
  const auto read = io::read_files(all);
  if (!read) return read.error();
  PlainFiles files{(*read)[0].view(), {}, {}};
  if (paths.labels) files.labels = (*read)[1].view();
  if (paths.features) files.features = read->back().view();
  return parse_plain(files, name);
}

}  // namespace ppgnn::graph
