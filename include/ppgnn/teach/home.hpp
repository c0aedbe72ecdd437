#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/graph/split.hpp"
#include "ppgnn/ldp/hint.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/published_model.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/teach/beliefs.hpp"
#include "ppgnn/teach/rounds.hpp"
#include "ppgnn/teach/teacher.hpp"

/// A campaign whose devices decide: everybody but the pilots teaches, the pilots say how much features are worth, and the
/// model is published with a hint for everybody. `beliefs` are always what graph and labels say (calibrated).
namespace ppgnn::teach {

/// The people who calibrate: the fifth of the validation people whom the graph is least sure of. Ascending.
[[nodiscard]] std::vector<graph::NodeId> home_pilots(const Beliefs& beliefs, std::span<const graph::NodeId> validation);

/// The plan of the first round, in which everybody but the pilots teaches: teaching_plan with a rule that says so.
[[nodiscard]] Result<ldp::Plan> home_teaching_plan(ldp::PlanRequest request, const std::string& campaign);
/// Whether a campaign that begins with this plan is one whose devices decide: by its rule, which people read.
[[nodiscard]] bool decides_at_home(const ldp::Plan& teaching) noexcept;

/// One per person, 1 for people with at least `least` friends whose label is spread.
[[nodiscard]] std::vector<std::uint8_t> befriended(const graph::Dataset& dataset, const graph::Split& split,
                                                   bool all_labels, std::size_t least);

/// What everybody teaches as: people with a label as that, the others as they are believed to be.
[[nodiscard]] Beliefs taught_as(const Beliefs& beliefs, std::span<const std::int32_t> labels,
                                const graph::Split& split);

/// A taught model as devices take it at home.
struct HomeModel {
  ldp::QuestionModel model;  ///< asks nothing
  double nats = 0;           ///< what one weight says by itself, as if words came independently of each other
  double unit = 0;           ///< a usual lead, in weights
  double trust = 1;          ///< how much of what weights say is more than chance; TaughtModel::trust
};

/// `words`: that a teaching report stands for. `length`: how far a usual person's features are from absent in all
/// (ldp::step_of); a public number that somebody states before anybody reports; not used where columns go to both sides.
///
/// Determinism  Depends on its arguments only.
[[nodiscard]] HomeModel home_model(const TaughtModel& taught, const graph::StringList& class_names, std::size_t words,
                                   std::uint64_t length, std::uint64_t seed);

/// Asks the pilots how far their features speak for the first against the second of the classes that the graph finds
/// likeliest. How finely, the certificate decides: of two, four and eight outcomes those that tell most.
///
/// Errors  Those of make_plan.
[[nodiscard]] Result<Asking> ask_home_pilots(const HomeModel& home, const ldp::Plan& teaching, const Beliefs& beliefs,
                                             std::span<const graph::NodeId> pilots);

/// The model to publish; `weight`: what the pilots say that features are worth, against `HomeModel::nats`.
///
/// Errors  Those of PublishedModel::make.
[[nodiscard]] Result<ldp::PublishedModel> publish(const HomeModel& home, double weight, const ldp::Plan& teaching,
                                                  const Beliefs& beliefs, ldp::HintKind hint);

/// Somebody's hint, of what is believed of them.
[[nodiscard]] ldp::Hint hint_for(const ldp::PublishedModel& model, std::span<const float> believed);

/// What pilots' reports say.
struct Calibration {
  double weight = 0;       ///< of what features say; what teaching reports cannot tell from chance is taken off
  std::size_t pilots = 0;  ///< whose reports count: their class is one of the two they were asked about
  double lift = 0;  ///< nats of log-loss per such pilot that features add, judged by pilots who did not set the weight
  double low = 0;   ///< its 95% interval
  double high = 0;

  /// Features do harm, as far as can be told: the model is not to be used.
  [[nodiscard]] bool harmful() const noexcept { return high < 0; }
};

/// `draft`: the model with any weight, for its hints; `hints` one per person, of pilots at least.
///
/// Estimate     The evidence's histogram by expectation-maximisation, noise included, in strata of the graph's odds; then
///              the weight's mean logarithm under the likelihood of the pilots' labels and a normal prior (-.5, .5); times
///              the model's trust, so that features which say nothing do no harm however few pilots there are.
/// Determinism  Depends on its arguments only; one thread.
/// Source       docs/research/home.md
[[nodiscard]] Calibration calibrate_home(const HomeModel& home, const ldp::PublishedModel& draft, const Asking& pilots,
                                         std::span<const ldp::NodeReport> reports,
                                         std::span<const std::optional<ldp::Hint>> hints,
                                         std::span<const std::int32_t> labels);

}  // namespace ppgnn::teach
