#include "ppgnn/server/predictions.hpp"

#include <array>
#include <cstdio>
#include <utility>

#include "ppgnn/core/number.hpp"
#include "ppgnn/io/csv.hpp"

namespace ppgnn::server {

ClassTable ClassTable::make(std::vector<std::string> classes, const train::Predictions& predictions) {
  ClassTable table{std::move(classes), predictions.classes, {}};
  for (std::size_t node = 0; node < table.likeliest.size(); ++node) {
    const std::size_t at = node * table.classes.size() + table.likeliest[node];
    table.probabilities.push_back(static_cast<double>(predictions.probabilities[at]));
  }
  return table;
}

std::string predictions_text(const graph::NodeNames& nodes, const ClassTable& table) {
  std::string text = "node,class,probability\n";
  std::array<char, 32> number{};
  for (std::uint32_t node = 0; node < table.likeliest.size(); ++node) {
    std::snprintf(number.data(), number.size(), "%.6f", table.probabilities[node]);
    text += io::csv_field(nodes.name(node)) + ',' + io::csv_field(table.classes[table.likeliest[node]]) + ',' +
            number.data() + '\n';
  }
  return text;
}

Result<std::vector<Prediction>> parse_predictions(const io::NamedBytes& file) {
  Result<io::CsvReader> reader = io::CsvReader::make(file, io::Separator::comma);
  if (!reader) return reader.error();
  std::vector<Prediction> lines;
  for (bool header = true;; header = false) {
    const Result<bool> more = reader->next();
    if (!more) return more.error();
    if (!*more) return lines;
    const auto fields = reader->fields();
    const auto probability = fields.size() == 3 ? parse_number(fields[2]) : std::nullopt;
    if (fields.size() != 3 || (!header && !probability)) return reader->error("expected node,class,probability");
    if (!header) lines.push_back({std::string(fields[0]), std::string(fields[1]), *probability});
  }
}

}  // namespace ppgnn::server
