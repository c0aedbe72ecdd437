// The steps of a campaign whose devices decide: everybody but the pilots teaches, the pilots say what features are worth,
// and the model is published with everybody's hint.
#include "ppgnn/campaign/home.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <utility>

#include "ppgnn/teach/conclusion.hpp"
#include "ppgnn/teach/home.hpp"

namespace ppgnn::campaign {

namespace {

using ldp::Role;

constexpr double kColumn = 65536;  // how far from absent one column can be, as ldp::step_of counts

// Numbers that a text keeps, with a name each.
std::string numbers_text(std::initializer_list<std::pair<const char*, double>> numbers) {
  std::string text;
  for (const auto& [name, value] : numbers) {
    std::array<char, 64> line{};
    std::snprintf(line.data(), line.size(), "%s %.17g\n", name, value);
    text += line.data();
  }
  return text;
}

Result<void> read_numbers(const std::string& text, std::initializer_list<std::pair<const char*, double*>> numbers) {
  std::size_t at = 0;
  for (const auto& [name, value] : numbers) {
    const std::string key = std::string(name) + ' ';
    const std::size_t end = text.find('\n', at);
    const bool named = end != std::string::npos && text.compare(at, key.size(), key) == 0;
    char* after = nullptr;
    if (named) *value = std::strtod(text.c_str() + at + key.size(), &after);
    if (!named || after != text.c_str() + end || !std::isfinite(*value)) {
      return Error{ErrorCode::malformed, "expected '" + key + "' and a number"};
    }
    at = end + 1;
  }
  return at == text.size() ? Result<void>() : Error{ErrorCode::malformed, "text after the last number"};
}

Result<State> home_state(Place& place) {
  Result<State> state = place.load();
  if (state && !teach::decides_at_home(state->rounds.front().plan)) {
    return Error{ErrorCode::mismatch,
                 place.where() + ": devices do not decide in this campaign (ppgnn campaign start --decide home)"};
  }
  return state;
}

Result<teach::Beliefs> beliefs_of(const graph::Dataset& dataset, const graph::Split& split,
                                  const Structure& structure) {
  const Result<teach::Beliefs> made = structure(split);
  if (!made) return made.error();
  return teach::calibrated(*made, dataset.labels.span(), split);
}

}  // namespace

std::string Decisions::lift_text() const {
  return numbers_text(
      {{"pilots", static_cast<double>(pilots)}, {"weight", weight}, {"lift", lift}, {"low", low}, {"high", high}});
}

Result<void> Decisions::read_lift(const std::string& text) {
  double count = 0;
  Result<void> read =
      read_numbers(text, {{"pilots", &count}, {"weight", &weight}, {"lift", &lift}, {"low", &low}, {"high", &high}});
  pilots = static_cast<std::size_t>(std::clamp(count, 0.0, 1e15));
  return read;
}

bool decides_at_home(const State& state) noexcept {
  return teach::decides_at_home(state.rounds.front().plan);
}

Result<void> start_home(Place& place, const graph::Dataset& dataset, const graph::Split& split, const std::string& name,
                        ldp::PlanRequest request, const Structure& structure) {
  Result<ldp::Plan> plan = teach::home_teaching_plan(std::move(request), name);
  if (!plan) return plan.error();
  const Result<teach::Beliefs> beliefs = beliefs_of(dataset, split, structure);
  if (!beliefs) return beliefs.error();
  const std::vector<graph::NodeId> pilots = teach::home_pilots(*beliefs, split.validation);
  if (pilots.empty()) {
    return Error{ErrorCode::invalid_argument, "split: too few validation people for any to calibrate; at least 5"};
  }
  Publication first{std::move(plan).value(), {}, {}, split};
  for (graph::NodeId person = 0; person < dataset.num_nodes(); ++person) {
    if (!std::binary_search(pilots.begin(), pilots.end(), person)) first.people.push_back(person);
  }
  const Result<bool> published = place.publish(dataset, first);
  if (!published) return published.error();
  return {};
}

Result<Asked> calibrate(Place& place, const graph::Dataset& dataset, const Structure& structure,
                        const CalibrateOptions& options) {
  const Result<State> state = home_state(place);
  if (!state) return state.error();
  Asked outcome;
  if (state->rounds.size() > 1) {
    outcome.already = place.repeatable();
    if (outcome.already) return outcome;
    return Error{ErrorCode::invalid_argument,
                 place.where() + ": pilots were asked already, and report once per campaign"};
  }
  std::optional<teach::Beliefs> beliefs;  // of graph and labels: nobody's erasure changes them
  const auto step = [&]() -> Result<bool> {
    const Result<Admitted> lessons = place.admit(dataset);
    if (!lessons) return lessons.error();
    if (lessons->reports.empty()) return Error{ErrorCode::malformed, place.where() + ": there is no report in it"};
    const graph::Split& split = *lessons->split;
    if (!beliefs) {
      Result<teach::Beliefs> made = beliefs_of(dataset, split, structure);
      if (!made) return made.error();
      beliefs = std::move(made).value();
    }
    const Result<teach::TaughtModel> taught = teach::learn(lessons->plan, lessons->reports, dataset.nodes,
                                                           teach::taught_as(*beliefs, dataset.labels.span(), split));
    if (!taught) return taught.error();
    const std::size_t words = lessons->plan.shape(0).favoured;
    const double columns = options.columns > 0 ? options.columns : static_cast<double>(words);
    const teach::HomeModel home = teach::home_model(
        *taught, dataset.class_names, words, static_cast<std::uint64_t>(std::ceil(columns * kColumn)), options.seed);
    std::vector<graph::NodeId> pilots;
    for (const graph::NodeId person : split.validation) {
      if (lessons->took_part.empty() || lessons->took_part[person] == 0) pilots.push_back(person);
    }
    Result<teach::Asking> asking = teach::ask_home_pilots(home, lessons->plan, *beliefs, pilots);
    if (!asking) return asking.error();
    Publication round{std::move(asking->plan),
                      {},
                      std::move(asking->questions),
                      {},
                      numbers_text({{"nats", home.nats}, {"unit", home.unit}, {"trust", home.trust}})};
    for (const graph::NodeId person : pilots) {
      if (lessons->erased.empty() || lessons->erased[person] == 0) round.people.push_back(person);
    }
    outcome.reports = lessons->reports.size();
    outcome.asked = round.people.size();
    return place.publish(dataset, round);
  };
  if (Result<void> done = despite_erasures(place, step); !done) return done.error();
  return outcome;
}

Result<Decisions> publish(Place& place, const graph::Dataset& dataset, const Structure& structure,
                          const PublishOptions& options) {
  const Result<State> state = home_state(place);
  if (!state) return state.error();
  if (state->published) {
    if (place.repeatable()) return *state->published;
    return Error{ErrorCode::invalid_argument, place.where() + ": there is one model per campaign, and it is published"};
  }
  if (state->rounds.size() < 2) {
    return Error{ErrorCode::mismatch, place.where() + ": nobody calibrated yet (ppgnn campaign calibrate)"};
  }
  std::optional<teach::Beliefs> beliefs;
  Decisions decisions;
  const auto step = [&]() -> Result<bool> {
    const Result<Admitted> answers = place.admit(dataset);
    if (!answers) return answers.error();
    if (answers->reports.empty()) return Error{ErrorCode::malformed, place.where() + ": there is no report in it"};
    const graph::Split& split = *answers->split;
    if (!beliefs) {
      Result<teach::Beliefs> made = beliefs_of(dataset, split, structure);
      if (!made) return made.error();
      beliefs = std::move(made).value();
    }
    teach::HomeModel home{*answers->plan.tables().model};
    home.model.confident.clear();
    Result<void> read =
        read_numbers(answers->note, {{"nats", &home.nats}, {"unit", &home.unit}, {"trust", &home.trust}});
    if (!read) {
      return Error{read.error().code, place.where() + ": home: " + read.error().message};
    }
    const Result<ldp::PublishedModel> draft = teach::publish(home, 0, answers->plan, *beliefs, options.hint);
    if (!draft) return draft.error();
    const auto enough = teach::befriended(dataset, split, options.all_labels, options.hint_friends);
    std::vector<std::optional<ldp::Hint>> hints;
    std::vector<ldp::Hint> told;
    for (std::uint32_t person = 0; person < dataset.num_nodes(); ++person) {
      told.push_back(enough[person] != 0 ? teach::hint_for(*draft, beliefs->of(person)) : ldp::Hint::usual());
      hints.emplace_back(told.back());
    }
    const teach::Asking asked{answers->plan, answers->questions};
    const teach::Calibration found =
        teach::calibrate_home(home, *draft, asked, answers->reports, hints, dataset.labels.span());
    const Result<ldp::PublishedModel> model = teach::publish(home, found.weight, answers->plan, *beliefs, options.hint);
    if (!model) return model.error();
    decisions = {model->text(), found.pilots, found.weight, found.lift, found.low, found.high, found.harmful()};
    return place.publish_model(dataset, decisions, told);
  };
  if (Result<void> done = despite_erasures(place, step); !done) return done.error();
  return decisions;
}

Result<void> withdraw(Place& place) {
  const Result<State> state = home_state(place);
  if (!state) return state.error();
  if (!state->published) return Error{ErrorCode::mismatch, place.where() + ": there is no model to withdraw"};
  return state->published->withdrawn ? Result<void>() : place.withdraw();
}

}  // namespace ppgnn::campaign
