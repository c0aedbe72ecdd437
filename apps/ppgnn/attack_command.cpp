// ppgnn attack: what somebody who sees the reports can guess of people's attributes and levels.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.hpp"
#include "method_options.hpp"
#include "ppgnn/attack/column_attack.hpp"
#include "ppgnn/core/names.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/study/one_cell.hpp"
#include "run_options.hpp"
#include "run_report.hpp"

namespace ppgnn::app {

namespace {

using nlohmann::ordered_json;
using study::AttackedCell;

constexpr std::uint64_t kMaxTargets = 1000000000;

struct AttackChoice {
  DataChoice data;
  MethodChoice method;
  std::uint64_t runs = 5;
  std::uint64_t targets = attack::AttackOptions{}.targets;
  CLI::Option* targets_option = nullptr;
  std::uint64_t seed = 0;
  std::uint64_t threads = 0;
  bool one_column = false;
  bool json = false;
};

// One way of reporting that is attacked.
struct Attacked {
  std::string method, title;
  AttackedCell cell;
};

// Those that differ in what they send: base sends what lpgnn does.
std::vector<Attacked> victims_of(const AttackChoice& choice) {
  if (const std::string& method = choice.method.method; !method.empty()) return {{method, method, {}}};
  return {
      {"nonpriv", "nonpriv", {}}, {"lpgnn", "lpgnn and base", {}}, {"paper", "paper", {}}, {"strict", "strict", {}}};
}

std::string level_words(const attack::LevelInference& level) {
  if (!level.applies) return level.how == "nothing is sent" ? "nothing is sent" : "one budget: there is none to guess";
  std::string words = fmt::format("guessed right in {:.1f}% ({}); always guessing the most popular one: {:.1f}%; ",
                                  100 * level.success(), level.how, 100 * level.prior);
  words += level.certified ? fmt::format("certified bound: {:.1f}%", 100 * level.bound) : "no bound";
  if (!level.within_bound()) words += ". EXCEEDED beyond chance";
  return words;
}

void print_score(const std::string& name, const AttackedCell& summary, const std::string& prefix) {
  const auto mean = [&](const char* metric) { return summary.mean(prefix + metric); };
  fmt::print("  {:<26} {:>8.2f}% {:>+10.3f} {:>9.2f}% {:>9.4f} {:>11.4f}\n", name, 100 * mean("accuracy"),
             100 * mean("advantage"), 100 * mean("balanced_accuracy"), mean("auc"), mean("auc_with_prior"));
}

void print_by_level(const AttackedCell& summary) {
  const std::size_t levels = summary.levels;
  if (levels == 0) return;
  fmt::print("\n  balanced accuracy by level   spent       own  at most  neighbours      both  majority\n");
  for (std::size_t i = 0; i < levels; ++i) {
    const std::string prefix = fmt::format("level{}.", i + 1);
    if (!summary.metrics.contains(prefix + "own_bound")) continue;  // nobody is at this level
    const auto percent = [&](const char* metric) { return 100 * summary.mean(prefix + metric); };
    fmt::print("  {:<26} {:>7.4g} {:>8.2f}% {:>7.2f}% {:>10.2f}% {:>8.2f}% {:>8.2f}%\n", i + 1, summary.spent[i],
               percent("own.balanced_accuracy"), percent("own_bound"), percent("neighbours.balanced_accuracy"),
               percent("both.balanced_accuracy"), percent("majority.balanced_accuracy"));
  }
}

// What is said about the level of one way of reporting.
std::string level_verdict(const attack::LevelInference& level) {
  std::string words = fmt::format("{:.1f}%", 100 * level.success());
  if (!level.certified) return words;
  words += level.within_bound() ? " (within" : " (ABOVE";
  return words + fmt::format(" the certified {:.1f}%)", 100 * level.bound);
}

// The conclusion in one sentence.
std::string verdict(const std::vector<Attacked>& all) {
  const AttackedCell& summary = all.front().cell;
  const auto against_prior = [&](const char* metric) {
    const double points = 100 * summary.mean(metric);
    return fmt::format("{:.3f} points {} often than guessing without any report", std::abs(points),
                       points < 0 ? "less" : "more");
  };
  if (all.size() == 1) {
    std::string words = fmt::format(
        "With own and neighbours' reports an attacker tells a one from a zero of the same attribute in {:.2f}% "
        "(chance 50%) and is right {}",
        100 * summary.mean("both.auc"), against_prior("both.advantage"));
    if (!summary.level.applies) return words + ".";
    return words + "; the level is guessed right in " + level_verdict(summary.level) + ".";
  }
  std::string words = "On clean features the paper's vote is right " + against_prior("majority.advantage") +
                      "; the level is guessed right in ";
  std::string separator;
  for (const Attacked& attacked : all) {
    if (!attacked.cell.level.applies) continue;
    words += separator + level_verdict(attacked.cell.level) + " under the " + attacked.method + " protocol";
    separator = ", and in ";
  }
  return words + ".";
}

void print_table(const AttackChoice& choice, const graph::Dataset& dataset, const std::vector<Attacked>& all) {
  const AttackedCell& first = all.front().cell;
  fmt::print("Attacks on {}: {} people, {} attributes, {:.2f}% of them ones; {} runs, {} targets each\n", dataset.name,
             dataset.num_nodes(), dataset.features.cols(), 100 * first.mean("ones_share"), choice.runs,
             (first.ones + first.zeros) / choice.runs);
  fmt::print("Always guessing an attribute's more frequent value is right in {:.2f}%.\n",
             100 * first.mean("none.accuracy"));
  for (const Attacked& attacked : all) {
    const AttackedCell& summary = attacked.cell;
    fmt::print("\n{} ({})\n", attacked.title,
               summary.mechanism == "none"
                   ? "clean features"
                   : fmt::format("{}, spent {:.4g} nats on average", summary.mechanism, summary.privacy.mean));
    fmt::print("  {:<26} {:>9} {:>10} {:>10} {:>9} {:>11}\n", "what the attacker sees", "accuracy", "advantage",
               "balanced", "AUC", "with prior");
    print_score("no report", summary, "none.");
    print_score("the person's own report", summary, "own.");
    print_score("the neighbours' reports", summary, "neighbours.");
    print_score("both", summary, "both.");
    print_score("paper's majority vote", summary, "majority.");
    if (all.size() == 1) print_by_level(summary);
    fmt::print("  Level: {}.\n", level_words(summary.level));
  }
  fmt::print("\n{}\n", verdict(all));
  for (const std::string& note : dataset.notes) fmt::print("Note: {}.\n", note);
}

ordered_json to_json(const AttackChoice& choice, const graph::Dataset& dataset, const std::vector<Attacked>& all) {
  ordered_json json;
  json["data"] = dataset.name;
  json["data_checksum"] = to_hex(graph::checksum(dataset));
  json["people"] = dataset.num_nodes();
  json["attributes"] = dataset.features.cols();
  json["runs"] = choice.runs;
  json["attacked"] = ordered_json::array();
  for (const auto& [method, title, summary] : all) {
    ordered_json one;
    one["method"] = method;
    one["mechanism"] = summary.mechanism;
    one["privacy"] = {{"budgets", summary.privacy.budgets}, {"mean", summary.privacy.mean},
                      {"max", summary.privacy.max},         {"delta", summary.privacy.delta},
                      {"level", summary.privacy.level},     {"holds", summary.privacy.holds}};
    one["targets"] = {{"ones", summary.ones}, {"zeros", summary.zeros}};
    one["level"] = nullptr;
    if (summary.level.applies) {
      one["level"] = {{"how", summary.level.how},
                      {"guesses", summary.level.guesses},
                      {"right", summary.level.right},
                      {"success", summary.level.success()},
                      {"certain_success", summary.level.certain_success()},
                      {"prior", summary.level.prior},
                      {"bound", summary.level.certified ? ordered_json(summary.level.bound) : ordered_json(nullptr)},
                      {"within_bound", summary.level.within_bound()}};
    }
    one["metrics"] = ordered_json::object();
    for (const auto& [name, interval] : summary.metrics) {
      one["metrics"][name] = {
          {"mean", interval.mean}, {"low", bound(interval, interval.low)}, {"high", bound(interval, interval.high)}};
    }
    json["attacked"].push_back(std::move(one));
  }
  json["notes"] = dataset.notes;
  json["seed"] = choice.seed;
  json["version"] = version();
  return json;
}

Result<std::vector<Attacked>> attack_all(const AttackChoice& choice, const study::StudyData& data) {
  std::vector<Attacked> all = victims_of(choice);
  std::vector<const study::MethodEntry*> methods;
  for (const Attacked& victim : all) methods.push_back(study::method_named(victim.method));
  if (Result<void> useful = choice.method.check_useful(methods, false, false); !useful) return useful.error();
  std::vector<study::Setting> settings;
  for (const study::MethodEntry* method : methods) {
    Result<study::Setting> setting = choice.method.setting(*method, false);
    if (!setting) return setting.error();
    (*setting)["noise_seed"] = std::to_string(choice.seed);
    settings.push_back(std::move(setting).value());
  }
  Progress progress("attacking");
  study::ExecuteOptions execute;
  execute.jobs = choice.threads;
  execute.progress = [&](const study::StudyProgress& at) { progress.update(at.done, at.total); };
  Result<std::vector<AttackedCell>> cells = study::attack_cells(data, settings, choice.runs, execute);
  if (!cells) return cells.error();
  for (std::size_t i = 0; i < all.size(); ++i) all[i].cell = std::move((*cells)[i]);
  return all;
}

Status attack_with(const AttackChoice& choice) {
  Result<graph::Dataset> dataset = choice.data.load(graph::MissingFeatures::refuse);
  if (!dataset) return fail(dataset.error());
  const Result<study::StudyData> data = study::study_data(*dataset, false);
  if (!data) return fail(data.error());
  dataset->notes = data->dataset.notes;
  const Result<std::vector<Attacked>> all = attack_all(choice, *data);
  if (!all) return fail(all.error());
  if (choice.json) {
    print_json(to_json(choice, *dataset, *all));
  } else {
    print_table(choice, *dataset, *all);
  }
  for (const Attacked& attacked : *all) {
    if (attacked.cell.level.certified && !attacked.cell.level.within_bound()) return Status::refuted;
  }
  return Status::success;
}

// ---- one column

void print_columns(const graph::Dataset& dataset, const std::vector<attack::ColumnVictim>& victims) {
  fmt::print("One column of a person, to somebody who knows all the others and the level; even odds before.\n");
  fmt::print("{}: {} people, {} columns; {} guesses at each level\n", dataset.name, dataset.num_nodes(),
             dataset.features.cols(), victims.front().levels.front().guesses);
  for (const attack::ColumnVictim& victim : victims) {
    fmt::print("\n{}\n  {:>5} {:>10} {:>10} {:>14} {:>14}\n", victim.words, "level", "budget", "spent", "guessed right",
               "certified");
    for (std::size_t i = 0; i < victim.levels.size(); ++i) {
      const attack::ColumnGuesses& level = victim.levels[i];
      fmt::print("  {:>5} {:>10.6g} {:>10} {:>13.2f}% {:>13}%{}\n", i + 1, level.budget,
                 format_fixed_up(level.spent, 4), 100 * level.success(), format_fixed_up(100 * level.bound, 2),
                 level.within_bound() ? "" : "   EXCEEDED beyond chance");
    }
  }
  fmt::print(
      "\n{}",
      wrapped("A hostile question reaches the bound: whoever asks may choose what to ask, and what one answer tells "
              "is what the budget allows, no more.",
              ""));
}

ordered_json to_json(const attack::ColumnGuesses& level) {
  return {{"budget", level.budget},
          {"spent", level.spent},
          {"guesses", level.guesses},
          {"right", level.right},
          {"success", level.success()},
          {"bound", level.bound},
          {"within_bound", level.within_bound()}};
}

ordered_json to_json(const std::vector<attack::ColumnVictim>& victims) {
  ordered_json all = ordered_json::array();
  for (const attack::ColumnVictim& victim : victims) {
    ordered_json levels = ordered_json::array();
    for (const attack::ColumnGuesses& level : victim.levels) levels.push_back(to_json(level));
    all.push_back({{"report", victim.name},
                   {"levels", levels},
                   {"level", victim.level ? to_json(*victim.level) : ordered_json(nullptr)}});
  }
  return all;
}

Status attack_column(const AttackChoice& choice) {
  const Result<graph::Dataset> dataset = choice.data.load(graph::MissingFeatures::refuse);
  if (!dataset) return fail(dataset.error());
  attack::ColumnAttackOptions options;
  if (Result<void> applied = choice.method.budgets.apply_to(options); !applied) return fail(applied.error());
  if (choice.targets_option->count() > 0) options.trials = choice.targets;
  options.seed = choice.seed;
  const Result<std::vector<attack::ColumnVictim>> victims = attack::infer_column(*dataset, options);
  if (!victims) return fail(victims.error());
  if (choice.json) {
    print_json(
        {{"data", dataset->name}, {"one_column", to_json(*victims)}, {"seed", choice.seed}, {"version", version()}});
  } else {
    print_columns(*dataset, *victims);
  }
  for (const attack::ColumnVictim& victim : *victims) {
    if (victim.level && !victim.level->within_bound()) return Status::refuted;
    for (const attack::ColumnGuesses& level : victim.levels) {
      if (!level.within_bound()) return Status::refuted;
    }
  }
  return Status::success;
}

}  // namespace

void add_attack(CLI::App& app, Action& action) {
  auto choice = std::make_shared<AttackChoice>();
  CLI::App* attack = app.add_subcommand("attack", "Guess people's attributes and levels from what they send");
  choice->data.add_to(*attack);
  std::vector<study::MethodEntry> methods(study::methods().begin(), study::methods().end());
  std::erase_if(methods, [](const study::MethodEntry& one) { return one.campaign; });
  choice->method.add_to(*attack, listed(methods) + " (default: nonpriv, lpgnn, paper and strict side by side)", false);
  attack->add_option("--runs", choice->runs, "Runs, each with its own levels, noise and targets")
      ->capture_default_str();
  choice->targets_option =
      attack
          ->add_option("--targets", choice->targets,
                       "Pairs of person and attribute to attack in a run, half of them ones; at most those that exist")
          ->capture_default_str();
  attack->add_option("--seed", choice->seed, "Seed of levels, noise and targets")->capture_default_str();
  attack->add_option("--threads", choice->threads, "Runs at a time; 0: one per core")->capture_default_str();
  whole_numbers(
      *attack,
      {{"--runs", study::kMaxRuns}, {"--targets", kMaxTargets}, "--seed", {"--threads", kernels::kMaxThreads}});
  attack->add_flag(
      "--one-column", choice->one_column,
      "Instead: guess one column, knowing all else, from one teaching report, one answer, and the answer to "
      "a hostile question; --targets guesses a level, by default 20000");
  attack->add_flag("--json", choice->json, "Print one JSON object");
  attack->footer(
      "Accuracy counts every pair of person and attribute; advantage is what it is above always guessing the\n"
      "more frequent value, in points. Balanced accuracy and AUC compare ones and zeros of the same attribute: 50%\n"
      "and .5 are chance, however rare ones are. Exit status 1: the level attack on strict reports succeeds more\n"
      "often than the certificate allows.\n\n"
      "Examples:\n"
      "  ppgnn attack --runs 1\n"
      "  ppgnn attack --data synthetic:social,nodes=500 --method strict --epsilon 4 --runs 2\n"
      "  ppgnn attack --data synthetic:social,nodes=500 --method paper --runs 2 --json\n"
      "  ppgnn attack --data synthetic:social,nodes=500 --one-column --targets 2000 --level-public");
  attack->callback([choice, &action] {
    choice->method.rename();
    action = [choice] { return choice->one_column ? attack_column(*choice) : attack_with(*choice); };
  });
}

}  // namespace ppgnn::app
