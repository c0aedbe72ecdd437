#pragma once

#include <cstddef>
#include <string>

#include "ppgnn/client/ledger.hpp"
#include "ppgnn/ldp/plan.hpp"

namespace ppgnn::client {

/// What a person spent so far, and what a report of `plan` at a level, counted from 0, would add: for the person to see
/// before it is spent. Private: not for a log.
[[nodiscard]] std::string words_on(const Spending& spending, const ldp::Plan& plan, std::size_t level);

}  // namespace ppgnn::client
