#include "campaign_files.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <utility>

#include "command.hpp"
#include "ppgnn/collector/steps.hpp"
#include "ppgnn/core/names.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/plan_files/plan_files.hpp"
#include "ppgnn/server/answers.hpp"
#include "ppgnn/server/people_list.hpp"
#include "ppgnn/server/question_files.hpp"
#include "ppgnn/server/training.hpp"

namespace ppgnn::app {

void StructureChoice::add_seed(CLI::App& command) {
  command.add_option("--seed", seed, "Seed of split and training")->capture_default_str();
  command.add_option("--run", run, "Which run of ppgnn run to reproduce")->capture_default_str();
  whole_numbers(command, {"--seed", {"--run", kMaxRun}});
}

void StructureChoice::add_to(CLI::App& command) {
  add_seed(command);
  command
      .add_option("--labels", labels,
                  "Labels that the graph spreads: train: of the training part; all: of the validation part too, for "
                  "deployment")
      ->check(CLI::IsMember(names_of(teach::kLabelChoices)))
      ->capture_default_str();
  command.add_option("--threads", threads, "0: one per core")->capture_default_str();
  whole_numbers(command, {{"--threads", kernels::kMaxThreads}});
}

bool StructureChoice::all_labels() const {
  return find_named(teach::kLabelChoices, labels)->all;
}

Result<teach::Beliefs> StructureChoice::beliefs(const graph::Dataset& dataset, const graph::Split& split) const {
  const Result<server::Problem> problem = server::Problem::make(dataset);
  if (!problem) return problem.error();
  teach::StructureOptions options{.all_labels = all_labels()};
  options.training.seed = server::training_seed(seed, run);
  options.training.threads = threads;
  Progress progress("what the graph says");
  double done = 0;
  train::Hooks hooks;
  hooks.progress = [&](const train::EpochRecord&) {
    progress.update(++done, static_cast<double>(options.training.epochs));
  };
  return teach::structure_beliefs(*problem, split, options, hooks);
}

namespace {

// Plan, reports and questions of a round, of people who are on its list and on no earlier one.
struct RoundFiles {
  ldp::Plan plan;
  server::Answers answers;
};

Result<RoundFiles> read_files(const teach::CampaignFolder& files, ldp::Role role, const graph::Dataset& dataset,
                              const ReportsChoice& reports) {
  Result<ldp::Plan> plan = plan_files::read_plan(files.plan(role).string());
  if (!plan) return plan.error();
  Result<server::PeopleList> list = server::PeopleList::read(files.people(role), *plan);
  if (!list) return list.error();
  auto read = reports.read(dataset, *plan);
  if (!read) return read.error();
  if (Result<void> listed = server::check_on_list(*list, dataset.nodes, *read); !listed) {
    return io::in_file(reports.file, listed.error());
  }
  ldp::Questions questions;
  if (plan->tables().model) {
    auto asked = server::read_questions(files.questions(role), dataset, *plan);
    if (!asked) return asked.error();
    questions = std::move(asked).value();
  }
  std::vector<server::PeopleList> lists;
  for (const ldp::Role before : ldp::kRoles) {
    if (before == role) break;
    if (!std::filesystem::exists(files.plan(before))) continue;
    const Result<ldp::Plan> earlier = plan_files::read_plan(files.plan(before).string());
    if (!earlier) return earlier.error();
    Result<server::PeopleList> people = server::PeopleList::read(files.people(before), *earlier);
    if (!people) return people.error();
    lists.push_back(std::move(people).value());
  }
  lists.push_back(std::move(list).value());
  if (Result<void> disjoint = server::check_disjoint(lists); !disjoint) return disjoint.error();
  return RoundFiles{std::move(plan).value(), {std::move(questions), std::move(read).value()}};
}

}  // namespace

Result<RoundInputs> read_round(const teach::CampaignFolder& files, ldp::Role role, const DataChoice& data,
                               const ReportsChoice& reports) {
  Result<graph::Dataset> dataset = data.load(graph::MissingFeatures::accept);
  if (!dataset) return dataset.error();
  print_notes(*dataset);
  Result<graph::Split> split = graph::read_split(files.split(), *dataset);
  if (!split) return split.error();
  Result<RoundFiles> round = read_files(files, role, *dataset, reports);
  if (!round) return round.error();
  return RoundInputs{std::move(round->plan),
                     std::move(dataset).value(),
                     std::move(split).value(),
                     std::move(round->answers.reports),
                     {},
                     std::move(round->answers.questions),
                     {},
                     0};
}

Result<void> add_pilots(const teach::CampaignFolder& files, ReportsChoice reports, const std::string& pilots_file,
                        RoundInputs& inputs) {
  reports.file = pilots_file;
  const Result<RoundFiles> pilots = read_files(files, ldp::Role::pilot, inputs.dataset, reports);
  if (!pilots) return pilots.error();
  server::Answers all{std::move(inputs.questions), std::move(inputs.reports)};
  all.add(pilots->answers.questions, pilots->answers.reports);
  inputs.questions = std::move(all.questions);
  inputs.reports = std::move(all.reports);
  return {};
}

Result<OpenCampaign> open_campaign(const std::string& where) {
  Result<std::unique_ptr<store::Store>> store = store::open(where, store::Opening::existing);
  if (!store) return store.error();
  Result<std::optional<store::Campaign>> campaign = (*store)->campaign();
  if (!campaign) return campaign.error();
  if (!*campaign || (*campaign)->rounds.empty()) {
    return Error{ErrorCode::mismatch, where + ": there is no campaign in it (ppgnn campaign start)"};
  }
  return OpenCampaign{std::move(store).value(), std::move(**campaign)};
}

Result<std::optional<ldp::Role>> last_role(const OpenCampaign& opened) {
  const Result<ldp::Plan> plan = ldp::Plan::parse(opened.campaign.rounds.back().plan);
  if (!plan) return plan.error();
  const auto& campaign = plan->tables().campaign;
  return campaign ? std::optional(campaign->role) : std::nullopt;
}

ldp::Role last_role(const teach::CampaignFolder& files) {
  for (const ldp::Role role : {ldp::Role::answer, ldp::Role::pilot}) {
    if (std::filesystem::exists(files.plan(role))) return role;
  }
  return ldp::Role::teach;
}

Result<RoundInputs> read_round(store::Store& store, const DataChoice& data, bool allow_seeded) {
  Result<graph::Dataset> dataset = data.load(graph::MissingFeatures::accept);
  if (!dataset) return dataset.error();
  print_notes(*dataset);
  Result<collector::CollectedRound> round = collector::read_answers(store, *dataset, allow_seeded);
  if (!round) return round.error();
  if (!round->split)
    return Error{ErrorCode::mismatch, store.where() + ": this campaign has one round and no questions"};
  return RoundInputs{
      std::move(round->plan),   std::move(dataset).value(),  std::move(*round->split), std::move(round->reports),
      std::move(round->levels), std::move(round->questions), std::move(round->erased), round->erasures};
}

}  // namespace ppgnn::app
