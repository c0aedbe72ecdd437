#include "campaign_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "command.hpp"
#include "ppgnn/campaign/folder.hpp"
#include "ppgnn/core/names.hpp"
#include "ppgnn/graph/node_lines.hpp"
#include "ppgnn/population/levels.hpp"
#include "ppgnn/server/training.hpp"
#include "ppgnn/teach/structure.hpp"

namespace ppgnn::app {

void LabelledData::add_to(CLI::App& command) {
  data.add_to(command);
  command.add_option(
      "--labels", labels_file,
      std::string("CSV with the header node,class, instead of the data's labels; nodes left out are unknown") +
          kOrStandardInput);
}

Result<graph::Dataset> LabelledData::load() const {
  Result<graph::Dataset> dataset = data.load(graph::MissingFeatures::accept);
  if (dataset && !labels_file.empty()) dataset = graph::with_labels(std::move(dataset).value(), labels_file);
  if (dataset) print_notes(*dataset);
  return dataset;
}

void StructureChoice::add_seed(CLI::App& command) {
  command.add_option("--seed", seed, "Seed of split and training")->capture_default_str();
  command.add_option("--run", run, "Which run of ppgnn run to reproduce")->capture_default_str();
  whole_numbers(command, {"--seed", {"--run", kMaxRun}});
}

void StructureChoice::add_to(CLI::App& command) {
  add_seed(command);
  command
      .add_option("--spread", spread,
                  "Labels that the graph spreads: train: of the training part; all: of the validation part too, for "
                  "deployment")
      ->transform(one_of(names_of(teach::kLabelChoices)))
      ->capture_default_str();
  command.add_option("--threads", threads, "0: one per core")->capture_default_str();
  whole_numbers(command, {{"--threads", kernels::kMaxThreads}});
}

bool StructureChoice::all_labels() const {
  return find_named(teach::kLabelChoices, spread)->all;
}

campaign::Structure StructureChoice::of(const graph::Dataset& dataset) const {
  return [this, &dataset](const graph::Split& split) -> Result<teach::Beliefs> {
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
  };
}

void PlaceChoice::add_to(CLI::App& command) {
  CLI::Option* files = command.add_option("--folder", folder, "Folder of the campaign's files");
  command
      .add_option("--store", store, "Store of a collector, instead of a folder: sqlite:PATH or postgres:service=NAME")
      ->excludes(files);
}

void PlaceChoice::add_levels(CLI::App& command) {
  command.add_option("--levels", levels_file,
                     std::string("With --folder and public levels: CSV with the header node,level, as people declared "
                                 "them; reports must state these, and people whose class their own budget could not "
                                 "change are not asked") +
                         kOrStandardInput);
}

Result<std::unique_ptr<campaign::Place>> PlaceChoice::open(const ReportsChoice& reports,
                                                           const graph::Dataset& dataset) const {
  if (!given()) return invalid("where the campaign is: --folder or --store");
  if (!store.empty()) {
    if (!reports.files.empty() || !levels_file.empty()) return invalid("--reports and --levels: a store has them");
    Result<campaign::InStore> opened = open_store(store, store::Opening::existing, reports.allow_seeded);
    if (!opened) return opened.error();
    return std::unique_ptr<campaign::Place>(std::make_unique<campaign::InStore>(std::move(opened).value()));
  }
  if (reports.files.empty()) return invalid("--reports is missing");
  campaign::FolderReports files{reports.files, reports.choice(), {}};
  if (!levels_file.empty()) {
    const Result<std::size_t> levels = campaign::Folder(folder).public_levels();
    if (!levels) return levels.error();
    Result<std::vector<ldp::Level>> read = population::read_levels(levels_file, dataset, *levels);
    if (!read) return read.error();
    files.levels = std::move(read).value();
  }
  return std::unique_ptr<campaign::Place>(std::make_unique<campaign::Folder>(folder, std::move(files)));
}

Result<std::unique_ptr<campaign::Place>> PlaceChoice::open() const {
  if (!given()) return invalid("where the campaign is: --folder or --store");
  if (store.empty()) return std::unique_ptr<campaign::Place>(std::make_unique<campaign::Folder>(folder));
  Result<campaign::InStore> opened = open_store(store);
  if (!opened) return opened.error();
  return std::unique_ptr<campaign::Place>(std::make_unique<campaign::InStore>(std::move(opened).value()));
}

Result<void> check_given(const CLI::App& command, const std::vector<std::string>& allowed, const std::string& why) {
  for (const CLI::Option* option : command.get_options()) {
    const bool known = std::find(allowed.begin(), allowed.end(), option->get_name()) != allowed.end();
    if (option->count() > 0 && !known && option->get_envname().empty()) return invalid(option->get_name() + ": " + why);
  }
  return {};
}

}  // namespace ppgnn::app
