#include "run_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "command.hpp"
#include "ppgnn/core/names.hpp"
#include "ppgnn/nn/backbones.hpp"

namespace ppgnn::app {

namespace {

using nlohmann::ordered_json;
using study::CellResult;
using study::Experiment;
using study::LevelResult;
using study::Lift;
using study::Series;

template <class Value>
ordered_json or_null(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

template <class Value>
ordered_json where(bool there, const Value& value) {
  return there ? ordered_json(value) : ordered_json(nullptr);
}

ordered_json to_json(const Lift& lift) {
  return {
      {"points", lift.points()}, {"p", or_null(lift.p_value)}, {"nats", lift.nats}, {"p_nats", or_null(lift.p_nats)}};
}

ordered_json to_json(const std::optional<Series>& given) {
  if (!given) return nullptr;
  const Series& series = *given;
  const simulate::Interval& interval = series.interval;
  ordered_json json = {
      {"mean", interval.mean},     {"low", bound(interval, interval.low)}, {"high", bound(interval, interval.high)},
      {"values", series.accuracy}, {"log_loss", series.mean_log_loss},     {"log_losses", series.log_loss}};
  json["scale"] = where(!series.scale.empty(), series.scale);
  json["lift"] = series.lift ? to_json(*series.lift) : ordered_json(nullptr);
  json["spent"] = {{"mean", series.privacy.mean}, {"max", series.privacy.max}};
  json["used"] = series.answers ? ordered_json(series.answers->used) : ordered_json(nullptr);
  json["spread"] = series.answers ? ordered_json(series.answers->spread) : ordered_json(nullptr);
  json["home"] = nullptr;
  if (const std::optional<study::HomeFigures>& home = series.home) {
    json["home"] = {{"weight", home->weight},
                    {"pilots", {{"lift", home->lift}, {"low", home->low}, {"high", home->high}}},
                    {"withdrawn", home->withdrawn},
                    {"reported", or_null(home->reported)},
                    {"silent", or_null(home->silent)}};
  }
  return json;
}

// Everything that was used, whether it was named or went without saying; null where nothing looks at it.
ordered_json settings_of(const CellResult& result) {
  const auto& [setting, experiment, runs] = result.cell;
  const study::MethodEntry& method = *experiment.method;
  const server::PipelineOptions& pipeline = experiment.pipeline;
  const bool trains = !method.campaign || result.nonprivate;
  const bool reports = !method.mechanism.empty();
  const auto seen = [&](std::string_view factor) {
    return study::matters(*find_named(study::kFactors, factor), method, true);
  };
  const double level_budget = experiment.level_budget.value_or(std::max(1.0, experiment.budgets.front()));
  return {{"backbone", where(trains, pipeline.training.network.backbone->name)},
          {"hops", where(seen("hops"), pipeline.hops)},
          {"scale", where(trains, study::value_of(setting, "scale"))},
          {"epochs", where(trains, pipeline.training.epochs)},
          {"learning_rate", where(trains, pipeline.training.adam.learning_rate)},
          {"weight_decay", where(trains, pipeline.training.adam.weight_decay)},
          {"dropout", where(trains, pipeline.training.dropout)},
          {"hidden", where(trains, pipeline.training.network.hidden)},
          {"budgets", where(reports, experiment.level_budgets)},
          {"levels", where(reports, study::value_of(setting, "levels"))},
          {"level_public", where(reports, experiment.secrecy == ldp::LevelSecrecy::public_level)},
          {"level_budget", where(seen("level_budget"), level_budget)},
          {"gamma", where(seen("gamma"), experiment.gamma.value_or(method.gamma()))},
          {"sampled", where(seen("m"), study::value_of(setting, "m"))},
          {"operator", where(seen("operator"), study::value_of(setting, "operator"))},
          {"reading", where(seen("reading"), study::value_of(setting, "reading"))},
          {"delta", where(seen("delta"), result.method.privacy.delta)},
          {"response", where(seen("response"), experiment.response)},
          {"pilots", where(seen("pilots"), experiment.pilots)},
          {"spread", where(seen("labels"), study::value_of(setting, "labels"))},
          {"hint", where(seen("hint"), study::value_of(setting, "hint"))},
          {"hint_friends", where(seen("hint_friends"), experiment.hint_friends)}};
}

ordered_json to_json(const LevelResult& level) {
  return {{"accuracy", level.accuracy}, {"spent", level.spent}, {"reported", level.reported}};
}

// The other ways to play a campaign, by the names that they have in JSON.
std::array<std::pair<const char*, const std::optional<Series>*>, 3> beside(const CellResult& result) {
  return {{{"public", &result.in_public}, {"decided", &result.decided}, {"decided_public", &result.decided_in_public}}};
}

ordered_json levels_of(const CellResult& result) {
  ordered_json all = ordered_json::array();
  for (std::size_t level = 0; level < result.judged.size(); ++level) {
    ordered_json one = {{"level", level + 1},
                        {"epsilon", result.cell.experiment.level_budgets[level]},
                        {"people", result.judged[level]}};
    one.update(to_json(result.method.levels[level]));
    one["control"] = result.control ? ordered_json(result.control->levels[level].accuracy) : ordered_json(nullptr);
    for (const auto& [name, series] : beside(result)) {
      one[name] = *series ? to_json((*series)->levels[level]) : ordered_json(nullptr);
    }
    all.push_back(std::move(one));
  }
  return all;
}

// CPU seconds of an epoch, and those of a campaign's teaching, asking and updating, whichever there are.
void add_times(const CellResult& result, ordered_json& json) {
  double cpu_seconds = 0;
  double campaign_seconds = 0;
  std::size_t epochs = 0;
  for (const study::Measured& run : result.cell.runs) {
    cpu_seconds += run.cpu_seconds;
    epochs += run.epochs;
    const auto found = run.metrics.find("campaign_seconds");
    if (found != run.metrics.end()) campaign_seconds += found->second / static_cast<double>(result.cell.runs.size());
  }
  json["cpu_seconds_per_epoch"] =
      where(epochs > 0, cpu_seconds / static_cast<double>(std::max<std::size_t>(1, epochs)));
  json["campaign_seconds"] = where(result.method.answers.has_value(), campaign_seconds);
}

void print_series(const std::string& name, const Series& series) {
  fmt::print("  {:<24} {:<19} {:>10.3f}\n", name, show_accuracy(series.interval), series.mean_log_loss);
}

// One sentence: did the private features help?
std::string verdict(const Series& method) {
  if (!method.lift || !method.lift->p_value) return {};
  const double points = method.lift->points();
  const double p = *method.lift->p_value;
  const std::string test =
      fmt::format("{:+.2f} points over the graph alone, p = {:.2g}, corrected resampled t test", points, p);
  if (p < .05 && points > 0) return "The private features helped: " + test + ".";
  if (p < .05) return "The private features do not make up for what averaging loses: " + test + ".";
  return "The private features made no measurable difference: " + test + ".";
}

void print_averages(const graph::Dataset& dataset, const CellResult& result) {
  const Experiment& experiment = result.cell.experiment;
  const simulate::Privacy& privacy = result.method.privacy;
  const std::string name(experiment.method->name);
  fmt::print("{} on {}: {} nodes, {} features, {} classes; {}, {} hops, {} runs\n", name, dataset.name,
             dataset.num_nodes(), dataset.features.cols(), dataset.num_classes(),
             experiment.pipeline.training.network.backbone->name, *result.hops, result.cell.runs.size());
  if (!experiment.mechanism.empty()) {
    fmt::print("Privacy spent ({}): mean {:.4g}, max {:.4g} nats{}; level: {}.{}\n", result.mechanism, privacy.mean,
               privacy.max, privacy.delta > 0 ? fmt::format(", delta {:.1g}", privacy.delta) : "", privacy.level,
               privacy.holds ? "" : fmt::format(" NOT every claim holds, {}: for research only.", privacy.why));
  }
  fmt::print("\n  {:<24} {:<19} {:>10}\n", "test accuracy", "% [95% interval]", "log-loss");
  print_series(name, result.method);
  if (result.control) print_series("graph alone (control)", *result.control);
  if (result.nonprivate) print_series("without privacy", *result.nonprivate);
  if (!result.judged.empty()) {
    fmt::print("\n  {:<8} {:>9} {:>9} {:>9} {:>10} {:>9}\n", "level", "budget", "spent", "people", "accuracy",
               "control");
  }
  for (std::size_t i = 0; i < result.judged.size(); ++i) {
    if (result.judged[i] == 0) continue;
    const LevelResult& level = result.method.levels[i];
    fmt::print("  {:<8} {:>9.4g} {:>9.4g} {:>9} {:>9.1f}% {:>8}\n", i + 1, experiment.level_budgets[i], level.spent,
               result.judged[i], 100 * level.accuracy,
               result.control ? fmt::format("{:.1f}%", 100 * result.control->levels[i].accuracy) : "");
  }
  if (result.fidelity) {
    fmt::print("\nCalibrated against clean features, averaged alike: cosine {:.3f}, relative error {:.3f}.\n",
               result.fidelity->cosine, result.fidelity->relative_error);
  }
  if (const std::string sentence = verdict(result.method); !sentence.empty()) fmt::print("\n{}\n", sentence);
}

// ---- campaigns

void print_row(const std::string& name, const Series& one, bool spends) {
  fmt::print("  {:<27} {:<18} {:>8.3f}", name, show_accuracy(one.interval), one.mean_log_loss);
  if (spends) fmt::print(" {:>9.2f} {:>9.4g}", one.privacy.mean, one.privacy.max);
  fmt::print("\n");
}

// Whether private features helped, in one sentence for each way; the p values of all ways, for accuracy and for
// log-loss, are corrected together: among several ways one is lucky.
void print_verdicts(const std::vector<const Series*>& ways) {
  std::vector<double> p_values;
  for (const Series* one : ways) {
    if (!one->lift || !one->lift->p_value) return;
    p_values.insert(p_values.end(), {*one->lift->p_value, *one->lift->p_nats});
  }
  const std::vector<double> corrected = simulate::holm(p_values);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const Lift& lift = *ways[i]->lift;
    const double p = corrected[2 * i];
    const double p_nats = corrected[2 * i + 1];
    const bool better = p < .05 ? lift.points() > 0 : lift.nats > 0;
    const char* what = p >= .05 && p_nats >= .05 ? "made no measurable difference" : better ? "helped" : "did harm";
    fmt::print("{}", wrapped(fmt::format("{}With levels {} private features {}: {:+.2f} points over the graph alone "
                                         "(p = {:.2g}), {:+.3f} nats of log-loss (p = {:.2g}).",
                                         ways[i]->home ? "Decided at home. " : "", ways[i]->privacy.level, what,
                                         lift.points(), p, lift.nats, p_nats),
                             "", 80));
  }
  if (!ways.empty()) fmt::print("p: t tests over the splits, corrected for their overlap and for all tests here.\n");
}

std::string title_of(const Series& one) {
  return fmt::format("{}, levels {}", one.home ? "at home" : "private", one.privacy.level);
}

// The ways with levels protected and public, whichever were played; of a campaign that asks also those at home.
std::vector<const Series*> private_series(const CellResult& result) {
  std::vector<const Series*> all;
  if (!result.cell.experiment.method->is_control()) all.push_back(&result.method);
  for (const auto& [name, series] : beside(result)) {
    if (*series) all.push_back(&**series);
  }
  return all;
}

void print_levels(const CellResult& result) {
  const std::vector<const Series*> all = private_series(result);
  const Series& alone = result.control ? *result.control : result.method;
  fmt::print("\n  {:<6} {:>7} {:>8} {:>9}", "level", "budget", "judged", "control");
  for (const Series* one : all) {
    const std::string way = (one->home ? "home, " : "") + one->privacy.level.substr(0, one->home ? 3 : 9);
    fmt::print("   {:>9} {:>8} {:>9}", way, "spent", "reported");
  }
  fmt::print("\n");
  for (std::size_t level = 0; level < result.judged.size(); ++level) {
    if (result.judged[level] == 0) continue;
    fmt::print("  {:<6} {:>7.4g} {:>8} {:>8.1f}%", level + 1, result.cell.experiment.level_budgets[level],
               result.judged[level], 100 * alone.levels[level].accuracy);
    for (const Series* one : all) {
      const LevelResult& own = one->levels[level];
      fmt::print("   {:>8.1f}% {:>8.4g} {:>8.0f}%", 100 * own.accuracy, own.spent, 100 * own.reported);
    }
    fmt::print("\n");
  }
  fmt::print("\n");
}

void print_campaigns(const graph::Dataset& dataset, const CellResult& result) {
  const Experiment& experiment = result.cell.experiment;
  fmt::print("{} on {}: {} people, {} features, {} classes, {} runs\n", experiment.method->title, dataset.name,
             dataset.num_nodes(), dataset.features.cols(), dataset.num_classes(), result.cell.runs.size());
  if (!experiment.method->at_home) {
    fmt::print(
        "One report per person: labelled people teach a public model, the others answer one question about it.\n");
  }
  if (experiment.method->at_home || result.decided) {
    fmt::print("Decided at home: everybody teaches, one report per person, and devices decide; no decision is sent.\n");
  }
  fmt::print("\n");
  fmt::print("  {:<27} {:<18} {:>8} {:>9} {:>9}\n", "test accuracy", "% [95% interval]", "log-loss", "mean nats",
             "most nats");
  print_row("graph alone (control)", result.control ? *result.control : result.method, false);
  for (const Series* one : private_series(result)) print_row(title_of(*one), *one, true);
  if (result.nonprivate) print_row("without privacy", *result.nonprivate, false);
  print_levels(result);
  print_verdicts(private_series(result));
  for (const Series* one : private_series(result)) {
    if (!one->home) continue;
    fmt::print("Pilots, by their private reports alone, levels {}: {:+.3f} nats [{:+.3f}, {:+.3f}]{}.\n",
               one->privacy.level, one->home->lift, one->home->low, one->home->high,
               one->home->withdrawn > 0 ? "; withdrawn in some runs" : "");
  }
  if (!result.method.privacy.why.empty()) fmt::print("NOT private: {}.\n", result.method.privacy.why);
  fmt::print("Labels that the graph spreads: {}.\n",
             experiment.structure.all_labels ? "training and validation" : "training only");
}

}  // namespace

std::string show_accuracy(const simulate::Interval& interval) {
  const std::string mean = fmt::format("{:.1f}", 100 * interval.mean);
  if (!interval.known) return mean;
  return fmt::format("{} [{:.1f}, {:.1f}]", mean, 100 * std::max(0.0, interval.low),
                     100 * std::min(1.0, interval.high));
}

ordered_json bound(const simulate::Interval& interval, double end) {
  return where(interval.known, end);
}

ordered_json to_json(const graph::Dataset& dataset, const CellResult& result) {
  const Experiment& experiment = result.cell.experiment;
  const simulate::Privacy& privacy = result.method.privacy;
  const std::string& order = result.cell.runs.front().order;
  ordered_json json;
  json["data"] = dataset.name;
  json["data_checksum"] = to_hex(graph::checksum(dataset));
  json["method"] = experiment.method->name;
  json["mechanism"] = where(!experiment.method->campaign, result.mechanism);
  json["backbone"] = experiment.pipeline.training.network.backbone->name;
  json["hops"] = or_null(result.hops);
  json["runs"] = result.cell.runs.size();
  json["settings"] = settings_of(result);
  json["privacy"] = {{"budgets", privacy.budgets}, {"mean", privacy.mean},   {"max", privacy.max},
                     {"delta", privacy.delta},     {"level", privacy.level}, {"holds", privacy.holds},
                     {"why", privacy.why}};
  json["accuracy"] = to_json(std::optional(result.method));
  for (const auto& [name, series] : beside(result)) json[name] = to_json(*series);
  json["control"] = to_json(result.control);
  json["nonprivate"] = to_json(result.nonprivate);
  json["against_control"] = nullptr;
  if (const std::optional<Lift>& lift = result.method.lift) {
    json["against_control"] = {{"difference", lift->difference}, {"p_value", or_null(lift->p_value)}};
  }
  json["by_level"] = levels_of(result);
  json["fidelity"] = nullptr;
  if (result.fidelity) {
    json["fidelity"] = {{"cosine", result.fidelity->cosine}, {"relative_error", result.fidelity->relative_error}};
  }
  json["order"] = where(!order.empty(), order);
  json["notes"] = result.notes;
  json["seed"] = experiment.noise_seed;
  json["split_seed"] = experiment.split_seed;
  add_times(result, json);
  return json;
}

void print_table(const graph::Dataset& dataset, const CellResult& result) {
  if (result.method.answers) {
    print_campaigns(dataset, result);
  } else {
    print_averages(dataset, result);
  }
  fmt::print("Brackets: {}.\n", kIntervalName);
  for (const std::string& note : result.notes) fmt::print("Note: {}.\n", note);
}

}  // namespace ppgnn::app
