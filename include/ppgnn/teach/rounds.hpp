#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/graph/split.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/ldp/question.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/teach/beliefs.hpp"
#include "ppgnn/teach/teacher.hpp"

/// The rounds of a campaign: training people teach, the others answer; or, where nobody is to answer in vain, of the others
/// first the pilots, who have a label, and everybody else only if the pilots' answers help.
namespace ppgnn::teach {

/// The plan of the first round. Of the request count columns, budgets, secrecy and level budget.
///
/// Errors  Those of make_plan, naming the field.
[[nodiscard]] Result<ldp::Plan> teaching_plan(ldp::PlanRequest request, const std::string& campaign,
                                              const Digest& people);

/// A round of questions: its plan, and who is asked what.
struct Asking {
  ldp::Plan plan;
  ldp::Questions questions;  ///< one a person, nothing for who is not asked
};

/// Asks everybody who did not have to teach and whom an answer could move, about a model that the lessons taught (learn).
/// Budgets, secrecy and columns are those of the teaching plan; of the lessons counts who gave them. `levels`: as declared,
/// one per person, where they are public; empty: not known. The plan has no digest of its people yet: with_people.
///
/// Determinism  Depends on its arguments only.
/// Errors       Those of make_plan for a model that no device takes; mismatch for beliefs that are not of its classes.
[[nodiscard]] Result<Asking> ask_about(const TaughtModel& taught, const graph::Dataset& dataset,
                                       const graph::Split& split, const Beliefs& structure, const ldp::Plan& teaching,
                                       std::span<const ldp::NodeReport> lessons, std::span<const ldp::Level> levels,
                                       std::uint64_t seed);

/// Of these questions only those of the pilots, for a round of their own: validation people, whose labels say what their
/// answers are worth. With a plan that says so.
[[nodiscard]] Result<Asking> ask_pilots(const Asking& asking, const graph::Split& split);

/// The round after the pilots': the model of their plan, and the questions that `ask` has for everybody who is neither one
/// of them nor taught. Whether it is worth it, conclude() says of the pilots' answers.
///
/// Errors  Those of questions_for.
[[nodiscard]] Result<Asking> ask_others(const graph::Dataset& dataset, const graph::Split& split,
                                        const Beliefs& structure, const ldp::Plan& pilots,
                                        std::span<const ldp::Level> levels);

/// The same plan for a list of people: its digest (server::PeopleList) is another, and so is the hash.
[[nodiscard]] Result<ldp::Plan> with_people(const ldp::Plan& plan, const Digest& people);

}  // namespace ppgnn::teach
