#include "ppgnn/graph/node_lines.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ppgnn/graph/labels.hpp"
#include "ppgnn/io/csv.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::graph {

Result<void> parse_node_lines(const io::NamedBytes& file, const NodeNames& nodes, const std::string& what,
                              const NodeLineTaker& take, Repeats repeats) {
  auto reader = io::CsvReader::make(file, io::Separator::comma);
  if (!reader) return reader.error();
  std::vector<bool> seen(nodes.size(), false);
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
    const std::optional<NodeId> node = nodes.find(fields[0]);
    if (!node) return reader->error("node '" + std::string(fields[0]) + "' is not in the graph");
    if (seen[*node] && repeats == Repeats::refuse)
      return reader->error("node '" + std::string(fields[0]) + "' occurs twice");
    seen[*node] = true;
    if (const std::string problem = take(*node, fields[1]); !problem.empty()) return reader->error(problem);
  }
  if (header) return io::at_line(file.name, 1, "expected the header node," + what);
  return {};
}

Result<void> read_node_lines(const std::filesystem::path& path, const NodeNames& nodes, const std::string& what,
                             const NodeLineTaker& take, Repeats repeats) {
  const Result<std::string> bytes = io::read_input(path);
  if (!bytes) return bytes.error();
  return parse_node_lines({io::input_name(path), *bytes}, nodes, what, take, repeats);
}

Result<Dataset> with_labels(Dataset dataset, const std::filesystem::path& path) {
  const Result<std::string> bytes = io::read_input(path);
  if (!bytes) return bytes.error();
  return with_labels(std::move(dataset), io::NamedBytes{io::input_name(path), *bytes});
}

Result<Dataset> with_labels(Dataset dataset, const io::NamedBytes& file) {
  std::map<std::string, std::int32_t, std::less<>> known;
  for (std::size_t i = 0; i < dataset.num_classes(); ++i) {
    known.emplace(dataset.class_names[i], static_cast<std::int32_t>(i));
  }
  std::vector<std::int32_t> labels(dataset.num_nodes(), kUnknown);
  std::vector<std::string> texts(known.empty() ? dataset.num_nodes() : 0);
  const auto take = [&](std::uint32_t node, std::string_view value) -> std::string {
    if (known.empty()) {
      texts[node] = value;
    } else if (!is_unknown_class(value)) {
      const auto found = known.find(value);
      if (found == known.end() && is_missing_word(value)) return {};
      if (found == known.end()) return "class '" + std::string(value) + "' is not one of the data's";
      labels[node] = found->second;
    }
    return {};
  };
  if (Result<void> read = parse_node_lines(file, dataset.nodes, "class", take); !read) return read.error();
  if (known.empty()) {
    NamedLabels numbered = number_classes(texts);
    labels = std::move(numbered.labels);
    dataset.class_names = std::move(numbered.class_names);
  }
  if (std::all_of(labels.begin(), labels.end(), [](std::int32_t label) { return label == kUnknown; })) {
    return Error{ErrorCode::malformed, file.name + ": no node has a class"};
  }
  dataset.labels = SharedArray<std::int32_t>(std::move(labels));
  return dataset;
}

}  // namespace ppgnn::graph
