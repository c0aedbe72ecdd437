// ppgnn audit: what a plan guarantees, as a table, in words, and as JSON.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "audit_paper.hpp"
#include "budget_options.hpp"
#include "command.hpp"
#include "kind_options.hpp"
#include "output_files.hpp"
#include "ppgnn/audit/falsifier.hpp"
#include "ppgnn/core/names.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/ldp/words.hpp"
#include "ppgnn/plan_files/plan_files.hpp"

namespace ppgnn::app {

namespace {

using ldp::Certificate;
using ldp::Estimator;
using ldp::Plan;
using nlohmann::ordered_json;

struct AuditOptions {
  std::string plan_file;
  std::optional<ColumnsSource> data;
  std::optional<PlansSource> campaign;
  BudgetChoice budgets;
  std::uint32_t dim = 1433;
  KindChoice kind;
  std::string protocol = "strict";
  bool empirical = false;
  audit::FalsifierOptions falsifier;
  bool json = false;
};

Result<Plan> plan_for(const AuditOptions& options) {
  if (!options.plan_file.empty()) return plan_files::read_plan(options.plan_file);
  ldp::PlanRequest request;
  auto classes = options.kind.columns();
  if (!classes) return classes.error();
  if (*classes) {
    request.columns = std::move(**classes);
  } else if (options.data && options.data->given()) {
    std::string note;
    Result<std::vector<ldp::ColumnGroup>> columns = options.data->read(note);
    if (!columns) return columns.error();
    if (!note.empty()) say("note: " + note);
    request.columns = std::move(columns).value();
  } else if (options.dim > 0) {
    request.columns = {{"feature", options.dim, ldp::ColumnKind::binary, 0, 1, 0}};
  }
  if (Result<void> applied = options.kind.apply_to(request); !applied) return applied.error();
  if (Result<void> applied = options.budgets.apply_to(request); !applied) return applied.error();
  return ldp::make_plan(request);
}

double level_gain(const Plan& plan, const ldp::PlanLevel& level) {
  return ldp::with_mechanism(
      plan.kind(), [&](auto mechanism) { return decltype(mechanism)::gain(level.entry, plan.tables().shape(level)); });
}

// Bounds of infinite size mean that the report states the level.
ordered_json bound_json(double bound) {
  return std::isinf(bound) ? ordered_json("disclosed") : ordered_json(bound);
}

// One number where all are the same, else one per value of the level field.
template <class Value>
ordered_json one_or_all(const Estimator& estimator, Value&& value) {
  ordered_json all = ordered_json::array();
  for (std::size_t i = 0; i < estimator.cases(); ++i) all.push_back(value(i));
  return all.size() == 1 || std::all_of(all.begin(), all.end(), [&](const auto& one) { return one == all[0]; }) ? all[0]
                                                                                                                : all;
}

ordered_json to_json(const Plan& plan) {
  const Certificate& certificate = plan.certificate();
  const Estimator estimator(plan.tables());
  ordered_json json;
  json["protocol"] = "strict";
  json["holds"] = certificate.holds();
  json["plan_hash"] = to_hex(plan.hash());
  json["kind"] = ldp::option_of(plan.kind());
  json["dim"] = plan.schema().dim();
  // Outcomes that the schema says, not the level, are classes.
  if (plan.levels().front().outcomes == 0 && plan.outcomes() > 0) json["classes"] = plan.outcomes();
  json["level_secrecy"] = to_text(plan.tables().secrecy);
  if (!ldp::is_public(plan)) json["level_budget"] = plan.tables().level_budget;
  json["gamma"] = plan.tables().gamma;
  if (const auto& campaign = plan.tables().campaign) {
    json["campaign"] = {{"name", campaign->name},
                        {"role", to_text(campaign->role)},
                        {"rule", campaign->rule},
                        {"people", to_hex(campaign->people)}};
  }
  json["columns"] = ordered_json::array();
  for (const ldp::ColumnGroup& group : plan.schema().groups()) {
    json["columns"].push_back({{"name", group.name},
                               {"count", group.count},
                               {"kind", to_text(group.kind)},
                               {"low", group.low},
                               {"high", group.high},
                               {"absent", group.absent}});
  }
  json["sampled"] = one_or_all(estimator, [&](std::size_t i) { return estimator.shape(i).sampled; });
  json["gain"] = one_or_all(estimator, [&](std::size_t i) { return estimator.gain(i); });
  json["levels"] = ordered_json::array();
  for (std::size_t i = 0; i < plan.levels().size(); ++i) {
    const ldp::PlanLevel& level = plan.levels()[i];
    json["levels"].push_back({{"level", i + 1},
                              {"epsilon", level.budget},
                              {"features", certificate.features[i]},
                              {"sampled", level.sampled},
                              {"gain", level_gain(plan, level)}});
    if (level.outcomes == 0) continue;
    json["levels"].back()["outcomes"] = level.outcomes;
    json["levels"].back()["favoured"] = level.favoured;
  }
  json["level_report"] = certificate.level_report;
  json["level_given_features"] = bound_json(certificate.level_given_features);
  json["pair_max"] = bound_json(certificate.pair_max);
  json["pair_strictest"] = bound_json(certificate.pair_strictest);
  json["information"] = ldp::information_kept(plan.tables());
  json["notes"] = ldp::notes_on(plan);
  json["version"] = version();
  return json;
}

// A bound in nats, never below what it is: four decimals, or two digits of a small one.
std::string at_most(double bound) {
  return bound == 0 || bound >= .001 ? format_fixed_up(bound, 4) : format_significant_up(bound, 2);
}

void print_claim(const std::string& who, double bound, double allowed) {
  if (std::isinf(bound)) {
    fmt::print("  {:<44} {:>10} {:>10} {:>9}   not claimed\n", who, "disclosed", "", "");
    return;
  }
  fmt::print("  {:<44} {:>10} {:>9}x {:>9}   {}\n", who, at_most(bound), format_significant_up(std::exp(bound), 3),
             format_number(allowed), bound <= allowed ? "yes" : "NO");
}

void print_table(const Plan& plan) {
  const ldp::PlanTables& tables = plan.tables();
  const Certificate& certificate = plan.certificate();
  const Estimator estimator(tables);

  fmt::print("Plan {}\n", to_hex(plan.hash()));
  fmt::print(
      "Strict protocol; {}; levels {}{}\n\n", ldp::title_of(plan), to_text(tables.secrecy),
      ldp::is_public(plan) ? "" : fmt::format(" (level budget {}, gamma {})", tables.level_budget, tables.gamma));

  if (const auto& campaign = tables.campaign) {
    fmt::print("Campaign {}, of which a device sends one report. These people {}: {}.\n\n", campaign->name,
               to_text(campaign->role), campaign->rule);
  }
  fmt::print("  {:<30} {:>10} {:>9} {:>20} {:>9}\n", "asked about", "columns", "kind", "range", "absent");
  for (const ldp::ColumnGroup& group : plan.schema().groups()) {
    fmt::print("  {:<30} {:>10} {:>9} {:>20} {:>9}\n", group.name, group.count, to_text(group.kind),
               format_number(group.low) + " to " + format_number(group.high), format_number(group.absent));
  }
  fmt::print("\n");

  const std::string_view sent =
      ldp::with_mechanism(plan.kind(), [](auto mechanism) { return decltype(mechanism)::kSent; });
  const std::size_t width = std::max<std::size_t>(12, sent.size());
  fmt::print("  {:>5} {:>10} {:>10} {:>{}} {:>10}\n", "level", "budget", "spent", sent, width, "gain");
  for (std::size_t i = 0; i < plan.levels().size(); ++i) {
    const ldp::PlanLevel& level = plan.levels()[i];
    fmt::print("  {:>5} {:>10} {:>10} {:>{}} {:>10.4f}\n", i + 1, format_number(level.budget),
               at_most(ldp::spent(plan, i)), level.sampled, width, level_gain(plan, level));
  }
  fmt::print("\nWhat an observer of one report can learn at most (nats; factor on the odds)\n");
  fmt::print("  {:<44} {:>10} {:>10} {:>9}   {}\n", "", "at most", "odds", "allowed", "holds");
  for (std::size_t i = 0; i < plan.levels().size(); ++i) {
    print_claim(fmt::format("features, knowing that the level is {}", i + 1), certificate.features[i],
                plan.levels()[i].budget);
  }
  print_claim("level, knowing the features", certificate.level_given_features, tables.level_budget);
  print_claim("strictest person against any other", certificate.pair_strictest,
              tables.level_budget + plan.levels().front().budget);
  print_claim("any person against any other", certificate.pair_max, plan.levels().back().budget);
  fmt::print("\nInformation kept: {:.1f}% of what the same budgets give with public levels.\n",
             100 * ldp::information_kept(plan.tables()));
}

void print_words(const Plan& plan) {
  fmt::print("\nFor a participant\n");
  if (const std::string introduction = ldp::introduction_to(plan); !introduction.empty()) {
    fmt::print("  {}\n", introduction);
  }
  for (std::size_t i = 0; i < plan.levels().size(); ++i) fmt::print("\n{}", wrapped(ldp::words_for(plan, i), "  "));
  fmt::print("\nNotes\n");
  for (const std::string& note : ldp::notes_on(plan)) fmt::print("  - {}", wrapped(note, "    ").substr(4));
  fmt::print("\n{}\n", plan.certificate().holds() ? "Every claim holds." : "NOT every claim holds.");
}

// ---- empirical

std::string_view kind_name(audit::Check::Kind kind) {
  switch (kind) {
    case audit::Check::Kind::loss:
      return "loss";
    case audit::Check::Kind::fit:
      return "fit";
    case audit::Check::Kind::form:
      break;
  }
  return "form";
}

ordered_json to_json(const audit::FalsifierResult& result) {
  ordered_json json;
  json["falsified"] = result.falsified();
  json["reports"] = result.reports;
  json["false_alarm"] = result.alpha;
  json["false_alarm_per_check"] = result.alpha_per_check;
  json["visible"] = result.visible;
  json["inputs"] = result.inputs;
  json["checks"] = ordered_json::array();
  for (const audit::Check& check : result.checks) {
    ordered_json one{{"name", check.name}, {"kind", kind_name(check.kind)}, {"passed", check.passed}};
    if (check.kind != audit::Check::Kind::form) {
      one["claim"] = check.claim;
      one["found"] = check.found;
    }
    if (check.kind == audit::Check::Kind::loss) one["tested"] = check.tested;
    if (check.kind == audit::Check::Kind::fit) one["p_value"] = check.p_value;
    json["checks"].push_back(std::move(one));
  }
  return json;
}

// The attempt that came closest, for each claim; and every attempt that succeeded. --json has all of them.
void print_result(const audit::FalsifierResult& result) {
  fmt::print("\nAttempts to falsify, {} reports of the client; false alarm {:.2g} in all\n", result.reports,
             result.alpha);
  fmt::print("{}", wrapped(fmt::format("Inputs: {}.", fmt::join(result.inputs, "; ")), "  "));
  fmt::print("  {:<84} {:>10} {:>10}\n", "privacy loss (nats), closest attempt for each claim", "found >=", "claim <=");
  const auto print_check = [](const audit::Check& check) {
    fmt::print("  {:<84} {:>10.4f} {:>10}{}\n", check.name, check.found, at_most(check.claim),
               !check.passed  ? "   FALSIFIED"
               : check.tested ? ""
                              : "   not tested");
  };
  std::vector<const audit::Check*> closest;
  std::size_t losses = 0;
  double least = 1;
  for (const audit::Check& check : result.checks) {
    if (!check.passed) print_check(check);
    least = std::min(least, check.p_value);
    if (check.kind != audit::Check::Kind::loss) continue;
    ++losses;
    const auto claim_of = [](const audit::Check& one) {
      return std::pair(one.name.substr(0, one.name.find(',')), one.claim);
    };
    const auto same = std::find_if(closest.begin(), closest.end(),
                                   [&](const auto* one) { return claim_of(*one) == claim_of(check); });
    if (same == closest.end()) {
      closest.push_back(&check);
    } else if ((*same)->found < check.found) {
      *same = &check;
    }
  }
  for (const audit::Check* check : closest) {
    if (check->passed) print_check(*check);
  }
  fmt::print("  {} attempts at losses; {} checks of form and distribution, smallest p-value {:.2g}, threshold {:.2g}\n",
             losses, result.checks.size() - losses, least, result.alpha_per_check);
  const bool all_tested =
      std::all_of(result.checks.begin(), result.checks.end(), [](const audit::Check& check) { return check.tested; });
  if (!all_tested) {
    fmt::print(
        "  Not tested: claims above {:.2f} nats, which so many reports cannot contradict; exact tests cover them.\n",
        result.visible);
  }
  fmt::print("\n{}\n", result.falsified() ? "A claim was FALSIFIED."
                       : all_tested       ? "No claim could be falsified."
                                          : "No claim that was tested could be falsified.");
}

Result<audit::FalsifierResult> falsify(const Plan& plan, audit::FalsifierOptions options) {
  Progress progress("falsifying");
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    progress.update(static_cast<double>(done), static_cast<double>(total));
  };
  return audit::falsify_client(plan, options);
}

// Says what one plan guarantees, or adds it to `json`; whether it holds.
Result<bool> audit_one(const Plan& plan, const AuditOptions& options, ordered_json& json) {
  std::optional<audit::FalsifierResult> attempts;
  if (options.empirical) {
    Result<audit::FalsifierResult> result = falsify(plan, options.falsifier);
    if (!result) return result.error();
    attempts = std::move(result).value();
  }
  const bool holds = plan.certificate().holds() && !(attempts && attempts->falsified());
  if (options.json) {
    json = to_json(plan);
    json["holds"] = holds;
    if (attempts) json["empirical"] = to_json(*attempts);
  } else {
    print_table(plan);
    print_words(plan);
    if (attempts) print_result(*attempts);
  }
  return holds;
}

// Every round of a campaign: one object with all of them.
Status run_campaign(const AuditOptions& options) {
  const Result<std::vector<Plan>> plans = options.campaign->read();
  if (!plans) return fail(plans.error());
  ordered_json all = ordered_json::array();
  bool hold = true;
  for (std::size_t i = 0; i < plans->size(); ++i) {
    if (!options.json) fmt::print("{}Round {} of {}\n\n", i == 0 ? "" : "\n", i, plans->size());
    const Result<bool> holds = audit_one((*plans)[i], options, all.emplace_back());
    if (!holds) return fail(holds.error());
    hold = hold && *holds;
  }
  if (options.json) print_json({{"holds", hold}, {"plans", std::move(all)}, {"version", version()}});
  return hold ? Status::success : Status::refuted;
}

Status run(const AuditOptions& options) {
  if (options.protocol == "paper") return audit_paper(options.dim, options.budgets, options.json);
  if (options.campaign && options.campaign->given()) return run_campaign(options);
  const Result<Plan> plan = plan_for(options);
  if (!plan) return fail(plan.error());
  ordered_json json;
  const Result<bool> holds = audit_one(*plan, options, json);
  if (!holds) return fail(holds.error());
  if (options.json) print_json(json);
  return *holds ? Status::success : Status::refuted;
}

}  // namespace

void add_audit(CLI::App& app, Action& action, std::optional<ColumnsSource> data, std::optional<PlansSource> campaign) {
  auto options = std::make_shared<AuditOptions>();
  options->data = std::move(data);
  options->campaign = std::move(campaign);
  // What a campaign makes by default.
  options->kind.kind = "teach";
  options->kind.example = "example";
  CLI::App* audit = app.add_subcommand("audit", "What a plan guarantees: exact bounds, in a table, in words, as JSON");
  options->budgets.add_to(*audit);
  auto* dim =
      audit->add_option("--dim", options->dim, "Number of feature columns, 1 to 1073741824")->capture_default_str();
  options->kind.add_to(*audit);
  audit->get_option("--classes")->excludes(dim);
  auto* protocol =
      audit->add_option("--protocol", options->protocol, "strict, or paper: what the paper's protocol really gives")
          ->transform(one_of({"strict", "paper"}))
          ->capture_default_str();
  auto* plan = audit->add_option("--plan", options->plan_file,
                                 std::string("Audit this plan file instead of making a plan") + kOrStandardInput);
  for (CLI::Option* other : options->budgets.all) plan->excludes(other);
  for (CLI::Option* other : options->kind.all) plan->excludes(other);
  for (CLI::Option* other : {dim, protocol}) plan->excludes(other);
  if (options->data) {
    options->data->add_to(*audit);
    CLI::Option* columns =
        audit->get_option("--data")
            ->description("Columns of this data instead of --dim: the plan that campaign start makes")
            ->default_str("");
    for (CLI::Option* other : {dim, audit->get_option("--classes"), protocol, plan}) columns->excludes(other);
  }
  if (options->campaign) {
    const std::vector<CLI::Option*> others = audit->get_options();
    options->campaign->add_to(*audit);
    for (CLI::Option* place : {audit->get_option("--folder"), audit->get_option("--store")}) {
      for (CLI::Option* other : others) {
        if (other != audit->get_help_ptr() && other->get_envname().empty()) place->excludes(other);
      }
    }
  }
  auto* empirical =
      audit->add_flag("--empirical", options->empirical, "Also try to falsify every claim with reports of the client");
  audit
      ->add_option("--trials", options->falsifier.trials,
                   "Reports per input and level for --empirical, 100 to 1000000000")
      ->needs(empirical)
      ->capture_default_str();
  audit->add_option("--alpha", options->falsifier.alpha, "False-alarm probability of --empirical in all")
      ->needs(empirical)
      ->capture_default_str();
  audit->add_flag("--json", options->json, "Print one JSON object");
  audit->footer(
      "Examples:\n"
      "  ppgnn audit\n"
      "  ppgnn audit --budgets 1,2,4,8,16,32 --level-budget 4 --dim 1433\n"
      "  ppgnn audit --epsilon 0.5 --level-public --json\n"
      "  ppgnn audit --kind class --classes 5 --budgets 1,2\n"
      "  ppgnn audit --kind signs --dim 500\n"
      "  ppgnn audit --empirical --trials 20000\n"
      "  ppgnn audit --protocol paper --gamma 0.5        (exit status 1: the level is not protected)");
  audit->callback([options, &action] {
    if (options->protocol == "paper") {
      const BudgetChoice& budgets = options->budgets;
      for (const CLI::Option* strict_only :
           {budgets.level_budget_option, budgets.level_public_option, options->kind.all.front()}) {
        if (strict_only->count() > 0) throw CLI::ExcludesError("--protocol paper", strict_only->get_name());
      }
      if (options->empirical) throw CLI::ExcludesError("--protocol paper", "--empirical");
    }
    action = [options] { return run(*options); };
  });
}

}  // namespace ppgnn::app
