#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "ppgnn/collector/problems.hpp"
#include "ppgnn/store/store.hpp"

namespace ppgnn::collector {

/// What a device, a status and a metric say of a report's outcome. In the order of store::Outcome.
struct OutcomeRow {
  std::string_view name;
  std::optional<Problem> problem;
  unsigned status;
};
inline constexpr std::array kOutcomes{
    OutcomeRow{"stored", std::nullopt, 201}, OutcomeRow{"repeated", std::nullopt, 200},
    OutcomeRow{"differs", Problem::different_report, 409}, OutcomeRow{"erased", Problem::erased, 410},
    OutcomeRow{"closed", Problem::round_closed, 409}};

}  // namespace ppgnn::collector
