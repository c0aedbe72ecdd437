#include "ppgnn/simulate/campaign.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "ppgnn/ldp/answer_response.hpp"
#include "ppgnn/ldp/bucket_response.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "ppgnn/server/training.hpp"
#include "ppgnn/teach/asking.hpp"

namespace ppgnn::simulate {

namespace {

// Nats by which a part of the pool must make the validation labels likelier: as many as it has weights.
constexpr double kWorthAWeight = 1;

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

// The pool of some parts, the first of which is always in it: each other one is added in turn where it makes the
// validation labels likelier by more than its weight costs.
teach::Beliefs pooled(std::span<const teach::Beliefs* const> parts, std::span<const std::int32_t> labels,
                      std::span<const std::uint32_t> people, std::vector<bool>& taken) {
  std::vector<const teach::Beliefs*> chosen{parts.front()};
  std::vector<double> centre{1};
  const auto beliefs = [&] { return teach::Pool::fit(chosen, labels, people, centre).apply(chosen); };
  teach::Beliefs best = beliefs();
  const double count = static_cast<double>(people.size());
  for (const teach::Beliefs* part : parts.subspan(1)) {
    chosen.push_back(part);
    centre.push_back(1);
    const teach::Pool pool = teach::Pool::fit(chosen, labels, people, centre);
    teach::Beliefs next = pool.apply(chosen);
    const double gain = (quality_of(best, labels, people).log_loss - quality_of(next, labels, people).log_loss) * count;
    taken.push_back(pool.weights.back() > 0 && gain > kWorthAWeight);
    if (taken.back()) {
      best = std::move(next);
      continue;
    }
    chosen.pop_back();
    centre.pop_back();
  }
  return best;
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
  const teach::Beliefs* const alone = &start.structure;
  const teach::Beliefs believed = teach::Pool::fit({&alone, 1}, labels, start.split.validation, {1}).apply({&alone, 1});
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

  std::vector<std::int32_t> pilots(dataset.num_nodes(), graph::kUnknown);
  for (const std::uint32_t person : start.split.validation) pilots[person] = labels[person];
  const teach::AnswerModel model = teach::AnswerModel::fit(*asking, *questions, answers, pilots);
  const teach::Beliefs evidence = model.evidence(dataset.num_nodes(), *questions, answers);
  std::vector<std::uint32_t> known = start.split.train;
  if (start.all_labels) known.insert(known.end(), start.split.validation.begin(), start.split.validation.end());
  const teach::Beliefs heard = teach::spread_answers(dataset.graph, believed, evidence, labels, known);
  std::vector<bool> taken;
  const std::array<const teach::Beliefs*, 3> parts{&start.structure, &evidence, &heard};
  outcome.beliefs = pooled(parts, labels, start.split.validation, taken);
  outcome.used = taken[0];
  outcome.spread = taken[1];
  outcome.seconds = server::thread_seconds() - begun;
  return outcome;
}

}  // namespace ppgnn::simulate
