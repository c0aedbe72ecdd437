#pragma once

#include <string>
#include <string_view>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/plan.hpp"

/// A plan's canonical text without its last line, and back. docs/formats/plan.md.
namespace ppgnn::ldp {

std::string plan_text(const PlanTables& tables);

/// Errors  malformed, naming the line. Other spellings of the same plan are not noticed: write it again and compare.
[[nodiscard]] Result<PlanTables> parse_plan_text(std::string_view body);

}  // namespace ppgnn::ldp
