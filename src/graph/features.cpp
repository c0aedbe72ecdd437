#include "ppgnn/graph/features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ppgnn::graph {

namespace {

// Range of each column over all rows, the zeros of absent entries included.
struct Ranges {
  std::vector<float> low;
  std::vector<float> high;
};

Ranges find_ranges(const Csr& pattern, std::span<const float> values) {
  const std::size_t cols = pattern.num_columns();
  Ranges ranges{std::vector<float>(cols, std::numeric_limits<float>::max()),
                std::vector<float>(cols, std::numeric_limits<float>::lowest())};
  std::vector<std::size_t> seen(cols, 0);
  for (std::size_t i = 0; i < pattern.nonzeros(); ++i) {
    const std::uint32_t column = pattern.columns()[i];
    const float value = values.empty() ? 1.0F : values[i];
    ranges.low[column] = std::min(ranges.low[column], value);
    ranges.high[column] = std::max(ranges.high[column], value);
    ++seen[column];
  }
  for (std::size_t column = 0; column < cols; ++column) {
    if (seen[column] == pattern.rows() && seen[column] > 0) continue;
    ranges.low[column] = seen[column] == 0 ? 0.0F : std::min(ranges.low[column], 0.0F);
    ranges.high[column] = seen[column] == 0 ? 0.0F : std::max(ranges.high[column], 0.0F);
  }
  return ranges;
}

std::vector<float> clamp_zero(const Ranges& ranges) {
  std::vector<float> absent(ranges.low.size());
  for (std::size_t i = 0; i < absent.size(); ++i) absent[i] = std::clamp(0.0F, ranges.low[i], ranges.high[i]);
  return absent;
}

FeatureSchema derived_numbers(Ranges ranges, StringList names) {
  FeatureSchema schema;
  schema.origin = SchemaOrigin::derived;
  schema.names = std::move(names);
  schema.kinds = std::vector<std::uint8_t>(ranges.low.size(), static_cast<std::uint8_t>(ColumnKind::number));
  schema.absent = clamp_zero(ranges);
  schema.low = std::move(ranges.low);
  schema.high = std::move(ranges.high);
  return schema;
}

Result<void> check_schema(const FeatureSchema& schema, std::size_t cols) {
  const bool sizes_fit = schema.kinds.size() == cols && schema.low.size() == cols && schema.high.size() == cols &&
                         schema.absent.size() == cols && (schema.names.empty() || schema.names.size() == cols);
  if (!sizes_fit) {
    return Error{ErrorCode::mismatch, "the schema does not describe " + std::to_string(cols) + " columns"};
  }
  for (std::size_t column = 0; column < cols; ++column) {
    const float low = schema.low[column];
    const float high = schema.high[column];
    const float absent = schema.absent[column];
    const bool is_binary = schema.kinds[column] == static_cast<std::uint8_t>(ColumnKind::binary);
    const bool fits =
        std::isfinite(low) && std::isfinite(high) && low <= absent && absent <= high &&
        (is_binary ? low == 0 && high == 1 : schema.kinds[column] == static_cast<std::uint8_t>(ColumnKind::number));
    if (!fits) {
      return Error{ErrorCode::malformed, "schema column " + std::to_string(column) + " has no valid kind and range"};
    }
  }
  return {};
}

}  // namespace

FeatureSchema FeatureSchema::binary(std::size_t columns, SchemaOrigin origin) {
  FeatureSchema schema;
  schema.origin = origin;
  schema.kinds = std::vector<std::uint8_t>(columns, static_cast<std::uint8_t>(ColumnKind::binary));
  schema.low = std::vector<float>(columns, 0.0F);
  schema.high = std::vector<float>(columns, 1.0F);
  schema.absent = schema.low;
  return schema;
}

Result<Features> Features::make(Csr pattern, SharedArray<float> values, FeatureSchema schema) {
  if (!values.empty() && values.size() != pattern.nonzeros()) {
    return Error{ErrorCode::mismatch, "there are " + std::to_string(values.size()) + " values for " +
                                          std::to_string(pattern.nonzeros()) + " entries"};
  }
  if (const auto checked = check_schema(schema, pattern.num_columns()); !checked) return checked.error();
  Features features;
  features.pattern_ = std::move(pattern);
  features.values_ = std::move(values);
  features.schema_ = std::move(schema);
  for (std::size_t row = 0; row < features.rows(); ++row) {
    for (std::size_t i = features.pattern_.offsets()[row]; i < features.pattern_.offsets()[row + 1]; ++i) {
      const std::uint32_t column = features.pattern_.columns()[i];
      const float value = features.value(i);
      const bool is_binary = features.schema_.kinds[column] == static_cast<std::uint8_t>(ColumnKind::binary);
      // Written so that a value that is not a number fails too.
      const bool in_range = value >= features.schema_.low[column] && value <= features.schema_.high[column];
      if (!in_range || (is_binary && value != 0 && value != 1)) {
        return Error{ErrorCode::malformed, "the feature in row " + std::to_string(row) + ", column " +
                                               std::to_string(column) + " is outside its column's range"};
      }
    }
  }
  return features;
}

float Features::to_unit(std::size_t column, float value) const noexcept {
  const float low = schema_.low[column];
  const float high = schema_.high[column];
  if (low == high) return 0.0F;
  // In double: the difference of two floats may leave the range of float.
  const auto wide = [](float number) { return static_cast<double>(number); };
  const double scaled = 2.0 * (wide(value) - wide(low)) / (wide(high) - wide(low)) - 1.0;
  return static_cast<float>(std::clamp(scaled, -1.0, 1.0));
}

Features derive_schema(const Features& features) {
  const Ranges ranges = find_ranges(features.pattern(), features.values());
  constexpr std::uint32_t kDropped = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> new_column(features.cols(), kDropped);
  Ranges kept;
  std::vector<std::string> names;
  for (std::size_t column = 0; column < features.cols(); ++column) {
    if (ranges.low[column] == ranges.high[column]) continue;
    new_column[column] = static_cast<std::uint32_t>(kept.low.size());
    kept.low.push_back(ranges.low[column]);
    kept.high.push_back(ranges.high[column]);
    // The old index stays the column's name: it is what the data set's own documentation speaks of.
    names.emplace_back(features.schema().names.empty() ? std::to_string(column)
                                                       : std::string(features.schema().names[column]));
  }
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  for (std::size_t row = 0; row < features.rows(); ++row) {
    for (std::size_t i = features.pattern().offsets()[row]; i < features.pattern().offsets()[row + 1]; ++i) {
      const std::uint32_t column = new_column[features.pattern().columns()[i]];
      if (column == kDropped) continue;
      columns.push_back(column);
      if (!features.values().empty()) values.push_back(features.values()[i]);
    }
    offsets.push_back(columns.size());
  }
  const std::size_t cols = kept.low.size();
  FeatureSchema schema = derived_numbers(std::move(kept), StringList(names));
  if (values.empty()) {
    schema = FeatureSchema::binary(cols, SchemaOrigin::derived);
    schema.names = StringList(names);
  }
  auto pattern = Csr::make(std::move(offsets), std::move(columns), cols);
  assert(pattern.ok());
  auto derived = Features::make(std::move(*pattern), std::move(values), std::move(schema));
  assert(derived.ok());
  return std::move(*derived);
}

Result<Features> features_read_off(Csr pattern, SharedArray<float> values, StringList names) {
  const bool ones = std::all_of(values.begin(), values.end(), [](float value) { return value == 1; });
  if (ones) {
    FeatureSchema schema = FeatureSchema::binary(pattern.num_columns(), SchemaOrigin::derived);
    schema.names = std::move(names);
    return Features::make(std::move(pattern), {}, std::move(schema));
  }
  if (values.size() != pattern.nonzeros()) return Features::make(std::move(pattern), std::move(values), {});
  FeatureSchema schema = derived_numbers(find_ranges(pattern, values.span()), std::move(names));
  return Features::make(std::move(pattern), std::move(values), std::move(schema));
}

Result<void> FeaturesBuilder::add_row(std::vector<Entry>& entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.column < b.column; });
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const auto refused = [&](const char* why) {
      return Error{ErrorCode::malformed, "feature column " + std::to_string(entry.column) + why};
    };
    if (i > 0 && entry.column == entries[i - 1].column) return refused(" occurs twice in one row");
    if (entry.column == std::numeric_limits<std::uint32_t>::max()) return refused(" is too large");
    if (!std::isfinite(entry.value)) return refused(" holds a value that is not a finite number");
    columns_seen_ = std::max(columns_seen_, std::size_t{entry.column} + 1);
    if (entry.value == 0) continue;
    if (all_ones_ && entry.value != 1) {
      values_.assign(columns_.size(), 1.0F);  // ones so far were not stored
      all_ones_ = false;
    }
    columns_.push_back(entry.column);
    if (!all_ones_) values_.push_back(entry.value);
  }
  offsets_.push_back(columns_.size());
  return {};
}

Result<Features> FeaturesBuilder::finish(std::size_t columns, SchemaOrigin binary_origin, StringList names) && {
  if (columns < columns_seen_) {
    return Error{ErrorCode::malformed, "feature column " + std::to_string(columns_seen_ - 1) + " is outside the " +
                                           std::to_string(columns) + " columns"};
  }
  auto pattern = Csr::make(std::move(offsets_), std::move(columns_), columns);
  if (!pattern) return pattern.error();
  if (!all_ones_) return features_read_off(std::move(*pattern), std::move(values_), std::move(names));
  FeatureSchema schema = FeatureSchema::binary(columns, binary_origin);
  schema.names = std::move(names);
  return Features::make(std::move(*pattern), {}, std::move(schema));
}

}  // namespace ppgnn::graph
