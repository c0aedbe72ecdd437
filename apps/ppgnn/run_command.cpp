// ppgnn run: simulated devices and what the server makes of their reports, with the control and the non-private figure
// beside it: a campaign that teaches and asks, or one of the methods that average reports over the graph.
#include <fmt/core.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "command.hpp"
#include "ppgnn/core/names.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/kernels/instruction_set.hpp"
#include "ppgnn/simulate/campaign_run.hpp"
#include "ppgnn/simulate/run.hpp"
#include "run_options.hpp"
#include "teach_report.hpp"

namespace ppgnn::app {

namespace {

using nlohmann::ordered_json;
using simulate::Method;
using simulate::RunConfig;
using simulate::RunResult;
using simulate::Series;

constexpr const char* kTeachMethod = "teach";
// Enough people for private features to help visibly; the other methods, for which no number is enough, show as much
// with fewer.
constexpr const char* kTeachData = "synthetic:social,nodes=20000";
constexpr std::uint64_t kTeachRuns = 5;
constexpr std::uint64_t kOtherRuns = 10;

struct RunOptions {
  DataChoice data;
  BudgetChoice budgets;
  TrainingChoice training;
  MethodChoice method{.method = kTeachMethod};
  std::uint64_t runs = 0;
  double response = 1;
  bool pilots_first = false;
  std::string labels{teach::kLabelChoices.front().name};
  CLI::Option* runs_option = nullptr;
  std::vector<const CLI::Option*> teach_only;
  std::vector<const CLI::Option*> others_only;
  std::uint64_t seed = 0;
  std::uint64_t split_seed = 0;
  std::uint64_t noise_seed = 0;
  std::uint64_t threads = 0;
  bool no_reference = false;
  bool json = false;
};

Result<simulate::CampaignRunConfig> campaign_config_of(const RunOptions& options, const graph::Dataset& dataset) {
  simulate::CampaignRunConfig config;
  RunConfig draws;
  if (Result<void> applied = options.budgets.apply_to(draws); !applied) return applied.error();
  if (Result<void> read = read_levels(options.method.levels, dataset, draws); !read) return read.error();
  static_cast<simulate::DrawConfig&>(config) = draws;
  config.split_seed = options.split_seed;
  config.noise_seed = options.noise_seed;
  config.campaign.budgets = draws.budgets;
  config.campaign.level_budget = draws.level_budget;
  config.campaign.response = options.response;
  config.campaign.pilots_first = options.pilots_first;
  config.structure.all_labels = find_named(teach::kLabelChoices, options.labels)->all;
  Result<server::PipelineOptions> pipeline = options.training.options();
  if (!pipeline) return pipeline.error();
  config.pipeline = std::move(pipeline).value();
  config.runs = options.runs;
  config.nonprivate = !options.no_reference;
  config.threads = options.threads;
  return config;
}

// Options that the method has no use for are refused.
Result<void> check_useful(const RunOptions& options) {
  const bool teaches = options.method.method == kTeachMethod;
  for (const CLI::Option* option : teaches ? options.others_only : options.teach_only) {
    if (option->count() == 0) continue;
    return Error{ErrorCode::invalid_argument,
                 option->get_name() + ": has no meaning with --method " + options.method.method};
  }
  return teaches ? Result<void>() : options.method.check_useful(options.budgets);
}

Result<RunConfig> config_of(const RunOptions& options, const graph::Dataset& dataset) {
  RunConfig config;
  if (Result<void> applied = options.method.apply_to(options.budgets, dataset, config); !applied)
    return applied.error();
  Result<server::PipelineOptions> pipeline = options.training.options();
  if (!pipeline) return pipeline.error();
  config.pipeline = std::move(pipeline).value();
  config.runs = options.runs;
  config.split_seed = options.split_seed;
  config.noise_seed = options.noise_seed;
  config.reference = !options.no_reference;
  config.threads = options.threads;
  return config;
}

ordered_json to_json(const Series& series) {
  return {{"mean", series.interval.mean}, {"low", series.interval.low},       {"high", series.interval.high},
          {"values", series.accuracy},    {"log_loss", series.mean_log_loss}, {"scale", series.scale}};
}

ordered_json to_json(const std::optional<Series>& series) {
  return series ? to_json(*series) : ordered_json(nullptr);
}

ordered_json to_json(const RunOptions& options, const graph::Dataset& dataset, const RunConfig& config,
                     const RunResult& result) {
  ordered_json json;
  json["data"] = dataset.name;
  json["data_checksum"] = to_hex(graph::checksum(dataset));
  json["method"] = options.method.method;
  json["mechanism"] = result.mechanism;
  json["protocol"] = options.method.protocol;
  json["backbone"] = options.training.backbone;
  json["hops"] = result.hops;
  json["runs"] = config.runs;
  const auto given = [](const std::optional<double>& number) {
    return number ? ordered_json(*number) : ordered_json(nullptr);
  };
  json["settings"] = {{"scale", options.training.scale},
                      {"epochs", options.training.epochs},
                      {"learning_rate", options.training.learning_rate},
                      {"weight_decay", options.training.weight_decay},
                      {"dropout", options.training.dropout},
                      {"hidden", options.training.hidden},
                      {"levels", options.method.levels},
                      {"level_public", options.budgets.level_public},
                      {"level_budget", given(config.level_budget)},
                      {"gamma", given(config.gamma)}};
  json["privacy"] = {{"budgets", result.privacy.budgets}, {"mean", result.privacy.mean},
                     {"max", result.privacy.max},         {"delta", result.privacy.delta},
                     {"level", result.privacy.level},     {"holds", result.privacy.holds},
                     {"why", result.privacy.why}};
  json["accuracy"] = to_json(result.accuracy);
  json["control"] = to_json(result.control);
  json["nonprivate"] = to_json(result.nonprivate);
  json["against_control"] = nullptr;
  if (result.against_control) {
    json["against_control"] = {{"difference", result.against_control->difference},
                               {"p_value", result.against_control->p_value}};
  }
  json["by_level"] = ordered_json::array();
  for (std::size_t i = 0; i < result.by_level.size(); ++i) {
    const simulate::LevelOutcome& level = result.by_level[i];
    json["by_level"].push_back({{"level", i + 1},
                                {"epsilon", level.budget},
                                {"spent", level.spent},
                                {"people", level.people},
                                {"accuracy", level.accuracy},
                                {"control", result.control ? ordered_json(level.control) : ordered_json(nullptr)}});
  }
  json["fidelity"] = nullptr;
  if (result.fidelity) {
    json["fidelity"] = {{"cosine", result.fidelity->cosine}, {"relative_error", result.fidelity->relative_error}};
  }
  json["order"] = result.order;
  json["instruction_set"] = kernels::instruction_set();
  json["notes"] = result.notes;
  json["seed"] = options.noise_seed;
  json["split_seed"] = options.split_seed;
  json["version"] = version();
  return json;
}

void print_series(const std::string& name, const Series& series) {
  fmt::print("  {:<24} {:>6.1f}%  [{:.1f}, {:.1f}] {:>12.3f}\n", name, 100 * series.interval.mean,
             100 * series.interval.low, 100 * series.interval.high, series.mean_log_loss);
}

// One sentence: did the private features help?
std::string verdict(const RunResult& result) {
  if (!result.against_control || result.accuracy.accuracy.size() < 2) return {};
  const double points = 100 * result.against_control->difference;
  const double p = result.against_control->p_value;
  const std::string test =
      fmt::format("{:+.2f} points over the control, p = {:.2g}, corrected resampled t test", points, p);
  if (p < .05) return fmt::format("The private features {}: {}.", points > 0 ? "helped" : "did harm", test);
  return "The private features made no measurable difference: " + test + ".";
}

void print_table(const RunOptions& options, const graph::Dataset& dataset, const RunConfig& config,
                 const RunResult& result) {
  fmt::print("{} on {}: {} nodes, {} features, {} classes; {}, {} hops, {} runs\n", options.method.method, dataset.name,
             dataset.num_nodes(), dataset.features.cols(), dataset.num_classes(), options.training.backbone,
             result.hops, config.runs);
  if (config.method != Method::nonpriv) {
    fmt::print(
        "Privacy spent ({}): mean {:.4g}, max {:.4g} nats{}; level: {}.{}\n", result.mechanism, result.privacy.mean,
        result.privacy.max, result.privacy.delta > 0 ? fmt::format(", delta {:.1g}", result.privacy.delta) : "",
        result.privacy.level,
        result.privacy.holds ? "" : fmt::format(" NOT every claim holds, {}: for research only.", result.privacy.why));
  }
  fmt::print("\n  {:<24} {:>7}  {:<14} {:>10}\n", "test accuracy", "mean", "95% interval", "log-loss");
  print_series(options.method.method, result.accuracy);
  if (result.control) print_series("random-report control", *result.control);
  if (result.nonprivate) print_series("without privacy", *result.nonprivate);
  if (!result.by_level.empty()) {
    fmt::print("\n  {:<8} {:>9} {:>9} {:>9} {:>10} {:>9}\n", "level", "budget", "spent", "people", "accuracy",
               "control");
    for (std::size_t i = 0; i < result.by_level.size(); ++i) {
      const simulate::LevelOutcome& level = result.by_level[i];
      if (level.people == 0) continue;
      fmt::print("  {:<8} {:>9.4g} {:>9.4g} {:>9} {:>9.1f}% {:>8}\n", i + 1, level.budget, level.spent, level.people,
                 100 * level.accuracy, result.control ? fmt::format("{:.1f}%", 100 * level.control) : "");
    }
  }
  if (result.fidelity) {
    fmt::print("\nCalibrated against clean features, averaged alike: cosine {:.3f}, relative error {:.3f}.\n",
               result.fidelity->cosine, result.fidelity->relative_error);
  }
  if (const std::string sentence = verdict(result); !sentence.empty()) fmt::print("\n{}\n", sentence);
  for (const std::string& note : result.notes) fmt::print("Note: {}.\n", note);
}

void add_cost(ordered_json& json, std::chrono::steady_clock::time_point start) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  json["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  json["peak_rss_bytes"] = usage.ru_maxrss * 1024;
}

Status teach_with(const RunOptions& options, const graph::Dataset& dataset,
                  std::chrono::steady_clock::time_point start) {
  const Result<simulate::CampaignRunConfig> config = campaign_config_of(options, dataset);
  if (!config) return fail(config.error());
  const Result<simulate::CampaignRunResult> result = [&] {
    Progress progress("campaigns");
    return simulate::run_campaigns(dataset, *config, [&](double done, double total) { progress.update(done, total); });
  }();
  if (!result) return fail(result.error());
  if (!options.json) {
    app::print_table(dataset, *config, *result);
    return Status::success;
  }
  ordered_json json = {{"data", dataset.name}, {"data_checksum", to_hex(graph::checksum(dataset))}};
  json.update(app::to_json(*config, *result));
  json["instruction_set"] = kernels::instruction_set();
  json["seed"] = options.noise_seed;
  json["split_seed"] = options.split_seed;
  json["version"] = version();
  add_cost(json, start);
  print_json(json);
  return Status::success;
}

Status run_with(const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  if (const Result<void> useful = check_useful(options); !useful) return fail(useful.error());
  const Result<graph::Dataset> dataset = options.data.load(graph::MissingFeatures::refuse);
  if (!dataset) return fail(dataset.error());
  if (options.method.method == kTeachMethod) return teach_with(options, *dataset, start);
  const Result<RunConfig> config = config_of(options, *dataset);
  if (!config) return fail(config.error());
  const Result<RunResult> result = [&] {
    Progress progress("training");
    return simulate::run(*dataset, *config, [&](double done, double total) { progress.update(done, total); });
  }();
  if (!result) return fail(result.error());
  if (options.json) {
    ordered_json json = to_json(options, *dataset, *config, *result);
    json["cpu_seconds_per_epoch"] = result->cpu_seconds_per_epoch;
    add_cost(json, start);
    print_json(json);
  } else {
    print_table(options, *dataset, *config, *result);
  }
  return Status::success;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* run =
      app.add_subcommand("run", "Simulate the devices and the server, and evaluate, beside control and non-private");
  options->data.name.clear();
  CLI::Option* data = options->data.add_to(*run);
  data->default_str(std::string(kTeachData) + ", or synthetic:social with another method");
  options->method.add_to(*run,
                         "teach: labelled people teach, the others answer; or a method that averages reports: " +
                             listed(simulate::kMethods),
                         kTeachMethod);
  options->budgets.add_to(*run);
  options->training.add_to(*run);
  options->teach_only = {
      run->add_option("--response", options->response, "Of teach: share of those asked who report, above 0, at most 1")
          ->capture_default_str(),
      run->add_flag("--pilots-first", options->pilots_first,
                    "Of teach: validation people answer first; where that does not help, nobody else is asked"),
      run->add_option("--labels", options->labels,
                      "Of teach: labels that the graph spreads: train, or all: validation too")
          ->check(CLI::IsMember(names_of(teach::kLabelChoices)))
          ->capture_default_str()};
  options->others_only = {options->method.mechanism_option, options->method.protocol_option,
                          options->budgets.level_public_option, options->budgets.gamma_option};
  options->runs_option = run->add_option("--runs", options->runs, "Runs, each with its own split and noise")
                             ->default_str(fmt::format("{}, or {} with another method", kTeachRuns, kOtherRuns));
  run->add_option("--seed", options->seed, "Seed of splits, levels, noise and training")->capture_default_str();
  auto* split_seed = run->add_option("--split-seed", options->split_seed, "Seed of the splits (default: --seed)");
  auto* noise_seed =
      run->add_option("--noise-seed", options->noise_seed, "Seed of levels, noise and training (default: --seed)");
  run->add_option("--threads", options->threads, "Runs at a time; 0: one per core")->capture_default_str();
  whole_numbers(*run,
                {{"--runs", 10000}, "--seed", "--split-seed", "--noise-seed", {"--threads", kernels::kMaxThreads}});
  run->add_flag("--no-reference", options->no_reference,
                "Leave out the non-private figure, and with another method than teach the control");
  run->add_flag("--json", options->json, "Print one JSON object");
  run->footer(
      "Examples:\n"
      "  ppgnn run --data synthetic:social,nodes=2000 --runs 3 --epochs 50\n"
      "  ppgnn run --data synthetic:social,nodes=500 --method lpgnn --epsilon 2 --runs 2 --epochs 50 --json\n"
      "  ppgnn run --data synthetic:social,nodes=500 --method ppgnn --protocol paper --scale raw --runs 2 --epochs 50");
  run->callback([options, split_seed, noise_seed, &action] {
    const bool teaches = options->method.method == kTeachMethod;
    if (options->data.name.empty()) options->data.name = teaches ? kTeachData : DataChoice().name;
    if (options->runs_option->count() == 0) options->runs = teaches ? kTeachRuns : kOtherRuns;
    if (split_seed->count() == 0) options->split_seed = options->seed;
    if (noise_seed->count() == 0) options->noise_seed = options->seed;
    action = [options] { return run_with(*options); };
  });
}

}  // namespace ppgnn::app
