#include "ldp/subset_shapes.hpp"

#include <algorithm>

#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/messages.hpp"

namespace ppgnn::ldp {

namespace {

std::string must_be(std::string_view field, std::uint32_t low, std::uint32_t high, std::uint32_t value) {
  return filled("{}: must be between {} and {}, but is {}", {field, low, high, value});
}

}  // namespace

std::string problem_with_codebook(const PlanTables& tables) {
  if (tables.gamma != 0) return "gamma: must be 0 for this kind of report";
  for (const ColumnGroup& group : tables.schema.groups()) {
    if (group.kind == ColumnKind::category) return "schema: a category column needs a category plan";
  }
  return {};
}

std::string problem_with_teaching(const PlanTables& tables) {
  return tables.campaign->role == Role::teach ? problem_with_codebook(tables) : "role: these reports teach";
}

std::string problem_with_shape(const PlanLevel& level, std::uint32_t most_outcomes) {
  if (level.sampled < 1 || level.sampled > kMaxRepeats) return must_be("sampled", 1, kMaxRepeats, level.sampled);
  if (level.outcomes < 2 || level.outcomes > most_outcomes)
    return must_be("outcomes", 2, most_outcomes, level.outcomes);
  const std::uint32_t most = std::min(level.outcomes / 2, kMaxFavoured);
  if (level.favoured < 1 || level.favoured > most) return must_be("favoured", 1, most, level.favoured);
  return {};
}

std::string content_of(const Shape& shape) {
  if (shape.sampled == 1) return filled(messages::kNumber, {shape.outcomes, shape.favoured});
  return filled(messages::kNumbers, {shape.sampled, shape.outcomes, shape.favoured});
}

std::vector<std::uint32_t> repeats_to_try(const ShapeWishes& wishes) {
  if (wishes.sampled) return {*wishes.sampled};
  return {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
}

std::vector<std::uint32_t> steps_between(std::uint32_t low, std::uint32_t high, std::optional<std::uint32_t> wish) {
  if (wish) return {*wish};
  std::vector<std::uint32_t> steps;
  for (std::uint32_t at = low; at < high; at += std::max<std::uint32_t>(1, at / (at < 4096 ? 100 : 25))) {
    steps.push_back(at);
  }
  steps.push_back(high);
  return steps;
}

}  // namespace ppgnn::ldp
