#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ppgnn/campaign/steps.hpp"
#include "ppgnn/ldp/published_model.hpp"

/// The steps of a campaign whose devices decide, wherever it is kept: everybody but the pilots teaches, the pilots calibrate,
/// the model is published with everybody's hint, and may be withdrawn. docs/formats/campaign.md.
namespace ppgnn::campaign {

/// Whether devices decide in a campaign.
[[nodiscard]] bool decides_at_home(const State& state) noexcept;

/// Publishes the first round: everybody teaches but the pilots, the fifth of the validation people whom the graph is least
/// sure of. Of the request count columns, budgets, secrecy and level budget.
///
/// Errors  Those of make_plan, naming the field; invalid_argument where nobody could calibrate.
[[nodiscard]] Result<void> start_home(Place& place, const graph::Dataset& dataset, const graph::Split& split,
                                      const std::string& name, ldp::PlanRequest request, const Structure& structure);

struct CalibrateOptions {
  /// Columns in which a usual person differs from absent, as somebody states who knows people a little; 0: as many as a
  /// teaching report speaks of.
  double columns = 0;
  std::uint64_t seed = 0;
};

/// Learns from what everybody taught, and asks the pilots. Their plan holds the weights of the model to be published.
///
/// Determinism  Depends on the reports and its arguments only.
/// Errors       mismatch where devices do not decide; malformed where there is no report.
[[nodiscard]] Result<Asked> calibrate(Place& place, const graph::Dataset& dataset, const Structure& structure,
                                      const CalibrateOptions& options);

struct PublishOptions {
  ldp::HintKind hint = ldp::HintKind::coarse;
  std::size_t hint_friends = 0;  ///< people with fewer friends whose label is spread are told nothing of themselves
  bool all_labels = false;       ///< whether the structure spread validation labels too
};

/// Publishes the one model of the campaign and everybody's hint. Where the pilots' reports say that features do harm, it is
/// withdrawn at once: devices decide by their hints.
///
/// Determinism  Depends on the reports and its arguments only.
/// Errors       mismatch where nobody calibrated; malformed where no pilot reported.
[[nodiscard]] Result<Decisions> publish(Place& place, const graph::Dataset& dataset, const Structure& structure,
                                        const PublishOptions& options);

/// Devices fall back to their hints, for good. Withdrawing twice is like once.
[[nodiscard]] Result<void> withdraw(Place& place);

}  // namespace ppgnn::campaign
