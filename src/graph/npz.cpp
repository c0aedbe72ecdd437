#include "ppgnn/graph/npz.hpp"

#include <zip.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "graph/npy.hpp"
#include "graph/sparse_rows.hpp"
#include "graph/unread.hpp"
#include "ppgnn/core/sizes.hpp"
#include "ppgnn/graph/labels.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::graph {

namespace {

constexpr std::uint64_t kAlwaysAllowed = std::uint64_t{64} << 20;
constexpr std::uint64_t kMaxExpansion = 64;
constexpr std::size_t kNodesAlwaysAllowed = std::size_t{1} << 20;  // that a number names without an entry of their own

// A zip archive in memory. Members are unpacked within a budget that all of them share.
class Archive {
 public:
  static Result<Archive> open(const io::NamedBytes& file) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* source = zip_source_buffer_create(file.bytes.data(), file.bytes.size(), 0, &error);
    zip_t* archive = source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY, &error);
    if (archive == nullptr) {
      const Error reason = io::at_byte(file.name, 0, std::string("not a zip archive: ") + zip_error_strerror(&error));
      if (source != nullptr) zip_source_free(source);
      zip_error_fini(&error);
      return reason;
    }
    zip_error_fini(&error);
    return Archive(file, archive);
  }

  // The bytes of a member, or nothing when the archive does not have it.
  Result<std::optional<std::string>> unpack(const std::string& member) {
    const auto refused = [&](const std::string& what) {
      return io::in_file(file_.name, {ErrorCode::malformed, member + ": " + what});
    };
    const zip_int64_t index = zip_name_locate(archive_.get(), member.c_str(), 0);
    if (index < 0) return std::optional<std::string>();
    zip_stat_t status;
    constexpr zip_uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if (zip_stat_index(archive_.get(), static_cast<zip_uint64_t>(index), 0, &status) != 0 ||
        (status.valid & kNeeded) != kNeeded) {
      return refused("its entry in the archive is incomplete");
    }
    if (status.encryption_method != ZIP_EM_NONE) return refused("it is encrypted");
    if (status.comp_method != ZIP_CM_STORE && status.comp_method != ZIP_CM_DEFLATE) {
      return refused("compression method " + std::to_string(status.comp_method) + " is neither stored nor deflated");
    }
    if (status.size > budget_) return refused("it unpacks to more than this archive may");
    budget_ -= status.size;
    const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> opened(
        zip_fopen_index(archive_.get(), static_cast<zip_uint64_t>(index), 0), zip_fclose);
    if (opened == nullptr) return refused("it cannot be unpacked");
    // Memory grows with what really comes out, not with what the archive declares.
    std::string bytes;
    std::vector<char> piece(std::size_t{1} << 16);
    for (;;) {
      const zip_int64_t got = zip_fread(opened.get(), piece.data(), piece.size());
      if (got < 0) return refused("it is damaged at byte " + std::to_string(bytes.size()));
      if (got == 0) break;
      bytes.append(piece.data(), static_cast<std::size_t>(got));
      if (bytes.size() > status.size) return refused("it is longer than the archive declares");
    }
    if (bytes.size() != status.size) return refused("it ends at byte " + std::to_string(bytes.size()));
    unpacked_.insert(index);
    return std::optional(std::move(bytes));
  }

  // Arrays that nobody unpacked.
  [[nodiscard]] std::vector<std::string> unread() const {
    constexpr std::string_view kEnding = ".npy";
    std::vector<std::string> names;
    const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
    for (zip_int64_t index = 0; index < count; ++index) {
      if (unpacked_.contains(index)) continue;
      const char* member = zip_get_name(archive_.get(), static_cast<zip_uint64_t>(index), 0);
      std::string name = member == nullptr ? "" : member;
      if (name.ends_with(kEnding)) name.resize(name.size() - kEnding.size());
      names.push_back(std::move(name));
    }
    return names;
  }

  // What is known without being opened is not among those.
  void pass_over(const std::string& member) {
    unpacked_.insert(zip_name_locate(archive_.get(), (member + ".npy").c_str(), 0));
  }

  [[nodiscard]] const std::string& name() const { return file_.name; }

 private:
  Archive(const io::NamedBytes& file, zip_t* archive)
      : file_(file),
        archive_(archive, zip_discard),
        budget_(std::max<std::uint64_t>(kAlwaysAllowed, capped_product({kMaxExpansion, file.bytes.size()}))) {}

  io::NamedBytes file_;
  std::unique_ptr<zip_t, void (*)(zip_t*)> archive_;
  std::uint64_t budget_;
  std::set<zip_int64_t> unpacked_;
};

// All elements of a one-dimensional member, or nothing when it is missing.
Result<std::optional<std::vector<double>>> read_list(Archive& archive, const std::string& member) {
  const auto bytes = archive.unpack(member + ".npy");
  if (!bytes) return bytes.error();
  if (!*bytes) return std::optional<std::vector<double>>();
  const std::string name = archive.name() + ": " + member;
  const auto array = parse_npy({name, **bytes});
  if (!array) return array.error();
  if (array->shape.size() != 1) return io::at_byte(name, 0, "the array does not have one dimension");
  return std::optional(array->elements());
}

struct Matrix {
  std::size_t cols = 0;
  std::vector<SparseRow> rows;
};

// The matrix in the members prefix_*, or nothing when prefix_data is missing.
Result<std::optional<Matrix>> read_matrix(Archive& archive, const std::string& prefix, std::size_t max_cols) {
  const auto refused = [&](const std::string& what) {
    return io::in_file(archive.name(), {ErrorCode::malformed, prefix + "_*: " + what});
  };
  std::vector<std::vector<double>> lists;
  for (const char* part : {"_data", "_indices", "_indptr", "_shape"}) {
    auto list = read_list(archive, prefix + part);
    if (!list) return list.error();
    if (!*list && lists.empty()) return std::optional<Matrix>();
    if (!*list) return refused(prefix + part + " is missing");
    lists.push_back(std::move(**list));
  }
  const auto& shape = lists[3];
  const auto num_rows = shape.size() == 2 ? as_index(shape[0], lists[2].size()) : std::nullopt;
  const auto num_cols = shape.size() == 2 ? as_index(shape[1], max_cols) : std::nullopt;
  if (!num_rows || !num_cols || lists[2].size() != std::size_t{*num_rows} + 1) {
    return refused("the shape does not fit the other arrays or the file's length");
  }
  auto rows = make_rows(lists[2], lists[1], lists[0], *num_cols);
  if (!rows) return refused(rows.error().message);
  return std::optional(Matrix{*num_cols, std::move(*rows)});
}

Result<NamedLabels> read_labels(Archive& archive, std::size_t nodes) {
  const auto list = read_list(archive, "labels");
  if (!list) return list.error();
  if (!*list) return NamedLabels{std::vector<std::int32_t>(nodes, kUnknown), {}};
  auto named = compact_classes(**list);
  if (!named) return io::in_file(archive.name() + ": labels", named.error());
  return named;
}

// A data set from its parts, with a note of what was not read.
Result<Dataset> put_together(const Archive& archive, const std::string& name, std::size_t nodes,
                             std::vector<Edge> edges, Features features, NamedLabels labels, std::string_view taken) {
  auto graph = build_graph(nodes, std::move(edges));
  if (!graph) return io::in_file(archive.name(), graph.error());
  Dataset dataset{name,
                  std::move(*graph),
                  std::move(features),
                  std::move(labels.labels),
                  std::move(labels.class_names),
                  NodeNames(nodes),
                  {}};
  if (const auto checked = check(dataset); !checked) return io::in_file(archive.name(), checked.error());
  if (auto unread = archive.unread(); !unread.empty()) {
    dataset.notes.push_back(unread_note(std::move(unread), "", taken));
  }
  return dataset;
}

// An array of any shape: its elements, row by row.
struct Elements {
  std::vector<std::uint64_t> shape;
  std::vector<double> values;
};
Result<std::optional<Elements>> read_elements(Archive& archive, const std::string& member) {
  const auto bytes = archive.unpack(member + ".npy");
  if (!bytes) return bytes.error();
  if (!*bytes) return std::optional<Elements>();
  const std::string name = archive.name() + ": " + member;
  const auto array = parse_npy({name, **bytes});
  if (!array) return array.error();
  if (array->shape.size() > 2) return io::at_byte(name, 0, "the array has more than two dimensions");
  Elements elements{array->shape, array->elements()};
  if (array->order == NpyOrder::column_major && array->shape.size() == 2) {
    const std::size_t rows = array->shape[0], cols = array->shape[1];
    std::vector<double> turned(elements.values.size());
    for (std::size_t i = 0; i < turned.size(); ++i) turned[i % rows * cols + i / rows] = elements.values[i];
    elements.values = std::move(turned);
  }
  return std::optional(std::move(elements));
}

// As PyTorch Geometric calls its parts: edge_index of two rows, x of one row a node, y.
Result<Dataset> parse_pyg(Archive& archive, const Elements& edge_index, const std::string& name, std::size_t bytes) {
  const auto refused = [&](const std::string& what) {
    return io::in_file(archive.name(), {ErrorCode::malformed, what});
  };
  if (edge_index.shape.size() != 2 || edge_index.shape[0] != 2)
    return refused("edge_index: its shape is not (2, edges)");
  const auto x = read_elements(archive, "x");
  if (!x) return x.error();
  const auto y = read_elements(archive, "y");
  if (!y) return y.error();
  if (*x && (*x)->shape.size() != 2) return refused("x: must have one row for each node");
  if (*y && (*y)->shape.size() == 2 && (*y)->shape[1] != 1) return refused("y: must be one class number for each node");
  std::size_t nodes = *x ? (*x)->shape[0] : *y ? (*y)->values.size() : 0;
  const std::size_t most = std::max(kNodesAlwaysAllowed, bytes);
  std::vector<Edge> edges;
  const std::size_t count = edge_index.values.size() / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const auto source = as_index(edge_index.values[i], most);
    const auto target = as_index(edge_index.values[count + i], most);
    if (!source || !target) return refused("edge_index: edge " + std::to_string(i) + " has an end that is no node");
    edges.push_back({*source, *target});
    if (!*x && !*y) nodes = std::max<std::size_t>({nodes, *source + std::size_t{1}, *target + std::size_t{1}});
  }
  Features features = no_features(nodes);
  if (*x) {
    const std::size_t cols = (*x)->shape[1];
    std::vector<SparseRow> rows(nodes);
    for (std::size_t i = 0; i < (*x)->values.size(); ++i) {
      const double value = (*x)->values[i];
      if (value != 0) rows[i / cols].push_back({static_cast<std::uint32_t>(i % cols), static_cast<float>(value)});
    }
    auto made = make_features(std::move(rows), cols);
    if (!made) return io::in_file(archive.name() + ": x", made.error());
    features = std::move(*made);
  }
  NamedLabels labels{std::vector<std::int32_t>(nodes, kUnknown), {}};
  if (*y) {
    auto named = compact_classes((*y)->values);
    if (!named) return io::in_file(archive.name() + ": y", named.error());
    labels = std::move(*named);
  }
  return put_together(archive, name, nodes, std::move(edges), std::move(features), std::move(labels),
                      "an archive's edge_index, x and y are");
}

// As scipy.sparse.save_npz writes one matrix: who knows whom.
Result<Dataset> parse_scipy(Archive& archive, const std::string& name, std::size_t bytes) {
  const auto refused = [&](const std::string& what) {
    return io::in_file(archive.name(), {ErrorCode::malformed, what});
  };
  std::vector<Edge> edges;
  std::size_t nodes = 0;
  const std::size_t most = std::max(kNodesAlwaysAllowed, bytes);
  const auto rows = read_list(archive, "row");
  const auto columns = read_list(archive, "col");
  const auto shape = read_list(archive, "shape");
  const auto data = read_list(archive, "data");
  for (const auto* part : {&rows, &columns, &shape, &data}) {
    if (!*part) return part->error();
  }
  if (!*shape || (*shape)->size() != 2 || (**shape)[0] != (**shape)[1]) return refused("shape: not a square matrix");
  const auto side = as_index((**shape)[0], most);
  if (!side) return refused("shape: the matrix is too large for the file");
  nodes = *side;
  const auto add = [&](double source, double target, double value) {
    const auto one = as_index(source, nodes);
    const auto other = as_index(target, nodes);
    if (!one || !other || *one == nodes || *other == nodes) return false;
    if (value != 0) edges.push_back({*one, *other});
    return true;
  };
  if (*rows && *columns && *data) {
    if ((*rows)->size() != (*columns)->size() || (*rows)->size() != (*data)->size()) {
      return refused("row, col and data do not fit together");
    }
    for (std::size_t i = 0; i < (*rows)->size(); ++i) {
      if (!add((**rows)[i], (**columns)[i], (**data)[i])) {
        return refused("entry " + std::to_string(i) + " is outside the matrix");
      }
    }
  } else {
    const auto indptr = read_list(archive, "indptr");
    if (!indptr) return indptr.error();
    const auto indices = read_list(archive, "indices");
    if (!indices) return indices.error();
    if (!*indptr || !*indices || !*data)
      return refused("it has neither row, col and data nor indptr, indices and data");
    const auto made = make_rows(**indptr, **indices, **data, nodes);
    if (!made) return refused(made.error().message);
    if (made->size() != nodes) return refused("indptr does not fit the shape");
    for (std::size_t row = 0; row < nodes; ++row) {
      for (const auto& entry : (*made)[row]) {
        if (entry.value != 0) edges.push_back({static_cast<NodeId>(row), entry.column});
      }
    }
  }
  archive.pass_over("format");
  return put_together(archive, name, nodes, std::move(edges), no_features(nodes),
                      {std::vector<std::int32_t>(nodes, kUnknown), {}}, "of a matrix of SciPy, entries are");
}

// Archives without adj_*: those of PyTorch Geometric's parts and of SciPy, or nothing that is known.
Result<Dataset> parse_other_form(Archive& archive, const std::string& name, std::size_t bytes) {
  const auto edge_index = read_elements(archive, "edge_index");
  if (!edge_index) return edge_index.error();
  if (*edge_index) return parse_pyg(archive, **edge_index, name, bytes);
  const std::vector<std::string> members = archive.unread();
  if (std::find(members.begin(), members.end(), "shape") != members.end()) return parse_scipy(archive, name, bytes);
  return io::in_file(archive.name(), {ErrorCode::malformed,
                                      "adj_data is missing, and so are edge_index and shape: neither an archive of "
                                      "gnn-benchmark, nor the parts of PyTorch Geometric, nor a matrix of SciPy"});
}

}  // namespace

Result<Dataset> parse_npz(const io::NamedBytes& file, const std::string& name) {
  auto archive = Archive::open(file);
  if (!archive) return archive.error();
  const auto adjacency = read_matrix(*archive, "adj", capped_product({file.bytes.size(), kMaxExpansion}));
  if (!adjacency) return adjacency.error();
  if (!*adjacency) return parse_other_form(*archive, name, file.bytes.size());
  const std::size_t nodes = (*adjacency)->rows.size();
  if ((*adjacency)->cols != nodes) {
    return io::in_file(file.name,
                       {ErrorCode::malformed, "adj_*: the matrix has " + std::to_string(nodes) + " rows but " +
                                                  std::to_string((*adjacency)->cols) + " columns"});
  }
  std::vector<Edge> edges;
  for (std::size_t row = 0; row < nodes; ++row) {
    for (const auto& entry : (*adjacency)->rows[row]) {
      if (entry.value != 0) edges.push_back({static_cast<NodeId>(row), entry.column});
    }
  }
  auto attributes = read_matrix(*archive, "attr", file.bytes.size());
  if (!attributes) return attributes.error();
  auto features = *attributes ? make_features(std::move((*attributes)->rows), (*attributes)->cols) : no_features(nodes);
  if (!features) return io::in_file(file.name + ": attr_*", features.error());
  auto labels = read_labels(*archive, nodes);
  if (!labels) return labels.error();
  return put_together(*archive, name, nodes, std::move(edges), std::move(*features), std::move(*labels),
                      "an archive's adj_*, attr_* and labels are");
}

Result<Dataset> read_npz(const std::filesystem::path& path) {
  const auto bytes = io::read_file(path);
  if (!bytes) return bytes.error();
  return parse_npz({path.string(), *bytes}, path.stem().string());
}

}  // namespace ppgnn::graph
