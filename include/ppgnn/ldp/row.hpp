#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ppgnn::ldp {

/// One person's features, owned by somebody else: listed columns with their values; every other column holds the value
/// the schema declares for an absent entry.
class Row {
 public:
  /// `columns` ascending, without repeats, below the schema's dim; `values` of the same length.
  static Row sparse(std::span<const std::uint32_t> columns, std::span<const float> values) noexcept {
    assert(columns.size() == values.size() && std::is_sorted(columns.begin(), columns.end()));
    return {columns, values};
  }
  /// The columns that are 1 ("the words that occur").
  static Row ones(std::span<const std::uint32_t> columns) noexcept {
    assert(std::is_sorted(columns.begin(), columns.end()));
    return {columns, {}};
  }
  /// All columns, from the first.
  static Row dense(std::span<const float> values) noexcept { return {{}, values}; }

  /// The value of `column`, or `absent` if it is not listed. O(log listed).
  [[nodiscard]] double value(std::uint32_t column, double absent) const noexcept {
    if (columns_.empty()) return column < values_.size() ? static_cast<double>(values_[column]) : absent;
    const auto at = std::lower_bound(columns_.begin(), columns_.end(), column);
    if (at == columns_.end() || *at != column) return absent;
    const auto index = static_cast<std::size_t>(at - columns_.begin());
    if (values_.empty()) return 1.0;
    return index < values_.size() ? static_cast<double>(values_[index]) : absent;
  }

 private:
  Row(std::span<const std::uint32_t> columns, std::span<const float> values) noexcept
      : columns_(columns), values_(values) {}

  std::span<const std::uint32_t> columns_;
  std::span<const float> values_;
};

}  // namespace ppgnn::ldp
