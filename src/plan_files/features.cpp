#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "ppgnn/core/number.hpp"
#include "ppgnn/io/csv.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/plan_files/plan_files.hpp"

namespace ppgnn::plan_files {

namespace {

// A column by its number, or by its name: "age", or "word.7" of several.
std::optional<std::uint32_t> column_of(std::string_view text, const ldp::Schema& schema) {
  if (const auto number = parse_unsigned(text)) {
    return *number < schema.dim() ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
  }
  std::uint32_t first = 0;
  for (const ldp::ColumnGroup& group : schema.groups()) {
    if (text.starts_with(group.name)) {
      std::string_view rest = text.substr(group.name.size());
      if (group.count == 1 && rest.empty()) return first;
      if (group.count > 1 && rest.starts_with('.')) {
        const auto place = parse_unsigned(rest.substr(1));
        if (place && *place < group.count) return first + static_cast<std::uint32_t>(*place);
      }
    }
    first += group.count;
  }
  return std::nullopt;
}

}  // namespace

Result<Features> parse_features(const io::NamedBytes& file, const ldp::Schema& schema) {
  auto reader = io::CsvReader::make(file, io::Separator::comma);
  if (!reader) return reader.error();
  std::vector<std::pair<std::uint32_t, float>> listed;
  bool header = true;
  for (;; header = false) {
    const Result<bool> more = reader->next();
    if (!more) return more.error();
    if (!*more) break;
    const auto fields = reader->fields();
    if (fields.size() != 2) return reader->error("expected column,value");
    if (header) {
      if (fields[0] != "column" || fields[1] != "value") return reader->error("expected the header column,value");
      continue;
    }
    const auto column = column_of(fields[0], schema);
    const auto value = parse_number(fields[1]);
    if (!column) return reader->error("column: the plan has none of this number or name");
    if (!value) return reader->error("value: not a number");
    constexpr auto kMost =
        static_cast<double>(std::numeric_limits<float>::max());  // beyond any range: clamped all the same
    listed.emplace_back(*column, static_cast<float>(std::clamp(*value, -kMost, kMost)));
  }
  if (header) return io::at_line(file.name, 1, "expected the header column,value");
  std::sort(listed.begin(), listed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Features features;
  for (const auto& [column, value] : listed) {
    if (!features.columns.empty() && features.columns.back() == column) {
      return Error{ErrorCode::malformed, file.name + ": a column occurs twice"};
    }
    features.columns.push_back(column);
    features.values.push_back(value);
  }
  return features;
}

Result<Features> read_features(const std::filesystem::path& path, const ldp::Schema& schema) {
  const Result<std::string> bytes = io::read_input(path);
  if (!bytes) return bytes.error();
  return parse_features({io::input_name(path), *bytes}, schema);
}

}  // namespace ppgnn::plan_files
