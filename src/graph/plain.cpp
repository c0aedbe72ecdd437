#include "ppgnn/graph/plain.hpp"

#include <algorithm>
#include <array>
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

// What edge lists call the ends of an edge.
constexpr std::array<std::array<std::string_view, 2>, 6> kEndNames{
    {{"source", "target"}, {"from", "to"}, {"src", "dst"}, {"u", "v"}, {"id_1", "id_2"}, {"node_1", "node_2"}}};

// Which two fields of a line are the nodes. Of lists with more than two, the first line says so: by its header, by the empty
// name that an index has, or by an attribute list that starts with a brace, as NetworkX writes it.
class EdgeFields {
 public:
  // Fails for fewer than two fields, and where nobody can tell.
  Result<bool> take(const io::CsvReader& reader) {
    const auto fields = reader.fields();
    const bool first = std::exchange(first_, false);
    if (fields.size() < 2) return reader.error("not two nodes");
    if (first && fields.size() > 2 && !choose(fields)) {
      return reader.error(std::to_string(fields.size()) +
                          " fields, and no header says which two are the nodes: call them source and target");
    }
    if (first && fields.size() > 2 && !braces_) {
      count_ = fields.size();
      return false;  // it was the header
    }
    if (!braces_ && fields.size() != count_) {
      return reader.error(count_ == 2 ? "not two nodes"
                                      : "not " + std::to_string(count_) + " fields, as the first line has");
    }
    return true;
  }
  [[nodiscard]] std::string_view source(const io::CsvReader& reader) const { return reader.fields()[ends_[0]]; }
  [[nodiscard]] std::string_view target(const io::CsvReader& reader) const { return reader.fields()[ends_[1]]; }
  [[nodiscard]] const std::vector<std::string>& unread() const noexcept { return unread_; }

 private:
  template <class Fields>
  bool choose(const Fields& fields) {
    braces_ = fields[2].starts_with('{');
    if (braces_) {
      unread_.emplace_back("attributes");
      return true;
    }
    const auto place = [&](std::string_view name) {
      return static_cast<std::size_t>(std::find(fields.begin(), fields.end(), name) - fields.begin());
    };
    ends_ = {kNowhere, kNowhere};
    for (const auto& [one, other] : kEndNames) {
      if (place(one) < fields.size() && place(other) < fields.size()) ends_ = {place(one), place(other)};
    }
    if (ends_[1] == kNowhere && fields[0].empty()) ends_ = {1, 2};
    if (ends_[1] == kNowhere) return false;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i != ends_[0] && i != ends_[1]) unread_.emplace_back(fields[i].empty() ? "the index" : fields[i]);
    }
    return true;
  }

  static constexpr std::size_t kNowhere = ~std::size_t{0};
  bool first_ = true;
  bool braces_ = false;
  std::size_t count_ = 2;
  std::array<std::size_t, 2> ends_{0, 1};
  std::vector<std::string> unread_;
};

// The edges, and which columns were passed over.
Result<std::vector<Edge>> read_edges(const io::NamedBytes& file, const NodeNames& nodes,
                                     std::vector<std::string>& unread) {
  std::vector<Edge> edges;
  bool may_be_header = true;
  EdgeFields ends;
  auto done = for_each_record(file, [&](const io::CsvReader& reader) -> Result<void> {
    const Result<bool> edge = ends.take(reader);
    if (!edge) return edge.error();
    if (!*edge) may_be_header = false;
    if (!*edge) return {};
    const auto source = nodes.find(ends.source(reader));
    const auto target = nodes.find(ends.target(reader));
    if (source && target) {
      edges.push_back({*source, *target});
    } else if (!may_be_header || source || target) {
      return reader.error("'" + std::string((source ? ends.target(reader) : ends.source(reader)).substr(0, 80)) +
                          "' is no node");
    }
    may_be_header = false;
    return {};
  });
  unread = ends.unread();
  if (!done) return done.error();
  return edges;
}

// The nodes of an edge list that comes alone: the numbers that occur.
Result<NodeNames> nodes_of_edges(const io::NamedBytes& file) {
  std::vector<std::uint64_t> ids;
  bool first = true;
  EdgeFields ends;
  auto done = for_each_record(file, [&](const io::CsvReader& reader) -> Result<void> {
    const bool may_be_header = std::exchange(first, false);
    const Result<bool> edge = ends.take(reader);
    if (!edge) return edge.error();
    if (!*edge) return {};
    const auto source = parse_unsigned(ends.source(reader));
    const auto target = parse_unsigned(ends.target(reader));
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
  std::vector<std::string> unread;
  auto edges = read_edges(files.edges, dataset.nodes, unread);
  if (!edges) return edges.error();
  if (!unread.empty()) {
    const std::string file = std::filesystem::path(files.edges.name).filename().string();
    dataset.notes.push_back(unread_note(std::move(unread), " of " + file, "every edge counts the same"));
  }
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
