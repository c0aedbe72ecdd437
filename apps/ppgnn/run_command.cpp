// ppgnn run: simulated devices and what the server makes of their reports, beside what the graph alone gives and what is
// possible without privacy: several methods in one table, or one of them in detail.
#include <fmt/core.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <array>
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
#include "run_table.hpp"

namespace ppgnn::app {

namespace {

// What stands in the table where nobody names a method: the control first, what is possible without privacy last. The
// scale of methods that average reports is the one that validation takes for them on the generated network (with
// --method it is chosen from four, which takes four trainings).
struct TableMethod {
  std::string_view method;
  std::string_view scale = {};
};
constexpr std::array kTable{TableMethod{"teach-control"}, TableMethod{"lpgnn", "1"}, TableMethod{"paper"},
                            TableMethod{"strict", "1"},   TableMethod{"teach"},      TableMethod{"home"},
                            TableMethod{"clean"}};

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
  std::string response, spread, hint, hint_friends;
  bool pilots = false;
  std::uint64_t seed = 0;
  std::uint64_t split_seed = 0;
  std::uint64_t noise_seed = 0;
  std::uint64_t threads = 0;
  bool no_reference = false;
  std::string out;
  bool json = false;
};

Result<study::Setting> with_draws(const RunOptions& options, const study::MethodEntry& method) {
  Result<study::Setting> setting = options.method.setting(method, true);
  if (!setting) return setting;
  setting->insert({{"data", options.data.name},
                   {"split_seed", std::to_string(options.split_seed)},
                   {"noise_seed", std::to_string(options.noise_seed)}});
  return setting;
}

Result<study::Setting> setting_of(const RunOptions& options, const study::MethodEntry& method) {
  const auto has_reference = [](const study::MethodEntry& one) { return !one.mechanism.empty(); };
  if (options.no_reference && !has_reference(method)) {
    return without_effect("--no-reference", options.method.method, has_reference);
  }
  if (Result<void> useful = options.method.check_useful({&method}, true, !options.no_reference); !useful) {
    return useful.error();
  }
  return with_draws(options, method);
}

// The settings of the table.
Result<std::vector<study::Setting>> table_settings(const RunOptions& options) {
  std::vector<const study::MethodEntry*> methods;
  std::vector<study::Setting> settings;
  for (const auto& [name, scale] : kTable) {
    const study::MethodEntry& method = *study::method_named(name);
    if (options.no_reference && method.pools) continue;
    methods.push_back(&method);
    Result<study::Setting> setting = with_draws(options, method);
    if (!setting) return setting.error();
    if (!scale.empty()) setting->try_emplace("scale", scale);
    settings.push_back(std::move(setting).value());
  }
  if (Result<void> useful = options.method.check_useful(methods, true, false); !useful) return useful.error();
  return settings;
}

void add_cost(std::chrono::steady_clock::time_point start, nlohmann::ordered_json& json) {
  json["instruction_set"] = kernels::instruction_set();
  json["version"] = version();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  json["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  json["peak_rss_bytes"] = usage.ru_maxrss * 1024;
}

study::ExecuteOptions execution(const RunOptions& options, Progress& progress) {
  study::ExecuteOptions execute;
  execute.jobs = options.threads;
  execute.progress = [&](const study::StudyProgress& at) { progress.update(at.done, at.total); };
  return execute;
}

// Several methods side by side.
Status run_all(const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const Result<std::vector<study::Setting>> settings = table_settings(options);
  if (!settings) return fail(settings.error());
  Result<graph::Dataset> dataset = options.data.load(graph::MissingFeatures::refuse);
  if (!dataset) return fail(dataset.error());
  const Result<study::StudyData> data = study::study_data(*dataset);
  if (!data) return fail(data.error());
  const Result<std::vector<study::TableRow>> rows = [&] {
    Progress progress("runs");
    return study::run_table(*data, *settings, options.runs, execution(options, progress));
  }();
  if (!rows) return fail(rows.error());
  if (!options.out.empty()) {
    if (Result<void> written = write_table(*dataset, *rows, options.out); !written) return fail(written.error());
  }
  if (!options.json) {
    app::print_table(*dataset, *rows);
    return Status::success;
  }
  nlohmann::ordered_json json = app::to_json(*dataset, *rows);
  add_cost(start, json);
  print_json(json);
  return Status::success;
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
    return study::run_cell(*data, *setting, options.runs, !options.no_reference, execution(options, progress));
  }();
  if (!result) return fail(result.error());
  if (!options.json) {
    app::print_table(*dataset, *result);
    return Status::success;
  }
  nlohmann::ordered_json json = app::to_json(*dataset, *result);
  add_cost(start, json);
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
  options.data.add_to(run)->default_str(std::string(kTeachData) + ", or synthetic:social without a campaign");
  options.method.add_to(run, "One method in detail: " + listed(study::methods()), true);
  run.get_option("--method")->default_str("several in one table");
  add_training(run, options.training);
  run.add_option("--response", options.response, "Of campaigns: share of those asked who report, above 0, at most 1")
      ->default_str("1");
  run.add_flag("--pilots", options.pilots,
               "Of campaigns: validation people answer first; where that does not help, nobody else is asked");
  run.add_option("--spread", options.spread,
                 "Of campaigns: labels that the graph spreads: train, or all: validation too")
      ->transform(one_of(names_of(teach::kLabelChoices)))
      ->default_str("train");
  run.add_option("--hint", options.hint,
                 "Of home: what the graph tells a device of its person: coarse, two classes and one of eight steps of "
                 "odds; or full, how likely each class is")
      ->transform(one_of({"coarse", "full"}))
      ->default_str("coarse");
  run.add_option("--hint-friends", options.hint_friends,
                 "Of home: people with fewer friends whose label is spread are told nothing of themselves")
      ->default_str("0");
  run.add_option("--runs", options.runs, "Runs, each with its own split and noise")
      ->default_str(fmt::format("{}, or {} without a campaign", kTeachRuns, kOtherRuns));
  run.add_option("--seed", options.seed, "Seed of splits, levels, noise and training")->capture_default_str();
  run.add_option("--split-seed", options.split_seed, "Seed of the splits (default: --seed)");
  run.add_option("--noise-seed", options.noise_seed, "Seed of levels, noise and training (default: --seed)");
  run.add_option("--threads", options.threads, "Runs at a time, or threads of one run; 0: one per core")
      ->capture_default_str();
  whole_numbers(
      run,
      {{"--runs", study::kMaxRuns}, "--seed", "--split-seed", "--noise-seed", {"--threads", kernels::kMaxThreads}});
  run.add_flag("--no-reference", options.no_reference,
               "Leave out the row without privacy; of one method that averages reports the control too");
  run.add_option("--out", options.out, "Folder for the table of several methods as run.csv, run.tex and figure");
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
      "  ppgnn run --data synthetic:social,nodes=2000 --method teach --runs 3 --epochs 50\n"
      "  ppgnn run --data synthetic:social,nodes=500 --method lpgnn --epsilon 2 --runs 2 --epochs 50 --json\n"
      "  ppgnn run --data synthetic:social,nodes=500 --method home --hint full --runs 2 --epochs 50\n"
      "  ppgnn run --data synthetic:social,nodes=500 --method paper --runs 2 --epochs 50");
  run->callback([options, run, &action] {
    const auto given = [run](const char* name) { return run->count(name) > 0; };
    options->method.rename();
    const bool all = options->method.method.empty();
    const bool teaches = all || study::method_named(options->method.method)->campaign;
    if (!all && given("--out")) throw CLI::ExcludesError("--out", "--method");
    if (options->data.name.empty()) options->data.name = teaches ? kTeachData : DataChoice().name;
    if (!given("--runs")) options->runs = teaches ? kTeachRuns : kOtherRuns;
    if (!given("--split-seed")) options->split_seed = options->seed;
    if (!given("--noise-seed")) options->noise_seed = options->seed;
    action = [options, all] { return all ? run_all(*options) : run_with(*options); };
  });
}

}  // namespace ppgnn::app
