#include "graph/tables.hpp"

#include <unordered_set>

#include "graph/npy.hpp"
#include "ppgnn/core/number.hpp"

namespace ppgnn::graph {

namespace {

bool is_npy(const io::NamedBytes& file) {
  return file.bytes.starts_with(kNpyMagic);
}

// A text table with a header: what each line is called, and the rest of its fields.
struct Table {
  std::vector<std::string> header;
  std::vector<std::string> nodes;
  std::vector<std::vector<std::string>> cells;
  std::vector<std::size_t> lines;  // where each row begins
};

Result<Table> read_table(const io::NamedBytes& file) {
  Table table;
  std::unordered_set<std::string> seen;
  auto done = for_each_record(file, [&](const io::CsvReader& reader) -> Result<void> {
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
  if (table.header.empty()) return io::at_line(file.name, 1, "the header is missing");
  return table;
}

}  // namespace

Result<void> for_each_record(const io::NamedBytes& file,
                             const std::function<Result<void>(const io::CsvReader&)>& record) {
  auto reader = io::CsvReader::make(file, io::guess_separator(file.bytes));
  if (!reader) return reader.error();
  for (;;) {
    const auto more = reader->next();
    if (!more) return more.error();
    if (!*more) return {};
    if (reader->fields()[0].starts_with('#')) continue;
    if (auto done = record(*reader); !done) return done;
  }
}

Result<NodeNames> name_nodes(const std::vector<std::string>& names) {
  bool numbered = true;
  for (std::size_t i = 0; i < names.size() && numbered; ++i) numbered = names[i] == std::to_string(i);
  if (numbered) return NodeNames(names.size());
  return NodeNames::make(StringList(names));
}

Result<LabelTable> parse_label_table(const io::NamedBytes& file) {
  if (is_npy(file)) {
    const auto array = parse_npy(file);
    if (!array) return array.error();
    if (array->shape.size() != 1) return io::at_byte(file.name, 0, "labels need an array of one dimension");
    auto named = compact_classes(array->elements());
    if (!named) return io::in_file(file.name, named.error());
    return LabelTable{NodeNames(named->labels.size()), std::move(*named), {}};
  }
  auto table = read_table(file);
  if (!table) return table.error();
  std::vector<std::string> classes;
  for (auto& row : table->cells) classes.push_back(std::move(row[0]));
  auto nodes = name_nodes(table->nodes);
  if (!nodes) return io::in_file(file.name, nodes.error());
  std::vector<std::string> unread(table->header.begin() + 1, table->header.end());
  return LabelTable{std::move(*nodes), number_classes(classes), std::move(unread)};
}

Result<FeatureTable> parse_feature_table(const io::NamedBytes& file) {
  FeatureTable result;
  if (is_npy(file)) {
    const auto array = parse_npy(file);
    if (!array) return array.error();
    if (array->shape.size() != 2 || array->data.empty())
      return io::at_byte(file.name, 0, "features need a matrix that is not empty");
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
  if (!nodes) return io::in_file(file.name, nodes.error());
  result.nodes = std::move(*nodes);
  result.columns = std::move(table->header);
  result.cols = result.columns.size();
  for (const auto& cells : table->cells) {
    SparseRow& row = result.rows.emplace_back();
    for (std::size_t col = 0; col < cells.size(); ++col) {
      const auto value = parse_number(cells[col]);
      if (!value) {
        return io::at_line(file.name, table->lines[result.rows.size() - 1],
                           "column '" + result.columns[col] + "' is no number");
      }
      if (*value != 0) row.push_back({static_cast<std::uint32_t>(col), static_cast<float>(*value)});
    }
  }
  return result;
}

}  // namespace ppgnn::graph
