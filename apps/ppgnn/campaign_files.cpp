#include "campaign_files.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <utility>

#include "command.hpp"
#include "ppgnn/collector/steps.hpp"
#include "ppgnn/core/names.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/plan_files/plan_files.hpp"
#include "ppgnn/server/people_list.hpp"
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

Result<RoundInputs> read_round(const teach::CampaignFolder& files, ldp::Role role, const DataChoice& data,
                               const ReportsChoice& reports) {
  Result<ldp::Plan> plan = plan_files::read_plan(files.plan(role).string());
  if (!plan) return plan.error();
  Result<server::PeopleList> list = server::PeopleList::read(files.people(role), *plan);
  if (!list) return list.error();
  Result<graph::Dataset> dataset = data.load(graph::MissingFeatures::accept);
  if (!dataset) return dataset.error();
  print_notes(*dataset);
  Result<graph::Split> split = graph::read_split(files.split(), *dataset);
  if (!split) return split.error();
  auto read = reports.read(*dataset, *plan);
  if (!read) return read.error();
  if (Result<void> listed = server::check_on_list(*list, dataset->nodes, *read); !listed) {
    return io::in_file(reports.file, listed.error());
  }
  if (role == ldp::Role::answer) {
    const Result<ldp::Plan> earlier = plan_files::read_plan(files.plan(ldp::Role::teach).string());
    if (!earlier) return earlier.error();
    Result<server::PeopleList> taught = server::PeopleList::read(files.people(ldp::Role::teach), *earlier);
    if (!taught) return taught.error();
    const std::array<server::PeopleList, 2> both{std::move(taught).value(), std::move(list).value()};
    if (Result<void> disjoint = server::check_disjoint(both); !disjoint) return disjoint.error();
  }
  return RoundInputs{std::move(plan).value(),
                     std::move(dataset).value(),
                     std::move(split).value(),
                     std::move(read).value(),
                     {},
                     {},
                     {},
                     0};
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

Result<RoundInputs> read_round(store::Store& store, std::uint32_t number, const DataChoice& data, bool allow_seeded) {
  Result<graph::Dataset> dataset = data.load(graph::MissingFeatures::accept);
  if (!dataset) return dataset.error();
  print_notes(*dataset);
  Result<collector::CollectedRound> round = collector::read_round(store, *dataset, number, allow_seeded);
  if (!round) return round.error();
  if (!round->split)
    return Error{ErrorCode::mismatch, store.where() + ": this campaign has one round and no questions"};
  return RoundInputs{
      std::move(round->plan),   std::move(dataset).value(),  std::move(*round->split), std::move(round->reports),
      std::move(round->levels), std::move(round->questions), std::move(round->erased), round->erasures};
}

}  // namespace ppgnn::app
