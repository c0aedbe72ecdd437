#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/report.hpp"
#include "support/plans.hpp"
#include "support/rows.hpp"
#include "support/scripted_bits.hpp"

/// Schemas with more columns than 16 bits hold, which no test can walk in full: looked at where a short number breaks.
namespace ppgnn::test {

/// Both sides of what 16 bits hold for a column, and for a payload entry, up to the widest schema there may be.
inline constexpr std::uint32_t kWideDims[] = {65536, 65537, ldp::kMaxColumns};

/// Columns at both sides of 2^15, 2^16, 2^17 and 2^24, and the first and last ones.
inline std::vector<std::uint32_t> telling_columns(std::uint32_t dim) {
  std::vector<std::uint32_t> columns{0, 1, 32767, 32768, 65534, 65535, 65536, 65537, 131071, 131072, 1u << 24};
  columns.insert(columns.end(), {dim / 2, dim - 2, dim - 1});
  std::erase_if(columns, [dim](std::uint32_t column) { return column >= dim; });
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

/// One column of `dim` in a report.
inline ldp::Plan wide_plan(std::uint32_t dim) {
  ldp::PlanRequest request = number_request({1, 4}, dim);
  request.columns[0].absent = .75;
  request.shape.sampled = 1;
  return plan_of(request);
}

/// Every telling column, each with a value of its own.
inline OwnedRow wide_row(std::uint32_t dim) {
  OwnedRow row{OwnedRow::Form::sparse, telling_columns(dim), {}};
  for (std::size_t i = 0; i < row.columns.size(); ++i) row.values.push_back(-1 + static_cast<float>(i) / 16);
  return row;
}

/// What is wrong with a device of `wide_plan(dim)` that is given the draw of a telling column, or of one that is not
/// listed: it must report that column, and turn its sign at exactly the draw that the column's value says.
template <class Device>
std::string finding_at_wide_columns(const ldp::Plan& plan, Device&& device) {
  const std::uint32_t dim = plan.schema().dim();
  std::vector<std::uint32_t> columns = telling_columns(dim);
  columns.insert(columns.end(), {2, 65533, dim - 3});
  const OwnedRow ones{OwnedRow::Form::ones, {dim - 1}, {}};
  for (const OwnedRow& row : {wide_row(dim), ones}) {
    for (std::uint32_t level = 1; level <= plan.levels().size(); ++level) {
      for (const std::uint32_t column : columns) {
        const auto feature = static_cast<std::int64_t>(row.value(column, .75) * 0x1p30);
        const auto turn = static_cast<random::UInt128>((random::Int128{1} << 92) +
                                                       random::Int128{feature} *
                                                           static_cast<std::int64_t>(plan.levels()[level - 1].entry));
        for (const bool plus : {true, false}) {
          const auto [high, low] = words_for_sign(plus ? turn - 1 : turn);
          ScriptedBits bits({word_for(column, dim), high, low});
          ldp::Report report;
          device(ldp::Level{level}, row.row(), bits, report);
          const std::string where = " at column " + std::to_string(column) + " of " + std::to_string(dim);
          if (bits.exhausted() || bits.used() != 3) return "another number of words" + where;
          if (report.columns != std::vector{column}) return "another column" + where;
          if (report.signs != std::vector<std::int8_t>{static_cast<std::int8_t>(plus ? 1 : -1)}) return "sign" + where;
        }
      }
    }
  }
  return {};
}

}  // namespace ppgnn::test
