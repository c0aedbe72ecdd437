#include "ppgnn/campaign/steps.hpp"

#include <utility>

#include "ppgnn/teach/home.hpp"
#include "ppgnn/teach/rounds.hpp"

namespace ppgnn::campaign {

namespace {

using ldp::Role;

// What people did in the last round.
Result<Role> last_role(const Place& place, const State& state) {
  if (teach::decides_at_home(state.rounds.front().plan)) {
    return Error{ErrorCode::mismatch, place.where() +
                                          ": devices decide in this campaign: nobody answers, and nothing is "
                                          "trained (ppgnn campaign calibrate, publish)"};
  }
  if (const auto role = state.rounds.back().role) return *role;
  return Error{ErrorCode::mismatch, place.where() + ": this campaign has one round and no questions"};
}

Result<std::optional<teach::Asking>> optional_of(Result<teach::Asking> asking) {
  if (!asking) return asking.error();
  return std::optional(std::move(asking).value());
}

// The next round; nothing where the pilots' answers do not help, so that nobody else is to answer.
Result<std::optional<teach::Asking>> next_asking(const graph::Dataset& dataset, const Admitted& so_far, Role before,
                                                 const teach::Beliefs& structure, const AskOptions& options) {
  const graph::Split& split = *so_far.split;
  if (before == Role::pilot) {
    const teach::Conclusion shown =
        teach::conclude(dataset, split, structure, options.all_labels, so_far.plan, so_far.questions, so_far.reports);
    if (!shown.used) return std::optional<teach::Asking>();
    return optional_of(teach::ask_others(dataset, split, structure, so_far.plan, so_far.levels));
  }
  const Result<teach::TaughtModel> taught =
      options.teacher
          ? options.teacher(so_far)
          : teach::learn(so_far.plan, so_far.reports, dataset.nodes, dataset.labels.span(), dataset.num_classes());
  if (!taught) return taught.error();
  Result<teach::Asking> everybody =
      teach::ask_about(*taught, dataset, split, structure, so_far.plan, so_far.reports, so_far.levels, options.seed);
  if (!everybody || !options.pilots) return optional_of(std::move(everybody));
  return optional_of(teach::ask_pilots(*everybody, split));
}

// What graph and labels say, unless it is there.
Result<void> make_beliefs(const Structure& structure, const Admitted& admitted, std::optional<teach::Beliefs>& into) {
  if (into) return {};
  Result<teach::Beliefs> made = structure(*admitted.split);
  if (!made) return made.error();
  into = std::move(made).value();
  return {};
}

// How many people a round could have been for.
std::size_t could_be_asked(const graph::Dataset& dataset, const graph::Split& split, Role before, bool pilots) {
  if (pilots) return split.validation.size();
  return dataset.num_nodes() - split.train.size() - (before == Role::pilot ? split.validation.size() : 0);
}

}  // namespace

Next next_step(const State& state) noexcept {
  if (state.concluded) return Next::predict;
  if (state.published) return Next::published;
  const RoundState& last = state.rounds.back();
  if (last.open) return Next::reports;
  if (teach::decides_at_home(state.rounds.front().plan)) {
    return last.role == Role::teach ? Next::calibrate : Next::publish;
  }
  return last.role && *last.role != Role::answer ? Next::ask : Next::train;
}

Result<void> start(Place& place, const graph::Dataset& dataset, const graph::Split& split, const std::string& name,
                   ldp::PlanRequest request) {
  Result<ldp::Plan> plan = teach::teaching_plan(std::move(request), name, {});
  if (!plan) return plan.error();
  Publication first{std::move(plan).value(), split.train, {}, split};
  const Result<bool> published = place.publish(dataset, first);
  if (!published) return published.error();
  return {};
}

Result<void> despite_erasures(Place& place, const std::function<Result<bool>()>& step) {
  constexpr int kAttempts = 3;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Result<bool> kept = step();
    if (!kept) return kept.error();
    if (*kept) return {};
  }
  return place.alone([&]() -> Result<void> {
    const Result<bool> kept = step();
    if (!kept) return kept.error();
    return {};
  });
}

Result<Asked> ask(Place& place, const graph::Dataset& dataset, const Structure& structure, const AskOptions& options) {
  const Result<State> state = place.load();
  if (!state) return state.error();
  const Result<Role> before = last_role(place, *state);
  if (!before) return before.error();
  Asked outcome{.before = *before};
  const Role made = options.pilots ? Role::pilot : Role::answer;
  outcome.already = *before == made && place.repeatable();
  if (outcome.already) return outcome;
  if (*before >= made) {
    return Error{ErrorCode::invalid_argument,
                 place.where() + ": people were asked already, and report once per campaign"};
  }
  std::optional<teach::Beliefs> beliefs;  // of graph and labels: nobody's erasure changes them
  const auto step = [&]() -> Result<bool> {
    Result<Admitted> so_far = place.admit(dataset);
    if (!so_far) return so_far.error();
    if (so_far->reports.empty() && !options.without_reports)
      return Error{ErrorCode::malformed, place.where() + ": there is no report in it"};
    if (Result<void> there = make_beliefs(structure, *so_far, beliefs); !there) return there.error();
    Result<std::optional<teach::Asking>> next = next_asking(dataset, *so_far, *before, *beliefs, options);
    if (!next) return next.error();
    outcome.reports = so_far->reports.size();
    outcome.helps = next->has_value();
    if (!outcome.helps) return true;

    Publication round{std::move((*next)->plan), {}, std::move((*next)->questions), {}};
    for (std::uint32_t person = 0; person < dataset.num_nodes(); ++person) {
      const bool erased = !so_far->erased.empty() && so_far->erased[person] != 0;
      if (round.questions[person] && !erased) round.people.push_back(person);
    }
    const Result<bool> published = place.publish(dataset, round);
    outcome.asked = round.people.size();
    outcome.not_asked = could_be_asked(dataset, *so_far->split, *before, options.pilots) - outcome.asked;
    return published;
  };
  if (Result<void> done = despite_erasures(place, step); !done) return done.error();
  return outcome;
}

Result<Concluded> conclude(Place& place, const graph::Dataset& dataset, const Structure& structure, bool all_labels) {
  const Result<State> state = place.load();
  if (!state) return state.error();
  const Result<Role> last = last_role(place, *state);
  if (!last) return last.error();
  if (*last == Role::teach) {
    return Error{ErrorCode::mismatch, place.where() + ": people taught, and nobody was asked yet (ppgnn campaign ask)"};
  }
  std::optional<teach::Beliefs> beliefs;
  Concluded concluded;
  const auto step = [&]() -> Result<bool> {
    const Result<Admitted> admitted = place.admit(dataset);
    if (!admitted) return admitted.error();
    const graph::Split& split = *admitted->split;
    if (Result<void> made = make_beliefs(structure, *admitted, beliefs); !made) return made.error();
    concluded = {
        admitted->reports.size(),
        teach::conclude(dataset, split, *beliefs, all_labels, admitted->plan, admitted->questions, admitted->reports),
        {},
        {}};
    const teach::Beliefs& after = concluded.conclusion.beliefs;
    if (!split.test.empty()) {
      const auto labels = dataset.labels.span();
      concluded.test = teach::quality_of(after, labels, split.test);
      concluded.graph_alone = teach::quality_of(teach::calibrated(*beliefs, labels, split), labels, split.test);
    }
    server::ClassTable table{admitted->plan.tables().model->classes, teach::classes_of(after), {}};
    for (std::size_t node = 0; node < table.likeliest.size(); ++node) {
      table.probabilities.push_back(static_cast<double>(after.of(node)[table.likeliest[node]]));
    }
    return place.conclude(dataset, table);
  };
  if (Result<void> done = despite_erasures(place, step); !done) return done.error();
  return concluded;
}

}  // namespace ppgnn::campaign
