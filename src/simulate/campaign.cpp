#include "ppgnn/simulate/campaign.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "ppgnn/server/answers.hpp"
#include "ppgnn/server/training.hpp"
#include "ppgnn/simulate/oracle.hpp"
#include "ppgnn/teach/conclusion.hpp"
#include "ppgnn/teach/rounds.hpp"

namespace ppgnn::simulate {

namespace {

// Whether somebody who is asked reports: by chance, whoever it is.
bool responds(const CampaignStart& start, double share, std::uint32_t person) {
  seeded::SeededStream bits(start.seed, seeded::Purpose::respond, start.run << 32 | person);
  return std::ldexp(static_cast<double>(bits.next() >> 11), -53) < share;
}

// Whom a round of questions is for.
std::vector<std::uint32_t> asked_in(const teach::Asking& round) {
  std::vector<std::uint32_t> people;
  for (std::uint32_t person = 0; person < round.questions.size(); ++person) {
    if (round.questions[person]) people.push_back(person);
  }
  return people;
}

// The reports of some people under one plan.
std::vector<ldp::NodeReport> reports_of(const graph::Dataset& dataset, const ldp::Plan& plan,
                                        const CampaignStart& start, const CampaignConfig& config,
                                        const ldp::Questions& questions, std::span<const std::uint32_t> people,
                                        population::Content content, std::vector<double>& spent) {
  std::vector<std::uint8_t> reporting(dataset.num_nodes(), 0);
  for (const std::uint32_t person : people) {
    reporting[person] = static_cast<std::uint8_t>(responds(start, config.response, person));
  }
  const population::Asking asking(plan, dataset.nodes, questions);
  const population::Devices devices{.features = &dataset.features,
                                    .levels = start.levels,
                                    .seed = start.seed,
                                    .run = start.run,
                                    .content = content,
                                    .asking = &asking,
                                    .reporting = reporting};
  std::vector<ldp::Report> made = population::simulate_reports(plan, devices, kernels::Threads(1));
  std::vector<ldp::NodeReport> reports;
  for (const std::uint32_t person : people) {
    if (reporting[person] == 0 || !asking.is_asked(person)) continue;
    reports.push_back({person, std::move(made[person])});
    spent[person] = content == population::Content::nothing
                        ? 0
                        : plan.certificate().features[static_cast<std::uint32_t>(start.levels[person]) - 1];
  }
  return reports;
}

// Everybody answers; or the pilots, and the others only if that helps.
Result<teach::Conclusion> play_questions(const graph::Dataset& dataset, const CampaignConfig& config,
                                         const CampaignStart& start, population::Content content,
                                         const teach::Asking& everybody, std::span<const ldp::Level> declared,
                                         CampaignOutcome& outcome) {
  server::Answers answers;
  const auto play = [&](const teach::Asking& round) {
    answers.add(round.questions, reports_of(dataset, round.plan, start, config, round.questions, asked_in(round),
                                            content, outcome.spent));
    outcome.answered = answers.reports.size();
    return teach::conclude(dataset, start.split, start.structure, start.all_labels, round.plan, answers.questions,
                           answers.reports);
  };
  if (!config.pilots_first) return play(everybody);
  const Result<teach::Asking> pilots = teach::ask_pilots(everybody, start.split);
  if (!pilots) return pilots.error();
  teach::Conclusion conclusion = play(*pilots);
  if (!conclusion.used) return conclusion;
  const Result<teach::Asking> others = teach::ask_others(dataset, start.split, start.structure, pilots->plan, declared);
  if (!others) return others.error();
  return play(*others);
}

// The first round: its plan and what the teachers sent.
struct Lessons {
  ldp::Plan plan;
  std::vector<ldp::NodeReport> reports;
};

Result<Lessons> teach_round(const graph::Dataset& dataset, const CampaignConfig& config, const CampaignStart& start,
                            population::Content content, std::vector<double>& spent) {
  Result<std::vector<ldp::ColumnGroup>> columns = population::columns_of(dataset.features.schema());
  if (!columns) return columns.error();
  ldp::PlanRequest request;
  request.columns = std::move(columns).value();
  request.budgets = config.budgets;
  request.secrecy = config.secrecy;
  request.level_budget = config.level_budget;
  Result<ldp::Plan> plan = teach::teaching_plan(std::move(request), kSimulatedCampaign, {});
  if (!plan) return plan.error();
  auto reports = reports_of(dataset, *plan, start, config, {}, start.split.train, content, spent);
  return Lessons{std::move(plan).value(), std::move(reports)};
}

// The model that reports taught.
Result<teach::TaughtModel> learnt(const graph::Dataset& dataset, const Lessons& lessons,
                                  const teach::TeachOptions& options) {
  return teach::learn(lessons.plan, lessons.reports, dataset.nodes, dataset.labels.span(), dataset.num_classes(),
                      options);
}

// The models to play with: one, or those among which an oracle takes the best.
Result<std::vector<NamedModel>> models_of(const graph::Dataset& dataset, const CampaignConfig& config,
                                          const CampaignStart& start, const Lessons& lessons,
                                          CampaignOutcome& outcome) {
  std::vector<NamedModel> models;
  if (config.taught == Taught::reports || config.taught == Taught::marked) {
    Result<teach::TaughtModel> model = learnt(dataset, lessons, config.teaching);
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
Result<CampaignOutcome> answer_round(const graph::Dataset& dataset, const CampaignConfig& config,
                                     const CampaignStart& start, population::Content content, const Lessons& lessons,
                                     const teach::TaughtModel& model, CampaignOutcome outcome) {
  std::span<const ldp::Level> declared;
  if (config.secrecy == ldp::LevelSecrecy::public_level) declared = start.levels;
  const Result<teach::Asking> asking = teach::ask_about(model, dataset, start.split, start.structure, lessons.plan,
                                                        lessons.reports, declared, start.seed);
  if (!asking) return asking.error();
  Result<teach::Conclusion> conclusion = play_questions(dataset, config, start, content, *asking, declared, outcome);
  if (!conclusion) return conclusion.error();
  outcome.beliefs = std::move(conclusion->beliefs);
  outcome.used = conclusion->used;
  outcome.spread = conclusion->spread;
  return outcome;
}

}  // namespace

Result<CampaignStart> start_campaign(const graph::Dataset& dataset, const server::Problem& problem,
                                     const DrawConfig& draw, teach::StructureOptions options, std::size_t levels,
                                     std::uint64_t run, const train::Hooks& hooks) {
  CampaignStart start{run, draw.noise_seed, levels_of(dataset, draw, levels, run), {}, {}, options.all_labels};
  Result<graph::Split> split = graph::make_split(dataset, draw.split_seed, run);
  if (!split) return split.error();
  start.split = std::move(split).value();
  options.training.seed = server::training_seed(draw.noise_seed, run);
  options.training.threads = 1;
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
  const double begun = server::thread_seconds();
  CampaignOutcome common;
  common.spent.assign(dataset.num_nodes(), 0);
  const Result<Lessons> lessons = teach_round(dataset, config, start, content, common.spent);
  if (!lessons) return lessons.error();
  common.teachers = lessons->reports.size();
  const Result<std::vector<NamedModel>> models = models_of(dataset, config, start, *lessons, common);
  if (!models) return models.error();
  std::optional<CampaignOutcome> best;
  std::vector<Tried> tried;
  for (const auto& [name, model] : *models) {
    Result<CampaignOutcome> outcome = answer_round(dataset, config, start, content, *lessons, model, common);
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
  best->seconds = server::thread_seconds() - begun;
  return std::move(*best);
}

}  // namespace ppgnn::simulate
