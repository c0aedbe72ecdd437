#pragma once

#include <cstddef>
#include <string>

#include "ppgnn/client/ledger.hpp"
#include "ppgnn/client/limits.hpp"
#include "ppgnn/ldp/plan.hpp"

namespace ppgnn::client {

/// What a person spent so far, and what a report of `plan` at a level, counted from 0, would add: for the person to see
/// before it is spent. Private: not for a log.
[[nodiscard]] std::string words_on(const Spending& spending, const ldp::Plan& plan, std::size_t level);
/// The same where the campaign has its report.
[[nodiscard]] std::string words_on(const Spending& spending);
/// What of the limits is used up.
[[nodiscard]] std::string words_on(const Spending& spending, const Limits& limits);

}  // namespace ppgnn::client
