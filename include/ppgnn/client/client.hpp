#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/question.hpp"
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

  /// The name under which the server knows the person, from which the public salt follows; plans of a campaign need it.
  void set_person(std::string_view name);
  /// The person's question, docs/formats/question.md; a plan of answers needs it. Refused: bytes that are no question of
  /// this plan, or with fewer classes than a level chooses from.
  [[nodiscard]] Result<void> set_question(std::span<const std::uint8_t> bytes);
  /// What would leave the device at `level`, in words, with the question and the columns that weigh most in it.
  [[nodiscard]] Result<std::string> preview(ldp::Level level) const;

  /// The bytes to send for `round`: docs/formats/report.md.
  [[nodiscard]] Result<std::vector<std::uint8_t>> report(ldp::Level level, const ldp::Row& features,
                                                         std::uint64_t round);

  [[nodiscard]] const ldp::Plan& plan() const noexcept { return plan_; }

 private:
  explicit Client(ldp::Plan plan) : plan_(std::move(plan)) {}

  // Why no report can be made whatever the features are; empty: nothing.
  [[nodiscard]] std::string missing(ldp::Level level) const;

  ldp::Plan plan_;
  std::optional<std::uint64_t> salt_;
  std::optional<ldp::Question> question_;
  random::SecureSource bits_;
};

}  // namespace ppgnn::client
