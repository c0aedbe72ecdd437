#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/row.hpp"
#include "ppgnn/random/secure_source.hpp"

namespace ppgnn::client {

/// A person's device: checks a plan, then makes reports of it. Sees no graph and no server; its randomness is the
/// operating system's and nothing can be put in its place.
///
/// Privacy  What `plan().certificate()` states, for each report. Two reports of one person cost the sum of both: make
///          one per round and send the same bytes again when sending fails. Whether the person agrees to the plan's
///          budgets is for the application to ask: it shows `plan().certificate()` or pins the plan's hash.
/// Errors   A plan that is not canonical or whose certificate does not hold is refused; a level the plan does not have
///          is refused without naming it. So is a row that does not fit the plan's schema (`ldp::Row::fits`): columns
///          out of order, repeated or too large, another number of values than columns, more values than columns there
///          are. A dense row that is too short is none of these: what it lacks is absent. A refusal draws nothing and
///          does not depend on the level or on any value.
/// Threads  One client per thread.
class Client {
 public:
  /// Verifies the plan's certificate from its integers; never plans.
  [[nodiscard]] static Result<Client> make(std::string_view plan_text);

  /// The bytes to send for `round`: docs/formats/report.md.
  [[nodiscard]] Result<std::vector<std::uint8_t>> report(ldp::Level level, const ldp::Row& features,
                                                         std::uint64_t round);

  [[nodiscard]] const ldp::Plan& plan() const noexcept { return plan_; }

 private:
  explicit Client(ldp::Plan plan) : plan_(std::move(plan)) {}

  ldp::Plan plan_;
  random::SecureSource bits_;
};

}  // namespace ppgnn::client
