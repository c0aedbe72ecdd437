#include "ppgnn/ldp/category_response.hpp"

#include <algorithm>
#include <cmath>

#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/messages.hpp"

namespace ppgnn::ldp {

std::string CategoryResponse::problem_with(const PlanTables& tables) {
  const bool one = tables.schema.dim() == 1 && tables.schema.groups().front().kind == ColumnKind::category;
  return one ? "" : "schema: a category plan has exactly one column, of kind category";
}

std::string CategoryResponse::problem_with(const PlanTables&, const PlanLevel& level) {
  if (level.outcomes != 0 || level.favoured != 0) return "outcomes: follow from the schema";
  if (level.sampled == 1) return {};
  return filled("sampled: must be between 1 and 1, but is {}", {level.sampled});
}

Shape CategoryResponse::shape(const Schema& schema, const PlanLevel& level) noexcept {
  return {schema.dim(), level.sampled, static_cast<std::uint32_t>(schema.groups().front().high) + 1, 1};
}

std::uint32_t CategoryResponse::class_of(const Schema& schema, const Row& row) noexcept {
  const ColumnGroup& group = schema.groups().front();
  const double value = row.value(0, group.absent);
  // No class is a midpoint: NaN counts as the absent value. Out of range is clamped, as everywhere.
  const double kept = std::clamp(std::isnan(value) ? group.absent : value, group.low, group.high);
  return static_cast<std::uint32_t>(std::lrint(kept));
}

std::string CategoryResponse::title(const Shape& shape) {
  return filled(messages::kClassTitle, {shape.outcomes});
}

std::string CategoryResponse::content(const Shape& shape) {
  return filled(messages::kClass, {shape.outcomes});
}

}  // namespace ppgnn::ldp
