#include "ppgnn/ldp/schema.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "ppgnn/core/text.hpp"
#include "ppgnn/random/samplers.hpp"

namespace ppgnn::ldp {

namespace {

std::string problem_with(const ColumnGroup& group) {
  if (group.name.empty() || group.name.size() > 200) return "name: must have 1 to 200 bytes";
  if (has_hidden_characters(group.name)) return "name: must be UTF-8 without control or bidirectional characters";
  if (group.name.front() == ' ' || group.name.back() == ' ') return "name: must not begin or end with a space";
  if (group.count == 0) return "count: must be at least 1";
  const bool finite = std::isfinite(group.low) && std::isfinite(group.high) && std::isfinite(group.high - group.low);
  if (!finite || !(group.low < group.high)) {
    return filled("range: must be finite with low < high, but is {} to {}", {group.low, group.high});
  }
  if (!(group.low <= group.absent && group.absent <= group.high)) {
    return filled("absent: must lie in the range, but is {}", {group.absent});
  }
  if (group.kind == ColumnKind::binary && group.absent != group.low && group.absent != group.high) {
    return filled("absent: of a binary column must be its low or high value, but is {}", {group.absent});
  }
  if (group.kind == ColumnKind::category) {
    const bool whole = group.high == std::floor(group.high) && group.absent == std::floor(group.absent);
    if (group.low != 0 || !whole || group.high > kMaxClasses - 1) {
      return filled("category: classes must be 0 .. C-1 for a whole C from 2 to {}", {kMaxClasses});
    }
  }
  return {};
}

}  // namespace

Result<Schema> Schema::make(std::vector<ColumnGroup> groups) {
  Schema schema;
  std::uint64_t dim = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (const std::string problem = problem_with(groups[i]); !problem.empty()) {
      return Error{ErrorCode::invalid_argument, filled("schema: column group {}: {}", {i + 1, problem})};
    }
    schema.starts_.push_back(static_cast<std::uint32_t>(dim));
    dim += groups[i].count;
    schema.two_sided_ |= groups[i].absent != groups[i].low && groups[i].absent != groups[i].high;
    if (dim > kMaxColumns) {
      return Error{ErrorCode::invalid_argument, filled("schema: at most {} columns", {kMaxColumns})};
    }
  }
  if (dim == 0) return Error{ErrorCode::invalid_argument, "schema: must have at least one column (dim is 0)"};
  schema.groups_ = std::move(groups);
  schema.dim_ = static_cast<std::uint32_t>(dim);
  return schema;
}

std::size_t Schema::index_of(std::uint32_t column) const noexcept {
  assert(column < dim_);
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), column);
  return static_cast<std::size_t>(after - starts_.begin()) - 1;
}

std::string Schema::column_name(std::uint32_t column) const {
  const std::size_t index = index_of(column);
  const ColumnGroup& group = groups_[index];
  return group.count == 1 ? group.name : filled("{}.{}", {group.name, column - starts_[index]});
}

std::int64_t Schema::quantise(const ColumnGroup& group, double value) noexcept {
  const double position = (value - group.low) / (group.high - group.low);  // NaN stays NaN, infinities stay infinite
  if (std::isnan(position)) return 0;
  const double scaled = std::clamp(2 * position - 1, -1.0, 1.0);
  return std::llrint(std::ldexp(scaled, random::kFeatureBits));
}

std::string_view to_text(ColumnKind kind) noexcept {
  switch (kind) {
    case ColumnKind::binary:
      return "binary";
    case ColumnKind::number:
      return "number";
    case ColumnKind::category:
      break;
  }
  return "category";
}

}  // namespace ppgnn::ldp
