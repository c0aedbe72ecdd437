#include "ppgnn/simulate/campaign.hpp"

#include <cmath>
#include <utility>

#include "ppgnn/ldp/answer_response.hpp"
#include "ppgnn/ldp/bucket_response.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "ppgnn/server/training.hpp"
#include "ppgnn/teach/asking.hpp"
#include "ppgnn/teach/conclusion.hpp"

namespace ppgnn::simulate {

namespace {

Result<ldp::Plan> plan_for(const graph::Dataset& dataset, const CampaignConfig& config, ldp::Role role,
                           std::optional<ldp::QuestionModel> model) {
  Result<std::vector<ldp::ColumnGroup>> columns = columns_of(dataset.features.schema());
  if (!columns) return columns.error();
  ldp::PlanRequest request;
  request.kind = model ? ldp::AnswerResponse::kKind : ldp::BucketResponse::kKind;
  request.columns = std::move(columns).value();
  request.budgets = config.budgets;
  request.secrecy = config.secrecy;
  request.level_budget = config.level_budget;
  request.campaign = ldp::Campaign{"simulated", role, "drawn by the simulation", sha256("simulated")};
  request.model = std::move(model);
  return ldp::make_plan(request);
}

// Whether somebody who is asked reports: by chance, whoever it is.
bool responds(const CampaignStart& start, double share, std::uint32_t person) {
  seeded::SeededStream bits(start.seed, seeded::Purpose::respond, start.run << 32 | person);
  return std::ldexp(static_cast<double>(bits.next() >> 11), -53) < share;
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
  const auto labels = dataset.labels.span();

  Result<ldp::Plan> teaching = plan_for(dataset, config, ldp::Role::teach, {});
  if (!teaching) return teaching.error();
  const auto lessons = reports_of(dataset, *teaching, start, config, {}, start.split.train, content, outcome.spent);
  outcome.teachers = lessons.size();
  const Result<teach::TaughtModel> taught =
      teach::learn(*teaching, lessons, dataset.nodes, labels, dataset.num_classes(), config.teaching);
  if (!taught) return taught.error();

  Result<ldp::Plan> asking =
      plan_for(dataset, config, ldp::Role::answer,
               teach::question_model(*taught, dataset.class_names, teaching->shape(0).favoured, start.seed));
  if (!asking) return asking.error();
  const teach::Beliefs believed = teach::calibrated(start.structure, labels, start.split);
  std::vector<bool> teaches(dataset.num_nodes(), false);
  for (const std::uint32_t person : start.split.train) teaches[person] = true;
  std::vector<std::uint32_t> others;
  for (std::uint32_t person = 0; person < dataset.num_nodes(); ++person) {
    if (!teaches[person]) others.push_back(person);
  }
  const bool is_public = config.secrecy == ldp::LevelSecrecy::public_level;
  const Result<server::Questions> questions = teach::questions_for(
      *asking, believed, others, is_public ? std::span<const ldp::Level>(start.levels) : std::span<const ldp::Level>());
  if (!questions) return questions.error();
  const auto answers = reports_of(dataset, *asking, start, config, *questions, others, content, outcome.spent);
  outcome.answered = answers.size();

  teach::Conclusion conclusion =
      teach::conclude(dataset, start.split, start.structure, start.all_labels, *asking, *questions, answers);
  outcome.beliefs = std::move(conclusion.beliefs);
  outcome.used = conclusion.used;
  outcome.spread = conclusion.spread;
  outcome.seconds = server::thread_seconds() - begun;
  return outcome;
}

}  // namespace ppgnn::simulate
