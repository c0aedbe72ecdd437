#include "ppgnn/plan_files/plan_files.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "ppgnn/core/number.hpp"
#include "ppgnn/io/csv.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::plan_files {

Result<std::vector<ldp::ColumnGroup>> parse_schema(const io::NamedBytes& file) {
  auto reader = io::CsvReader::make(file, io::Separator::comma);
  if (!reader) return reader.error();
  constexpr std::array<std::string_view, 6> kHeader{"name", "count", "kind", "low", "high", "absent"};
  std::vector<ldp::ColumnGroup> groups;
  for (bool header = true;; header = false) {
    const Result<bool> more = reader->next();
    if (!more) return more.error();
    if (!*more) break;
    const auto fields = reader->fields();
    if (fields.size() != kHeader.size()) return reader->error("expected name,count,kind,low,high,absent");
    if (header) {
      if (!std::equal(kHeader.begin(), kHeader.end(), fields.begin())) {
        return reader->error("expected the header name,count,kind,low,high,absent");
      }
      continue;
    }
    const auto count = parse_unsigned(fields[1]);
    const auto low = parse_number(fields[3]);
    const auto high = parse_number(fields[4]);
    const auto absent = parse_number(fields[5]);
    const bool binary = fields[2] == "binary";
    if (!binary && fields[2] != "number") return reader->error("kind: must be binary or number");
    if (!count || *count < 1 || *count > ldp::kMaxColumns) return reader->error("count: not a whole number from 1");
    if (!low || !high || !absent) return reader->error("low, high, absent: not numbers");
    groups.push_back({std::string(fields[0]), static_cast<std::uint32_t>(*count),
                      binary ? ldp::ColumnKind::binary : ldp::ColumnKind::number, *low, *high, *absent});
    if (const Result<ldp::Schema> alone = ldp::Schema::make({groups.back()}); !alone) {
      const std::string& message = alone.error().message;
      constexpr std::string_view kWhere = "schema: column group 1: ";
      return reader->error(message.starts_with(kWhere) ? message.substr(kWhere.size()) : message);
    }
  }
  if (groups.empty())
    return io::at_line(file.name, 1, "expected the header name,count,kind,low,high,absent and at least one group");
  return groups;
}

Result<std::vector<ldp::ColumnGroup>> read_schema(const std::filesystem::path& path) {
  const Result<std::string> bytes = io::read_input(path);
  if (!bytes) return bytes.error();
  return parse_schema({io::input_name(path), *bytes});
}

Result<ldp::Plan> read_plan(const std::filesystem::path& path) {
  const Result<std::string> text = io::read_input(path);
  if (!text) return text.error();
  Result<ldp::Plan> plan = ldp::Plan::parse(*text);
  if (!plan) return io::in_file(io::input_name(path), plan.error());
  return plan;
}

}  // namespace ppgnn::plan_files
