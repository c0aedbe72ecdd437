#include "ppgnn/client/limits.hpp"

#include <algorithm>

#include "ppgnn/core/number.hpp"
#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/words.hpp"

namespace ppgnn::client {

double largest_spend(const ldp::Plan& plan) noexcept {
  double most = 0;
  for (std::size_t level = 0; level < plan.levels().size(); ++level) most = std::max(most, ldp::spent(plan, level));
  return most;
}

Result<void> check(const Limits& limits, const ldp::Plan& plan) {
  if (!(limits.report > 0) || !(limits.lifetime > 0)) {
    return Error{ErrorCode::invalid_argument, "limits: nats must be above 0"};
  }
  if (ldp::is_public(plan) && !limits.level_disclosed) {
    return Error{ErrorCode::over_limit, "plan: it sends the level in the clear, which the person did not agree to"};
  }
  if (!(largest_spend(plan) <= limits.report)) {
    return Error{ErrorCode::over_limit,
                 filled("plan: a report may cost {} nats, more than the {} that the person agreed to",
                        {format_significant_up(largest_spend(plan), 4), limits.report})};
  }
  return {};
}

}  // namespace ppgnn::client
