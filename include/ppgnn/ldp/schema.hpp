#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"

namespace ppgnn::ldp {

enum class ColumnKind {
  binary,    ///< one of two values, `low` or `high`
  number,    ///< any value between `low` and `high`
  category,  ///< a whole number 0 .. high: one class out of high + 1
};

/// Neighbouring columns of one kind, declared together ("1433 words"). Public: it is fixed before any data is seen.
struct ColumnGroup {
  std::string
      name;  ///< 1..200 bytes of UTF-8 without hidden characters (core/text.hpp); column i of several is "name.i"
  std::uint32_t count = 1;  ///< columns in the group, at least 1
  ColumnKind kind = ColumnKind::binary;
  double low = 0;     ///< smallest value; smaller ones are clamped
  double high = 1;    ///< largest value, above `low`
  double absent = 0;  ///< what a column that a sparse row does not list stands for; within [low, high]
};

inline constexpr std::uint32_t kMaxColumns = std::uint32_t{1} << 30;
inline constexpr std::uint32_t kMaxClasses = std::uint32_t{1} << 16;

/// Every column of a person's features: name, kind, range, absent value. Validated, immutable.
class Schema {
 public:
  [[nodiscard]] static Result<Schema> make(std::vector<ColumnGroup> groups);

  [[nodiscard]] std::uint32_t dim() const noexcept { return dim_; }
  [[nodiscard]] const std::vector<ColumnGroup>& groups() const noexcept { return groups_; }
  [[nodiscard]] const ColumnGroup& group_of(std::uint32_t column) const noexcept { return groups_[index_of(column)]; }
  [[nodiscard]] std::string column_name(std::uint32_t column) const;
  /// Whether some column may lie on either side of its absent value.
  [[nodiscard]] bool two_sided() const noexcept { return two_sided_; }

  /// A value of `group` on the scale [-1, 1], as an integer in units of 2^-30. NaN is the midpoint, anything out of
  /// range is clamped, silently: an error would depend on the data. The last floating-point step before a report.
  [[nodiscard]] static std::int64_t quantise(const ColumnGroup& group, double value) noexcept;

  /// How far a value of `group` is from its absent value, on the same scale. Rows hold floats: what is the absent value
  /// as a float is absent.
  [[nodiscard]] static std::int64_t difference(const ColumnGroup& group, double value) noexcept {
    if (static_cast<float>(value) == static_cast<float>(group.absent)) return 0;
    return quantise(group, value) - quantise(group, group.absent);
  }

 private:
  [[nodiscard]] std::size_t index_of(std::uint32_t column) const noexcept;

  std::vector<ColumnGroup> groups_;
  std::vector<std::uint32_t> starts_;  // first column of each group
  std::uint32_t dim_ = 0;
  bool two_sided_ = false;
};

/// "binary", "number", "category".
std::string_view to_text(ColumnKind kind) noexcept;

}  // namespace ppgnn::ldp
