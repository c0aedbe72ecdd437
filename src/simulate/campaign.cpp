#include "ppgnn/simulate/campaign.hpp"

#include <algorithm>
#include <utility>

#include "ppgnn/campaign/steps.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/server/training.hpp"
#include "ppgnn/simulate/oracle.hpp"
#include "simulate/simulated_people.hpp"

namespace ppgnn::simulate {

namespace {

// The first round.
Result<void> teach_round(const graph::Dataset& dataset, const CampaignConfig& config, const CampaignStart& start,
                         SimulatedPeople& people) {
  Result<ldp::PlanRequest> request = teaching_request(dataset, config);
  if (!request) return request.error();
  return campaign::start(people, dataset, start.split, kSimulatedCampaign, std::move(request).value());
}

// The models to play with: one, or those among which an oracle takes the best.
Result<std::vector<NamedModel>> models_of(const graph::Dataset& dataset, const CampaignConfig& config,
                                          const CampaignStart& start, const campaign::Admitted& lessons,
                                          CampaignOutcome& outcome) {
  std::vector<NamedModel> models;
  if (config.taught == Taught::reports || config.taught == Taught::marked) {
    Result<teach::TaughtModel> model = teach::learn(lessons.plan, lessons.reports, dataset.nodes, dataset.labels.span(),
                                                    dataset.num_classes(), config.teaching);
    if (!model) return model.error();
    models.push_back({"reports", std::move(model).value()});
    if (config.taught == Taught::reports) return models;
  }
  Result<teach::TaughtModel> clean = clean_model(dataset, start.split, lessons.plan);
  if (!clean) return clean.error();
  if (config.taught == Taught::clean) return std::vector<NamedModel>{{"clean", std::move(clean).value()}};
  const Result<std::vector<MarkedReport>> marked =
      config.taught == Taught::marked ? marked_reports(dataset, lessons.plan, start.levels, lessons.reports)
                                      : all_reports(dataset, lessons.plan, start.levels, start.split.train);
  if (!marked) return marked.error();
  outcome.marked = static_cast<std::size_t>(
      std::count_if(marked->begin(), marked->end(), [](const MarkedReport& one) { return one.column.has_value(); }));
  for (NamedModel& model : marked_models(dataset, lessons.plan, start.levels, *marked, *clean)) {
    models.push_back(std::move(model));
  }
  return models;
}

// The rounds of questions about one model: who is asked, what they answer, what that changes.
Result<CampaignOutcome> answer_rounds(const graph::Dataset& dataset, const CampaignConfig& config,
                                      const CampaignStart& start, const teach::TaughtModel& model,
                                      SimulatedPeople people, CampaignOutcome outcome) {
  const campaign::Structure structure = [&](const graph::Split&) -> Result<teach::Beliefs> { return start.structure; };
  campaign::AskOptions options{.pilots = config.pilots_first, .all_labels = start.all_labels, .seed = start.seed};
  options.without_reports = true;
  options.teacher = [&](const campaign::Admitted&) -> Result<teach::TaughtModel> { return model; };
  Result<campaign::Asked> asked = campaign::ask(people, dataset, structure, options);
  if (asked && config.pilots_first) {
    options.pilots = false;
    asked = campaign::ask(people, dataset, structure, options);
  }
  if (!asked) return asked.error();
  Result<campaign::Concluded> concluded = campaign::conclude(people, dataset, structure, start.all_labels);
  if (!concluded) return concluded.error();
  outcome.answered = concluded->answers;
  outcome.spent = people.spent();
  outcome.plans = people.plans();
  outcome.beliefs = std::move(concluded->conclusion.beliefs);
  outcome.used = concluded->conclusion.used;
  outcome.spread = concluded->conclusion.spread;
  return outcome;
}

}  // namespace

Result<ldp::PlanRequest> teaching_request(const graph::Dataset& dataset, const CampaignConfig& config) {
  Result<std::vector<ldp::ColumnGroup>> columns = population::columns_of(dataset.features.schema());
  if (!columns) return columns.error();
  ldp::PlanRequest request;
  request.columns = std::move(columns).value();
  request.budgets = config.budgets;
  request.secrecy = config.secrecy;
  request.level_budget = config.level_budget;
  return request;
}

Result<CampaignStart> start_campaign(const graph::Dataset& dataset, const server::Problem& problem,
                                     const DrawConfig& draw, teach::StructureOptions options, std::size_t levels,
                                     std::uint64_t run, const train::Hooks& hooks) {
  CampaignStart start{run, draw.noise_seed, levels_of(dataset, draw, levels, run), {}, {}, options.all_labels};
  Result<graph::Split> split = draw.split_of(dataset, run);
  if (!split) return split.error();
  if (Result<void> whole = check_split(*split, draw); !whole) return whole.error();
  start.split = std::move(split).value();
  options.training.seed = server::training_seed(draw.noise_seed, run);
  options.training.threads = draw.threads;
  Result<teach::Beliefs> structure = teach::structure_beliefs(problem, start.split, options, hooks);
  if (!structure) return structure.error();
  start.structure = std::move(structure).value();
  return start;
}

Result<CampaignOutcome> play_campaign(const graph::Dataset& dataset, const CampaignConfig& config,
                                      const CampaignStart& start, population::Content content) {
  if (!(config.response > 0 && config.response <= 1)) {
    return Error{ErrorCode::invalid_argument, "response: must be above 0 and at most 1"};
  }
  if (config.taught != Taught::reports && content != population::Content::features) {
    return Error{ErrorCode::invalid_argument, "taught: devices that hold nothing have nothing else to teach"};
  }
  if (config.at_home) return play_home(dataset, config, start, content);
  const double begun = server::cpu_seconds(config.threads);
  CampaignOutcome common;
  SimulatedPeople people(dataset, config, start, content);
  if (Result<void> taught = teach_round(dataset, config, start, people); !taught) return taught.error();
  common.teachers = people.teachers();
  common.liars = people.liars().all();
  const Result<campaign::Admitted> lessons = people.admit(dataset);
  if (!lessons) return lessons.error();
  const Result<std::vector<NamedModel>> models = models_of(dataset, config, start, *lessons, common);
  if (!models) return models.error();
  std::optional<CampaignOutcome> best;
  std::vector<Tried> tried;
  for (const auto& [name, model] : *models) {
    Result<CampaignOutcome> outcome = answer_rounds(dataset, config, start, model, people, common);
    if (!outcome) return outcome.error();
    if (models->size() > 1) {
      // By the test people, whom nobody may ask: it can only make the oracle better than it could be.
      tried.push_back({name, teach::quality_of(outcome->beliefs, dataset.labels.span(), start.split.test).log_loss});
      const bool better = std::all_of(tried.begin(), tried.end() - 1,
                                      [&](const Tried& other) { return tried.back().log_loss < other.log_loss; });
      if (!better) continue;
    }
    best = std::move(outcome).value();
  }
  best->tried = std::move(tried);
  best->seconds = server::cpu_seconds(config.threads) - begun;
  return std::move(*best);
}

}  // namespace ppgnn::simulate
