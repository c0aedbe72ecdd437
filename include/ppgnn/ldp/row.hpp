#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ppgnn::ldp {

/// One person's features, owned by somebody else: listed columns with their values; every other column holds the value
/// the schema declares for an absent entry.
///
/// Errors  Making a row checks nothing; a device refuses one that does not `fit`. Of others no value is read beyond the
///         spans, and that is all that holds.
class Row {
 public:
  /// `columns` ascending, without repeats, below the schema's dim; `values` of the same length.
  static Row sparse(std::span<const std::uint32_t> columns, std::span<const float> values) noexcept {
    return {Form::sparse, columns, values};
  }
  /// The columns that are 1 ("the words that occur"); as for `sparse`.
  static Row ones(std::span<const std::uint32_t> columns) noexcept { return {Form::ones, columns, {}}; }
  /// All columns, from the first; those after the last value are absent.
  static Row dense(std::span<const float> values) noexcept { return {Form::dense, {}, values}; }

  /// Whether the row is one of a schema with `dim` columns: what the functions above ask for, and no value beyond the
  /// last column. O(listed), and no look at a value: what is refused is the form, whatever the features are.
  [[nodiscard]] bool fits(std::uint32_t dim) const noexcept {
    if (form_ == Form::dense) return values_.size() <= dim;
    if (form_ == Form::sparse && columns_.size() != values_.size()) return false;
    if (columns_.empty()) return true;
    // Without a way out in the middle: compilers compare many at once.
    unsigned ascending = 1;
    for (std::size_t i = 1; i < columns_.size(); ++i) ascending &= static_cast<unsigned>(columns_[i - 1] < columns_[i]);
    return ascending != 0 && columns_.back() < dim;
  }

  /// The value of `column`, or `absent` if it is not listed. O(log listed).
  [[nodiscard]] double value(std::uint32_t column, double absent) const noexcept {
    if (columns_.empty()) return column < values_.size() ? static_cast<double>(values_[column]) : absent;
    const auto at = std::lower_bound(columns_.begin(), columns_.end(), column);
    if (at == columns_.end() || *at != column) return absent;
    const auto index = static_cast<std::size_t>(at - columns_.begin());
    if (values_.empty()) return 1.0;
    return index < values_.size() ? static_cast<double>(values_[index]) : absent;
  }

  /// Calls visit(column, value) for every column below `dim` that may differ from its absent value, ascending.
  template <class Visit>
  void for_each(std::uint32_t dim, const Visit& visit) const {
    if (columns_.empty()) {
      const auto most = static_cast<std::uint32_t>(std::min<std::size_t>(dim, values_.size()));
      for (std::uint32_t column = 0; column < most; ++column) visit(column, static_cast<double>(values_[column]));
      return;
    }
    const std::size_t most = values_.empty() ? columns_.size() : std::min(columns_.size(), values_.size());
    for (std::size_t i = 0; i < most && columns_[i] < dim; ++i) {
      visit(columns_[i], values_.empty() ? 1.0 : static_cast<double>(values_[i]));
    }
  }

 private:
  enum class Form : std::uint8_t { dense, sparse, ones };

  Row(Form form, std::span<const std::uint32_t> columns, std::span<const float> values) noexcept
      : columns_(columns), values_(values), form_(form) {}

  std::span<const std::uint32_t> columns_;
  std::span<const float> values_;
  Form form_;
};

}  // namespace ppgnn::ldp
