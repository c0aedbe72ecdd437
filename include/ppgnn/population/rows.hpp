#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/features.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/row.hpp"

/// The columns of a data set and everybody's row of them, as devices take them.
namespace ppgnn::population {

/// The features of a data set as a plan's schema: neighbouring columns alike become one group.
///
/// Errors  invalid_argument for no columns, or a column whose range is one point (see graph::derive_schema).
[[nodiscard]] Result<std::vector<ldp::ColumnGroup>> columns_of(const graph::FeatureSchema& schema);

/// One person's row.
[[nodiscard]] ldp::Row row_of(const graph::Features& features, std::size_t node);

/// People's rows as the devices of a plan take them. Where the data and the plan mean different values by a column that
/// a row does not list, rows list every column.
class PlanRows {
 public:
  /// The features must have the plan's columns.
  PlanRows(const graph::Features& features, const ldp::Plan& plan);

  /// Lives as long as `buffer` is not used again.
  [[nodiscard]] ldp::Row row(std::size_t person, std::vector<float>& buffer) const;

  /// Columns with values out of the plan's range, which devices clamp.
  [[nodiscard]] std::vector<std::uint32_t> clamped_columns() const;

 private:
  const graph::Features* features_;
  const ldp::Plan* plan_;
  bool in_full_ = false;
};

}  // namespace ppgnn::population
