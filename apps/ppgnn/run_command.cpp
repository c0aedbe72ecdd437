// ppgnn run: a study of one cell. Simulated devices and what the server makes of their reports, with the control and the
// non-private figure beside it: a campaign that teaches and asks, or one of the methods that average reports.
#include <fmt/core.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "command.hpp"
#include "method_options.hpp"
#include "ppgnn/core/names.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/kernels/instruction_set.hpp"
#include "ppgnn/study/one_cell.hpp"
#include "run_options.hpp"
#include "run_report.hpp"

namespace ppgnn::app {

namespace {

// Enough people for private features to help visibly; the other methods, for which no number is enough, show as much
// with fewer.
constexpr const char* kTeachData = "synthetic:social,nodes=20000";
constexpr std::uint64_t kTeachRuns = 5;
constexpr std::uint64_t kOtherRuns = 10;

struct RunOptions {
  DataChoice data;
  TrainingChoice training;  // for its options: what they say goes into the setting as it is
  MethodChoice method;
  std::uint64_t runs = 0;
  std::string response, spread;
  bool pilots = false;
  std::uint64_t seed = 0;
  std::uint64_t split_seed = 0;
  std::uint64_t noise_seed = 0;
  std::uint64_t threads = 0;
  bool no_reference = false;
  bool json = false;
};

Result<study::Setting> setting_of(const RunOptions& options, const study::MethodEntry& method) {
  const auto has_reference = [](const study::MethodEntry& one) { return !one.mechanism.empty(); };
  if (options.no_reference && !has_reference(method)) {
    return without_effect("--no-reference", options.method.method, has_reference);
  }
  if (Result<void> useful = options.method.check_useful({&method}, true, !options.no_reference); !useful) {
    return useful.error();
  }
  Result<study::Setting> setting = options.method.setting(method, true);
  if (!setting) return setting;
  setting->insert({{"data", options.data.name},
                   {"split_seed", std::to_string(options.split_seed)},
                   {"noise_seed", std::to_string(options.noise_seed)}});
  return setting;
}

Status run_with(const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const study::MethodEntry& method = *study::method_named(options.method.method);
  const Result<study::Setting> setting = setting_of(options, method);
  if (!setting) return fail(setting.error());
  Result<graph::Dataset> dataset = options.data.load(graph::MissingFeatures::refuse);
  if (!dataset) return fail(dataset.error());
  const Result<study::StudyData> data = study::study_data(*dataset);
  if (!data) return fail(data.error());
  const Result<study::CellResult> result = [&] {
    Progress progress(method.campaign ? "campaigns" : "training");
    study::ExecuteOptions execute;
    execute.jobs = options.threads;
    execute.progress = [&](const study::StudyProgress& at) { progress.update(at.done, at.total); };
    return study::run_cell(*data, *setting, options.runs, !options.no_reference, execute);
  }();
  if (!result) return fail(result.error());
  if (!options.json) {
    app::print_table(*dataset, *result);
    return Status::success;
  }
  nlohmann::ordered_json json = app::to_json(*dataset, *result);
  json["instruction_set"] = kernels::instruction_set();
  json["version"] = version();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  json["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  json["peak_rss_bytes"] = usage.ru_maxrss * 1024;
  print_json(json);
  return Status::success;
}

// What an option changes of one row only, its help says.
void add_training(CLI::App& run, TrainingChoice& training) {
  training.add_to(run);
  for (const char* name : {"--backbone", "--scale", "--epochs", "--lr", "--weight-decay", "--dropout", "--hidden"}) {
    CLI::Option* option = run.get_option(name);
    option->description(option->get_description() + "; of a campaign: of the row without privacy");
  }
  run.get_option("--hops")->description(run.get_option("--hops")->get_description() +
                                        "; of no campaign, nor of base and nonpriv, which average nothing");
  run.get_option("--scale")->default_str("common, or raw with paper");
  run.get_option("--levels")
      ->description(run.get_option("--levels")->get_description() +
                    "; of methods with one budget: by which people's results are told apart");
}

void add_options(CLI::App& run, RunOptions& options) {
  options.data.name.clear();
  options.method.method = "teach";
  options.data.add_to(run)->default_str(std::string(kTeachData) + ", or synthetic:social without a campaign");
  options.method.add_to(
      run, "teach: labelled people teach, the others answer; or another of " + listed(study::methods()), true);
  add_training(run, options.training);
  run.add_option("--response", options.response, "Of campaigns: share of those asked who report, above 0, at most 1")
      ->default_str("1");
  run.add_flag("--pilots", options.pilots,
               "Of campaigns: validation people answer first; where that does not help, nobody else is asked");
  run.add_option("--spread", options.spread,
                 "Of campaigns: labels that the graph spreads: train, or all: validation too")
      ->check(CLI::IsMember(names_of(teach::kLabelChoices)))
      ->default_str("train");
  run.add_option("--runs", options.runs, "Runs, each with its own split and noise")
      ->default_str(fmt::format("{}, or {} without a campaign", kTeachRuns, kOtherRuns));
  run.add_option("--seed", options.seed, "Seed of splits, levels, noise and training")->capture_default_str();
  run.add_option("--split-seed", options.split_seed, "Seed of the splits (default: --seed)");
  run.add_option("--noise-seed", options.noise_seed, "Seed of levels, noise and training (default: --seed)");
  run.add_option("--threads", options.threads, "Runs at a time; 0: one per core")->capture_default_str();
  whole_numbers(
      run,
      {{"--runs", study::kMaxRuns}, "--seed", "--split-seed", "--noise-seed", {"--threads", kernels::kMaxThreads}});
  run.add_flag("--no-reference", options.no_reference,
               "Leave out the row without privacy, and without a campaign the control too");
  run.add_flag("--json", options.json, "Print one JSON object, with the same blocks for every method");
  reserved_options(run);
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* run =
      app.add_subcommand("run", "Simulate the devices and the server, and evaluate, beside control and non-private");
  add_options(*run, *options);
  run->footer(
      "Examples:\n"
      "  ppgnn run --data synthetic:social,nodes=2000 --runs 3 --epochs 50\n"
      "  ppgnn run --data synthetic:social,nodes=500 --method lpgnn --epsilon 2 --runs 2 --epochs 50 --json\n"
      "  ppgnn run --data synthetic:social,nodes=500 --method paper --runs 2 --epochs 50");
  run->callback([options, run, &action] {
    const auto given = [run](const char* name) { return run->count(name) > 0; };
    options->method.rename();
    const bool teaches = study::method_named(options->method.method)->campaign;
    if (options->data.name.empty()) options->data.name = teaches ? kTeachData : DataChoice().name;
    if (!given("--runs")) options->runs = teaches ? kTeachRuns : kOtherRuns;
    if (!given("--split-seed")) options->split_seed = options->seed;
    if (!given("--noise-seed")) options->noise_seed = options->seed;
    action = [options] { return run_with(*options); };
  });
}

}  // namespace ppgnn::app
