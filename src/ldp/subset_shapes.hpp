#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ppgnn/ldp/subset_response.hpp"

/// What the codebooks of a subset response share.
namespace ppgnn::ldp {

/// What is wrong with a campaign's plan that draws from a codebook, and with one of teaching reports; empty: nothing.
std::string problem_with_codebook(const PlanTables& tables);
std::string problem_with_teaching(const PlanTables& tables);

/// What is wrong with one level's numbers of outcomes; at most half of them may be favoured.
std::string problem_with_shape(const PlanLevel& level, std::uint32_t most_outcomes);

/// What a device sends, in words.
std::string content_of(const Shape& shape);

/// Numbers of outcomes sent that are worth a look.
std::vector<std::uint32_t> repeats_to_try(const ShapeWishes& wishes);

/// Whole numbers from `low` to `high`, each at most 1% (above 4,096: 4%) above the one before; `wish` alone where there is one.
std::vector<std::uint32_t> steps_between(std::uint32_t low, std::uint32_t high, std::optional<std::uint32_t> wish);

}  // namespace ppgnn::ldp
