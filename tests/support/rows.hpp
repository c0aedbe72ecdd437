#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "ppgnn/ldp/row.hpp"

namespace ppgnn::test {

/// A row of one of the forms that a device may have, with what it borrows.
struct OwnedRow {
  enum class Form { dense, sparse, ones } form = Form::dense;
  std::vector<std::uint32_t> columns{};
  std::vector<float> values{};

  [[nodiscard]] ldp::Row row() const {
    if (form == Form::sparse) return ldp::Row::sparse(columns, values);
    return form == Form::ones ? ldp::Row::ones(columns) : ldp::Row::dense(values);
  }

  /// What a column holds: found one by one, unlike Row's own search.
  [[nodiscard]] double value(std::uint32_t column, double absent) const {
    if (form == Form::dense) return column < values.size() ? static_cast<double>(values[column]) : absent;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] == column) return form == Form::ones ? 1 : static_cast<double>(values[i]);
    }
    return absent;
  }
};

/// Every vector over `values` of length `dim`.
inline std::vector<std::vector<float>> grid(const std::vector<float>& values, std::uint32_t dim) {
  std::vector<std::vector<float>> all{{}};
  for (std::uint32_t i = 0; i < dim; ++i) {
    std::vector<std::vector<float>> longer;
    for (const auto& start : all) {
      for (const float value : values) {
        longer.push_back(start);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

inline std::vector<OwnedRow> dense_rows(const std::vector<std::vector<float>>& vectors) {
  std::vector<OwnedRow> rows;
  for (const std::vector<float>& values : vectors) rows.push_back({OwnedRow::Form::dense, {}, values});
  return rows;
}

/// Every set of listed columns, with every combination of values; as ones too.
inline std::vector<OwnedRow> sparse_rows(const std::vector<float>& values, std::uint32_t dim) {
  std::vector<OwnedRow> rows;
  for (std::uint32_t set = 0; set < 1u << dim; ++set) {
    OwnedRow row{OwnedRow::Form::ones, {}, {}};
    for (std::uint32_t column = 0; column < dim; ++column) {
      if ((set >> column & 1) != 0) row.columns.push_back(column);
    }
    rows.push_back(row);
    if (row.columns.empty()) continue;
    row.form = OwnedRow::Form::sparse;
    for (const std::vector<float>& listed : grid(values, static_cast<std::uint32_t>(row.columns.size()))) {
      row.values = listed;
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace ppgnn::test
