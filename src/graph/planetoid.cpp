#include "ppgnn/graph/planetoid.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "graph/pickle.hpp"
#include "graph/sparse_rows.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/graph/labels.hpp"
#include "ppgnn/io/csv.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::graph {

namespace {

Error malformed(std::string_view file, std::string_view what) {
  return io::in_file(file, {ErrorCode::malformed, std::string(what)});
}

// All elements of an array of any accepted type; integers of these files are far below 2^53.
std::vector<double> elements(const Pickle& pickle, const PickleValue& array) {
  const std::string_view type = pickle[array.items[0]].text;
  if (type == "i4") return widen<std::int32_t>(array.text);
  if (type == "i8") return widen<std::int64_t>(array.text);
  if (type == "f4") return widen<float>(array.text);
  return widen<double>(array.text);
}

bool is_array(const PickleValue* value, std::size_t dimensions) {
  return value != nullptr && value->kind == PickleKind::array && value->built && value->shape.size() == dimensions;
}

struct StoredMatrix {
  std::size_t cols = 0;
  std::vector<SparseRow> rows;
};

Result<StoredMatrix> read_matrix(const io::NamedBytes& file) {
  const auto pickle = load_pickle(file);
  if (!pickle) return pickle.error();
  const PickleValue& root = (*pickle)[pickle->root];
  if (root.kind != PickleKind::csr_matrix || !root.built) return malformed(file.name, "it does not hold a csr_matrix");
  const PickleValue& fields = (*pickle)[root.items[0]];
  const PickleValue* shape = pickle->find(fields, "_shape");
  const PickleValue* indptr = pickle->find(fields, "indptr");
  const PickleValue* indices = pickle->find(fields, "indices");
  const PickleValue* data = pickle->find(fields, "data");
  if (!is_array(indptr, 1) || !is_array(indices, 1) || !is_array(data, 1) || shape == nullptr ||
      shape->kind != PickleKind::tuple || shape->items.size() != 2) {
    return malformed(file.name, "the csr_matrix lacks _shape, indptr, indices or data");
  }
  const PickleValue& width = (*pickle)[shape->items[1]];
  // As many columns as bytes is far more than any real file has, and bounds what the schema takes.
  const auto cols = width.kind == PickleKind::integer ? as_index(static_cast<double>(width.integer), file.bytes.size())
                                                      : std::nullopt;
  if (!cols) return malformed(file.name, "the number of columns is negative or larger than the file");
  auto rows = make_rows(elements(*pickle, *indptr), elements(*pickle, *indices), elements(*pickle, *data), *cols);
  if (!rows) return io::in_file(file.name, rows.error());
  return StoredMatrix{*cols, std::move(*rows)};
}

struct OneHot {
  std::size_t columns = 0;
  std::vector<double> labels;  // the column of each row's 1, or kUnknown
};

Result<OneHot> read_one_hot(const io::NamedBytes& file) {
  const auto pickle = load_pickle(file);
  if (!pickle) return pickle.error();
  const PickleValue& root = (*pickle)[pickle->root];
  if (!is_array(&root, 2)) return malformed(file.name, "it does not hold a matrix of labels");
  // A matrix without columns has no bytes: its rows would be bounded by nothing.
  if (root.shape[1] == 0) return malformed(file.name, "the labels have no class");
  OneHot result{root.shape[1], std::vector<double>(root.shape[0], kUnknown)};
  const std::vector<double> cells = elements(*pickle, root);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i] == 0) continue;
    const std::size_t row = i / result.columns;
    if (cells[i] != 1 || result.labels[row] != kUnknown)
      return malformed(file.name, "row " + std::to_string(row) + " is not one-hot");
    result.labels[row] = static_cast<double>(i % result.columns);
  }
  return result;
}

struct Adjacency {
  std::size_t nodes = 0;
  std::vector<Edge> edges;
};

Result<Adjacency> read_adjacency(const io::NamedBytes& file) {
  const auto pickle = load_pickle(file);
  if (!pickle) return pickle.error();
  const PickleValue& root = (*pickle)[pickle->root];
  if (root.kind != PickleKind::dict) return malformed(file.name, "it does not hold a dict of neighbours");
  Adjacency adjacency;
  adjacency.nodes = root.items.size() / 2;
  std::vector<char> seen(adjacency.nodes, 0);
  const auto node_of = [&](const PickleValue& value) {
    const bool valid = value.kind == PickleKind::integer && value.integer >= 0 &&
                       static_cast<std::uint64_t>(value.integer) < adjacency.nodes;
    return valid ? std::optional(static_cast<NodeId>(value.integer)) : std::nullopt;
  };
  for (std::size_t i = 0; i < root.items.size(); i += 2) {
    const auto source = node_of((*pickle)[root.items[i]]);
    const PickleValue& neighbours = (*pickle)[root.items[i + 1]];
    const auto entry_error = [&](std::string_view what) {
      return malformed(file.name, "entry " + std::to_string(i / 2) + ' ' + std::string(what));
    };
    if (!source || seen[*source] != 0)
      return entry_error("is no node number from 0 to the number of entries, or repeats one");
    seen[*source] = 1;
    if (neighbours.kind != PickleKind::list) return entry_error("has no list of neighbours");
    // Lists may be shared between entries; the pickle's own length then bounds nothing, so the sum is held to it.
    if (adjacency.edges.size() + neighbours.items.size() > file.bytes.size())
      return entry_error("repeats a list too often");
    for (const std::uint32_t item : neighbours.items) {
      const auto target = node_of((*pickle)[item]);
      if (!target) return entry_error("has a neighbour that is no node");
      adjacency.edges.push_back({*source, *target});
    }
  }
  return adjacency;
}

Result<std::vector<NodeId>> read_test_index(const io::NamedBytes& file, std::size_t first, std::size_t nodes) {
  auto reader = io::CsvReader::make(file, io::Separator::blanks);
  if (!reader) return reader.error();
  std::vector<NodeId> test;
  std::vector<char> seen(nodes, 0);
  for (;;) {
    const auto more = reader->next();
    if (!more) return more.error();
    if (!*more) return test;
    const auto node = reader->fields().size() == 1 ? parse_unsigned(reader->fields()[0]) : std::nullopt;
    if (!node || *node < first || *node >= nodes || seen[*node] != 0) {
      return reader->error("not a test node from " + std::to_string(first) + " to below " + std::to_string(nodes) +
                           ", or a repeated one");
    }
    seen[*node] = 1;
    test.push_back(static_cast<NodeId>(*node));
  }
}

}  // namespace

Result<Dataset> parse_planetoid(const PlanetoidFiles& files, const std::string& name) {
  auto adjacency = read_adjacency(files.graph);
  if (!adjacency) return adjacency.error();
  auto all_features = read_matrix(files.allx);
  if (!all_features) return all_features.error();
  auto test_features = read_matrix(files.tx);
  if (!test_features) return test_features.error();
  const auto all_labels = read_one_hot(files.ally);
  if (!all_labels) return all_labels.error();
  const auto test_labels = read_one_hot(files.ty);
  if (!test_labels) return test_labels.error();
  const std::size_t first_test = all_features->rows.size();
  const std::size_t nodes = adjacency->nodes;
  const auto test = read_test_index(files.test_index, first_test, nodes);
  if (!test) return test.error();
  if (first_test > nodes || all_labels->labels.size() != first_test || test_features->rows.size() != test->size() ||
      test_labels->labels.size() != test->size() || test_features->cols != all_features->cols ||
      test_labels->columns != all_labels->columns) {
    return Error{ErrorCode::mismatch,
                 files.allx.name + " and the files beside it do not describe the same nodes, columns and classes"};
  }

  std::vector<SparseRow> rows = std::move(all_features->rows);
  std::vector<double> labels = all_labels->labels;
  rows.resize(nodes);
  labels.resize(nodes, kUnknown);
  for (std::size_t i = 0; i < test->size(); ++i) {
    rows[(*test)[i]] = std::move(test_features->rows[i]);
    labels[(*test)[i]] = test_labels->labels[i];
  }
  auto features = make_features(std::move(rows), all_features->cols);
  if (!features) return io::in_file(files.allx.name + " and " + files.tx.name, features.error());
  // A column that nobody has is no class.
  auto named = compact_classes(labels);
  if (!named) return io::in_file(files.ally.name + " and " + files.ty.name, named.error());
  const auto loops = std::count_if(adjacency->edges.begin(), adjacency->edges.end(),
                                   [](const Edge& edge) { return edge.source == edge.target; });
  std::vector<std::string> notes;
  if (loops > 0) notes.push_back(std::to_string(loops) + " self-loops of the files are left out, as is usual for them");
  auto graph = build_graph(nodes, std::move(adjacency->edges), {Direction::symmetrise, SelfLoops::drop});
  if (!graph) return io::in_file(files.graph.name, graph.error());
  return Dataset{name,
                 std::move(*graph),
                 std::move(*features),
                 std::move(named->labels),
                 std::move(named->class_names),
                 NodeNames(nodes),
                 std::move(notes)};
}

Result<Dataset> read_planetoid(const std::filesystem::path& folder, const std::string& name) {
  std::vector<std::filesystem::path> paths;
  for (const char* part : {"allx", "ally", "tx", "ty", "graph", "test.index"}) {
    paths.push_back(folder / ("ind." + name + '.' + part));
  }
  const auto files = io::read_files(paths);
  if (!files) return files.error();
  const auto file = [&](std::size_t index) { return (*files)[index].view(); };
  return parse_planetoid({file(0), file(1), file(2), file(3), file(4), file(5)}, name);
}

}  // namespace ppgnn::graph
