#include "ppgnn/population/rows.hpp"

#include <cassert>
#include <string>

namespace ppgnn::population {

Result<std::vector<ldp::ColumnGroup>> columns_of(const graph::FeatureSchema& schema) {
  std::vector<ldp::ColumnGroup> groups;
  const auto same = [&](std::size_t a, std::size_t b) {
    return schema.kinds[a] == schema.kinds[b] && schema.low[a] == schema.low[b] && schema.high[a] == schema.high[b] &&
           schema.absent[a] == schema.absent[b];
  };
  for (std::size_t column = 0; column < schema.size(); ++column) {
    if (!(schema.low[column] < schema.high[column])) {
      return Error{ErrorCode::invalid_argument,
                   "column " + std::to_string(column) + " has a range of one point: drop it"};
    }
    if (column > 0 && same(column - 1, column)) {
      ++groups.back().count;
      continue;
    }
    const bool binary = static_cast<graph::ColumnKind>(schema.kinds[column]) == graph::ColumnKind::binary;
    groups.push_back({"feature", 1, binary ? ldp::ColumnKind::binary : ldp::ColumnKind::number,
                      static_cast<double>(schema.low[column]), static_cast<double>(schema.high[column]),
                      static_cast<double>(schema.absent[column])});
  }
  if (groups.empty()) return Error{ErrorCode::invalid_argument, "features: there are no columns"};
  return groups;
}

ldp::Row row_of(const graph::Features& features, std::size_t node) {
  const auto columns = features.pattern().row(node);
  if (features.values().empty()) return ldp::Row::ones(columns);
  return ldp::Row::sparse(columns,
                          features.values().span().subspan(features.pattern().offsets()[node], columns.size()));
}

PlanRows::PlanRows(const graph::Features& features, const ldp::Plan& plan) : features_(&features), plan_(&plan) {
  assert(features.cols() == plan.schema().dim());
  for (std::uint32_t column = 0; column < plan.schema().dim() && !in_full_; ++column) {
    in_full_ = static_cast<double>(features.schema().absent[column]) != plan.schema().group_of(column).absent;
  }
}

ldp::Row PlanRows::row(std::size_t person, std::vector<float>& buffer) const {
  if (!in_full_) return row_of(*features_, person);
  const auto absent = features_->schema().absent.span();
  buffer.assign(absent.begin(), absent.end());
  const auto columns = features_->pattern().row(person);
  const std::size_t first = features_->pattern().offsets()[person];
  for (std::size_t i = 0; i < columns.size(); ++i) {
    buffer[columns[i]] = features_->value(first + i);
  }
  return ldp::Row::dense(buffer);
}

std::vector<std::uint32_t> PlanRows::clamped_columns() const {
  std::vector<bool> clamped(features_->cols(), false);
  const auto check = [&](std::uint32_t column, float value) {
    const ldp::ColumnGroup& group = plan_->schema().group_of(column);
    // The plan's numbers may be finer than the data's.
    if (value < static_cast<float>(group.low) || value > static_cast<float>(group.high)) clamped[column] = true;
  };
  std::vector<std::size_t> listed(features_->cols(), 0);
  for (std::size_t person = 0; person < features_->rows(); ++person) {
    const auto columns = features_->pattern().row(person);
    const std::size_t first = features_->pattern().offsets()[person];
    for (std::size_t i = 0; i < columns.size(); ++i) {
      ++listed[columns[i]];
      check(columns[i], features_->value(first + i));
    }
  }
  std::vector<std::uint32_t> found;
  for (std::uint32_t column = 0; column < clamped.size(); ++column) {
    if (listed[column] < features_->rows()) check(column, features_->schema().absent[column]);
    if (clamped[column]) found.push_back(column);
  }
  return found;
}

}  // namespace ppgnn::population
