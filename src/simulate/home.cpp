#include "ppgnn/teach/home.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "ppgnn/ldp/decide.hpp"
#include "ppgnn/server/training.hpp"
#include "ppgnn/teach/conclusion.hpp"
#include "ppgnn/teach/rounds.hpp"
#include "simulate/simulated_people.hpp"

namespace ppgnn::simulate {

namespace {

// How far a usual person's features are from absent, as somebody would state it who knows people a little: to a power of
// two.
std::uint64_t usual_length(const graph::Dataset& dataset, const ldp::Plan& plan) {
  const population::PlanRows rows(dataset.features, plan);
  std::vector<float> buffer;
  double sum = 0;
  for (std::size_t person = 0; person < dataset.num_nodes(); ++person) {
    rows.row(person, buffer).for_each(plan.schema().dim(), [&](std::uint32_t column, double value) {
      sum += std::abs(static_cast<double>(ldp::step_of(plan.schema().group_of(column), value)));
    });
  }
  const double mean = sum / std::max<double>(1, static_cast<double>(dataset.num_nodes()));
  return static_cast<std::uint64_t>(std::exp2(std::round(std::log2(std::max(1.0, mean)))));
}

// Everybody's decision, each by the person's own device.
teach::Beliefs decisions(const graph::Dataset& dataset, const ldp::PublishedModel& model, const ldp::Plan& teaching,
                         const teach::Beliefs& beliefs, std::span<const std::uint8_t> enough,
                         population::Content content, const CampaignStart& start) {
  teach::Beliefs decided{beliefs.classes, std::vector<float>(beliefs.values.size())};
  const population::PlanRows rows(dataset.features, teaching);
  const std::vector<std::uint32_t> held = population::holders(content, beliefs.people(), start.seed, start.run);
  std::vector<float> buffer;
  std::vector<std::uint32_t> probabilities(beliefs.classes);
  const bool features = content != population::Content::nothing;
  for (std::size_t person = 0; person < beliefs.people(); ++person) {
    const ldp::Hint hint = enough[person] != 0 ? teach::hint_for(model, beliefs.of(person)) : ldp::Hint::usual();
    static_cast<void>(
        ldp::decide(model, hint, features ? rows.row(held[person], buffer) : ldp::Row::ones({}), probabilities, {}));
    std::transform(probabilities.begin(), probabilities.end(), decided.of(person).begin(),
                   [](std::uint32_t one) { return static_cast<float>(one) / static_cast<float>(ldp::kCertain); });
  }
  return decided;
}

}  // namespace

Result<CampaignOutcome> play_home(const graph::Dataset& dataset, const CampaignConfig& config,
                                  const CampaignStart& start, population::Content content) {
  const double begun = server::cpu_seconds(config.threads);
  const auto labels = dataset.labels.span();
  const teach::Beliefs beliefs = teach::calibrated(start.structure, labels, start.split);
  const std::vector<graph::NodeId> pilots = teach::home_pilots(beliefs, start.split.validation);
  SimulatedPeople people(dataset, config, start, content);

  // Everybody but the pilots teaches.
  Result<ldp::PlanRequest> request = teaching_request(dataset, config);
  if (!request) return request.error();
  Result<ldp::Plan> plan = teach::teaching_plan(std::move(request).value(), kSimulatedCampaign, {});
  if (!plan) return plan.error();
  campaign::Publication round{*plan, {}, {}, start.split};
  for (graph::NodeId person = 0; person < dataset.num_nodes(); ++person) {
    if (!std::binary_search(pilots.begin(), pilots.end(), person)) round.people.push_back(person);
  }
  if (Result<bool> published = people.publish(dataset, round); !published) return published.error();
  CampaignOutcome outcome;
  outcome.teachers = people.teachers();
  outcome.liars = people.liars().all();
  Result<teach::TaughtModel> taught = [&]() -> Result<teach::TaughtModel> {
    const Result<campaign::Admitted> lessons = people.admit(dataset);
    if (!lessons) return lessons.error();
    return teach::learn(*plan, lessons->reports, dataset.nodes, teach::taught_as(beliefs, labels, start.split),
                        config.teaching);
  }();
  if (!taught) return taught.error();
  const teach::HomeModel home = teach::home_model(*taught, dataset.class_names, plan->shape(0).favoured,
                                                  usual_length(dataset, *plan), start.seed);

  // The pilots say what features are worth.
  Result<teach::Asking> asking = teach::ask_home_pilots(home, *plan, beliefs, pilots);
  if (!asking) return asking.error();
  campaign::Publication asked{asking->plan, pilots, asking->questions, {}};
  if (Result<bool> published = people.publish(dataset, asked); !published) return published.error();
  const Result<campaign::Admitted> answers = people.admit(dataset);
  if (!answers) return answers.error();
  const Result<ldp::PublishedModel> draft = teach::publish(home, 0, *plan, beliefs, config.hint);
  if (!draft) return draft.error();
  const std::vector<std::uint8_t> enough =
      teach::befriended(dataset, start.split, start.all_labels, config.hint_friends);
  std::vector<std::optional<ldp::Hint>> hints(dataset.num_nodes());
  for (const graph::NodeId person : pilots) {
    hints[person] = enough[person] != 0 ? teach::hint_for(*draft, beliefs.of(person)) : ldp::Hint::usual();
  }
  HomeOutcome& found = outcome.home.emplace();
  found.calibration = teach::calibrate_home(home, *draft, *asking, answers->reports, hints, labels);
  found.withdrawn = found.calibration.harmful();
  found.impersonal = static_cast<std::size_t>(std::count(enough.begin(), enough.end(), 0));
  found.pilot_outcomes = asking->plan.outcomes();

  // Devices decide by the published model; without it, by their hints.
  const Result<ldp::PublishedModel> model =
      teach::publish(home, found.withdrawn ? 0 : found.calibration.weight, *plan, beliefs, config.hint);
  if (!model) return model.error();
  outcome.beliefs = decisions(dataset, *model, *plan, beliefs, enough, content, start);
  outcome.answered = answers->reports.size();
  outcome.spent = people.spent();
  outcome.plans = people.plans();
  outcome.used = !found.withdrawn;
  outcome.seconds = server::cpu_seconds(config.threads) - begun;
  return outcome;
}

}  // namespace ppgnn::simulate
