#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "ppgnn/campaign/place.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/teach/beliefs.hpp"
#include "ppgnn/teach/conclusion.hpp"
#include "ppgnn/teach/teacher.hpp"

/// The steps of a campaign between rounds of reports, wherever it is kept: labelled people teach; of the others first the
/// pilots answer, where wanted, and then everybody else; what they answered is concluded.
namespace ppgnn::campaign {

/// What is to be done next.
enum class Next {
  reports,  ///< people report; then the round is closed
  ask,
  calibrate,  ///< where devices decide
  publish,    ///< likewise, the model
  published,
  train,
  predict,  ///< it is concluded
};
[[nodiscard]] Next next_step(const State& state) noexcept;

/// What graph and labels say of everybody.
using Structure = std::function<Result<teach::Beliefs>(const graph::Split& split)>;
/// What the lessons taught; empty: teach::learn.
using Teacher = std::function<Result<teach::TaughtModel>(const Admitted& lessons)>;

/// Makes a step that says whether what it computed was kept (Place::publish, Place::conclude). If people were erased meanwhile whose
/// reports it had read, it is made again without them; after three times once more, while erasures wait: nobody keeps a campaign
/// from going on, and nothing is kept that was computed with somebody who was erased before.
[[nodiscard]] Result<void> despite_erasures(Place& place, const std::function<Result<bool>()>& step);

/// Publishes the first round: the people of the training part teach. Only columns, budgets, secrecy and level budget of the
/// request are used.
///
/// Errors  Those of make_plan, naming the field.
[[nodiscard]] Result<void> start(Place& place, const graph::Dataset& dataset, const graph::Split& split,
                                 const std::string& name, ldp::PlanRequest request);

struct AskOptions {
  bool pilots = false;      ///< only people with a label who did not teach, for now
  bool all_labels = false;  ///< whether the structure spread validation labels too
  std::uint64_t seed = 0;
  bool without_reports = false;  ///< go on where nobody reported, as simulated people may
  Teacher teacher = {};
};

/// What became of a step of asking.
struct Asked {
  ldp::Role before = ldp::Role::teach;  ///< what people did in the round before
  bool already = false;                 ///< the round was there; nothing was made
  bool helps = true;                    ///< else the pilots' answers do not help, and nobody else is asked
  std::size_t reports = 0;              ///< in the round before
  std::size_t asked = 0;
  std::size_t not_asked = 0;  ///< because no answer could change what is believed of them
};

/// Learns from the reports so far, decides whom to ask what, and publishes that round.
///
/// Determinism  Depends on the reports and its arguments only.
/// Errors       mismatch where the campaign has no questions; invalid_argument where people were asked already; malformed
///              where there is no report, unless that is allowed.
[[nodiscard]] Result<Asked> ask(Place& place, const graph::Dataset& dataset, const Structure& structure,
                                const AskOptions& options);

/// What came out of a campaign.
struct Concluded {
  std::size_t answers = 0;
  teach::Conclusion conclusion;
  std::optional<teach::Quality> test;         ///< of the test part, where there is one
  std::optional<teach::Quality> graph_alone;  ///< the same people without any report
};

/// Weighs graph, labels and answers, and keeps everybody's class.
///
/// Determinism  Depends on the reports and its arguments only.
/// Errors       mismatch where nobody was asked yet.
[[nodiscard]] Result<Concluded> conclude(Place& place, const graph::Dataset& dataset, const Structure& structure,
                                         bool all_labels);

}  // namespace ppgnn::campaign
