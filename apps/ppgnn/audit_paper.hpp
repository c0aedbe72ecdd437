#pragma once

#include <cstdint>

#include "budget_options.hpp"
#include "command.hpp"

namespace ppgnn::app {

/// What the paper's protocol gives people with `dim` columns, as a table or as JSON; its claim about the level is
/// refuted, and the status says so.
[[nodiscard]] Status audit_paper(std::uint32_t dim, const BudgetChoice& choice, bool as_json);

}  // namespace ppgnn::app
