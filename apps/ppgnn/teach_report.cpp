#include "teach_report.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <string>

namespace ppgnn::app {

namespace {

using nlohmann::ordered_json;
using simulate::CampaignRunConfig;
using simulate::CampaignRunResult;
using simulate::CampaignSeries;

ordered_json to_json(const CampaignSeries& one) {
  const simulate::Series& series = one.series;
  ordered_json json = {{"mean", series.interval.mean},     {"low", series.interval.low},
                       {"high", series.interval.high},     {"values", series.accuracy},
                       {"log_loss", series.mean_log_loss}, {"log_losses", series.log_loss}};
  json["lift"] = {
      {"points", one.lift.points}, {"p", one.lift.p_points}, {"nats", one.lift.nats}, {"p_nats", one.lift.p_nats}};
  json["spent"] = {{"mean", one.mean_spent}, {"max", one.max_spent}};
  json["used"] = one.used;
  return json;
}

void print_row(const std::string& name, const CampaignSeries& one, bool spends) {
  const simulate::Interval& interval = one.series.interval;
  fmt::print("  {:<30} {:>6.1f}%  {:<14} {:>8.3f}", name, 100 * interval.mean,
             fmt::format("[{:.1f}, {:.1f}]", 100 * interval.low, 100 * interval.high), one.series.mean_log_loss);
  if (spends) fmt::print("  {:>7.2f} {:>7.4g}", one.mean_spent, one.max_spent);
  fmt::print("\n");
}

// Whether private features helped, in one sentence.
std::string verdict(const std::string& levels, const CampaignSeries& one, std::size_t runs) {
  if (runs < simulate::kLeastRuns) return {};
  const simulate::Lift& lift = one.lift;
  const std::string figures = fmt::format("{:+.2f} points (p = {:.2g}), {:+.3f} nats of log-loss (p = {:.2g})",
                                          lift.points, lift.p_points, lift.nats, lift.p_nats);
  const bool clear = lift.p_points < .05 || lift.p_nats < .05;
  if (!clear) return fmt::format("With levels {} private features made no measurable difference: {}.", levels, figures);
  const bool better = lift.p_points < .05 ? lift.points > 0 : lift.nats > 0;
  return fmt::format("With levels {} private features {}: {} over the graph alone.", levels,
                     better ? "helped" : "did harm", figures);
}

void print_levels(const CampaignRunConfig& config, const CampaignRunResult& result) {
  fmt::print("\n  {:<6} {:>7} {:>8} {:>9}   {:>9} {:>8} {:>9}   {:>9} {:>8} {:>9}\n", "level", "budget", "judged",
             "control", "protected", "spent", "reported", "public", "spent", "reported");
  for (std::size_t level = 0; level < result.people.size(); ++level) {
    if (result.people[level] == 0) continue;
    const simulate::CampaignLevel& hidden = result.protected_levels.levels[level];
    const simulate::CampaignLevel& open = result.public_levels.levels[level];
    fmt::print("  {:<6} {:>7.4g} {:>8} {:>8.1f}%   {:>8.1f}% {:>8.4g} {:>8.0f}%   {:>8.1f}% {:>8.4g} {:>8.0f}%\n",
               level + 1, config.campaign.budgets[level], result.people[level], 100 * result.control_by_level[level],
               100 * hidden.accuracy, hidden.spent, 100 * hidden.reported, 100 * open.accuracy, open.spent,
               100 * open.reported);
  }
}

}  // namespace

ordered_json to_json(const CampaignRunConfig& config, const CampaignRunResult& result) {
  ordered_json json;
  json["method"] = "teach";
  json["runs"] = config.runs;
  json["budgets"] = config.campaign.budgets;
  json["response"] = config.campaign.response;
  json["pilots_first"] = config.campaign.pilots_first;
  json["labels"] = config.structure.all_labels ? "all" : "train";
  json["control"] = to_json(result.control);
  json["protected"] = to_json(result.protected_levels);
  json["public"] = to_json(result.public_levels);
  json["nonprivate"] = result.nonprivate ? to_json(*result.nonprivate) : ordered_json(nullptr);
  json["by_level"] = ordered_json::array();
  const auto level_json = [](const simulate::CampaignLevel& level) -> ordered_json {
    return {{"accuracy", level.accuracy}, {"spent", level.spent}, {"reported", level.reported}};
  };
  for (std::size_t level = 0; level < result.people.size(); ++level) {
    json["by_level"].push_back({{"level", level + 1},
                                {"epsilon", config.campaign.budgets[level]},
                                {"people", result.people[level]},
                                {"control", result.control_by_level[level]},
                                {"protected", level_json(result.protected_levels.levels[level])},
                                {"public", level_json(result.public_levels.levels[level])}});
  }
  json["campaign_seconds"] = result.seconds;
  json["notes"] = result.notes;
  return json;
}

void print_table(const graph::Dataset& dataset, const CampaignRunConfig& config, const CampaignRunResult& result) {
  fmt::print("teach and ask on {}: {} people, {} features, {} classes, {} runs\n", dataset.name, dataset.num_nodes(),
             dataset.features.cols(), dataset.num_classes(), config.runs);
  fmt::print("One report a person: labelled people teach a public model, the others answer one question about it.\n\n");
  fmt::print("  {:<30} {:>7}  {:<14} {:>8}  {:>7} {:>7}\n", "test accuracy", "mean", "95% interval", "log-loss", "nats",
             "at most");
  print_row("graph alone (control)", result.control, false);
  print_row("private, levels protected", result.protected_levels, true);
  print_row("private, levels public", result.public_levels, true);
  if (result.nonprivate) print_row("without privacy", *result.nonprivate, false);
  print_levels(config, result);
  fmt::print("\n");
  for (const std::string& sentence : {verdict("protected", result.protected_levels, config.runs),
                                      verdict("public", result.public_levels, config.runs)}) {
    if (!sentence.empty()) fmt::print("{}\n", sentence);
  }
  fmt::print("Labels that the graph spreads: {}.\n",
             config.structure.all_labels ? "training and validation" : "training only");
  for (const std::string& note : result.notes) fmt::print("Note: {}.\n", note);
}

}  // namespace ppgnn::app
