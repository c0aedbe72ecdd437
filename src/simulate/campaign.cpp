#include "ppgnn/simulate/campaign.hpp"

#include <cmath>
#include <utility>

#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "ppgnn/server/answers.hpp"
#include "ppgnn/server/training.hpp"
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
std::vector<calibrate::NodeReport> reports_of(const graph::Dataset& dataset, const ldp::Plan& plan,
                                              const CampaignStart& start, const CampaignConfig& config,
                                              const server::Questions& questions, std::span<const std::uint32_t> people,
                                              Content content, std::vector<double>& spent) {
  std::vector<std::uint8_t> reporting(dataset.num_nodes(), 0);
  for (const std::uint32_t person : people) {
    reporting[person] = static_cast<std::uint8_t>(responds(start, config.response, person));
  }
  const Asking asking(plan, dataset.nodes, questions);
  const Devices devices{.features = &dataset.features,
                        .levels = start.levels,
                        .seed = start.seed,
                        .run = start.run,
                        .content = content,
                        .asking = &asking,
                        .reporting = reporting};
  std::vector<ldp::Report> made = simulate_reports(plan, devices, kernels::Threads(1));
  std::vector<calibrate::NodeReport> reports;
  for (const std::uint32_t person : people) {
    if (reporting[person] == 0 || !asking.is_asked(person)) continue;
    reports.push_back({person, std::move(made[person])});
    spent[person] = content == Content::nothing
                        ? 0
                        : plan.certificate().features[static_cast<std::uint32_t>(start.levels[person]) - 1];
  }
  return reports;
}

// Everybody answers; or the pilots, and the others only if that helps.
Result<teach::Conclusion> play_questions(const graph::Dataset& dataset, const CampaignConfig& config,
                                         const CampaignStart& start, Content content, const teach::Asking& everybody,
                                         std::span<const ldp::Level> declared, CampaignOutcome& outcome) {
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
                                      const CampaignStart& start, Content content) {
  if (!(config.response > 0 && config.response <= 1)) {
    return Error{ErrorCode::invalid_argument, "response: must be above 0 and at most 1"};
  }
  const double begun = server::thread_seconds();
  CampaignOutcome outcome;
  outcome.spent.assign(dataset.num_nodes(), 0);

  Result<std::vector<ldp::ColumnGroup>> columns = columns_of(dataset.features.schema());
  if (!columns) return columns.error();
  ldp::PlanRequest request;
  request.columns = std::move(columns).value();
  request.budgets = config.budgets;
  request.secrecy = config.secrecy;
  request.level_budget = config.level_budget;
  const Result<ldp::Plan> teaching = teach::teaching_plan(std::move(request), kSimulatedCampaign, {});
  if (!teaching) return teaching.error();
  const auto lessons = reports_of(dataset, *teaching, start, config, {}, start.split.train, content, outcome.spent);
  outcome.teachers = lessons.size();
  std::span<const ldp::Level> declared;
  if (config.secrecy == ldp::LevelSecrecy::public_level) declared = start.levels;
  const Result<teach::Asking> asking =
      teach::ask(dataset, start.split, start.structure, *teaching, lessons, declared, start.seed, config.teaching);
  if (!asking) return asking.error();
  Result<teach::Conclusion> concluded = play_questions(dataset, config, start, content, *asking, declared, outcome);
  if (!concluded) return concluded.error();
  teach::Conclusion& conclusion = *concluded;
  outcome.beliefs = std::move(conclusion.beliefs);
  outcome.used = conclusion.used;
  outcome.spread = conclusion.spread;
  outcome.seconds = server::thread_seconds() - begun;
  return outcome;
}

}  // namespace ppgnn::simulate
