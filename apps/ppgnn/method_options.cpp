#include "method_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "command.hpp"
#include "ppgnn/core/names.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "run_options.hpp"

namespace ppgnn::app {

namespace {

using study::MethodEntry;

// The factor that an option sets.
struct FactorOption {
  const char* option;
  std::string_view factor;
};
constexpr std::array kFactorOptions{
    FactorOption{"--epsilon", "epsilon"},
    FactorOption{"--budgets", "budgets"},
    FactorOption{"--level-budget", "level_budget"},
    FactorOption{"--gamma", "gamma"},
    FactorOption{"--sampled", "m"},
    FactorOption{"--reading", "reading"},
    FactorOption{"--delta", "delta"},
    FactorOption{"--operator", "operator"},
    FactorOption{"--levels", "levels"},
    FactorOption{"--response", "response"},
    FactorOption{"--pilots", "pilots"},
    FactorOption{"--spread", "labels"},
    FactorOption{"--hint", "hint"},
    FactorOption{"--hint-friends", "hint_friends"},
    FactorOption{"--targets", "targets"},
    FactorOption{"--backbone", "backbone"},
    FactorOption{"--hops", "hops"},
    FactorOption{"--scale", "scale"},
    FactorOption{"--epochs", "epochs"},
    FactorOption{"--lr", "learning_rate"},
    FactorOption{"--weight-decay", "weight_decay"},
    FactorOption{"--dropout", "dropout"},
    FactorOption{"--hidden", "hidden"},
};

const CLI::Option* given(const CLI::App& command, const char* name) {
  const CLI::Option* option = command.get_option_no_throw(name);
  return option != nullptr && option->count() > 0 ? option : nullptr;
}

bool has_public_levels(const MethodEntry& method) {
  return !method.in_public.empty() && !method.campaign;  // campaigns are played with both
}

// Whether a factor changes what is shown of a method: its own figures; or the levels by which those are shown.
bool shows(const study::Factor& factor, const MethodEntry& method, bool trains) {
  if (trains && factor.name == "levels") return !method.mechanism.empty();
  if (factor.name == "gamma" && method.secrecy == ldp::LevelSecrecy::public_level) return false;  // it must be 0
  return study::matters(factor, method, trains);
}

}  // namespace

Error without_effect(const std::string& option, const std::string& method, const MethodTest& is_for) {
  std::vector<MethodEntry> useful(study::methods().begin(), study::methods().end());
  std::erase_if(useful, [&](const MethodEntry& one) { return !is_for(one); });
  return invalid(option + ": has no effect with " + (method.empty() ? "the methods compared" : "--method " + method) +
                 "; it is for " + listed(useful, " and "));
}

void MethodChoice::add_to(CLI::App& app, const std::string& method_text, bool trains) {
  command = &app;
  auto* option = app.add_option("--method", method, method_text)
                     ->transform(CLI::Validator(
                         [trains](std::string& text) -> std::string {
                           std::vector<std::string> names;
                           for (const MethodEntry& one : study::methods()) {
                             if (trains || !one.campaign) names.emplace_back(one.name);
                           }
                           const bool former = study::current_name(text) != text;
                           const std::string name = former ? text : meant(names, text);
                           if (name.empty()) return "there is no method " + text + did_you_mean(names, text);
                           text = name;
                           return {};
                         },
                         ""));
  if (!method.empty()) option->capture_default_str();
  budgets.add_to(app);
  app.add_option("--sampled", sampled, "Columns per report, or best: the best whole number instead of Theorem 2's")
      ->default_str("the method's");
  app.add_option("--reading", reading,
                 "What the paper leaves open, docs/paper.md: ours, print, or authors: as their code does")
      ->transform(one_of(names_of(ldp_research::kPaperReadings)))
      ->default_str("ours");
  app.add_option("--delta", delta, "Of the Gaussian mechanism: chance that its bound fails, from 1e-15, below 0.5")
      ->default_str("1e-10");
  if (trains) {
    app.add_option("--operator", averaging, "How reports are averaged over the graph: " + listed(calibrate::kOperators))
        ->transform(one_of(names_of(calibrate::kOperators)))
        ->default_str("the method's");
  }
  add_levels(app, levels);
}

void MethodChoice::rename() {
  const std::string now = study::current_name(method);
  if (now != method) say("note: --method " + method + " is called " + now + " now");
  method = now;
}

Result<study::Setting> MethodChoice::setting(const MethodEntry& chosen, bool trains) const {
  // As printed there is one budget more, 2^h times the strictest.
  const bool one_more = reading == "print" && chosen.is_paper() && given(*command, "--budgets") == nullptr;
  const Result<std::vector<double>> list =
      one_more ? ldp::doubling_budgets(budgets.epsilon, study::kLevels + 1) : budgets.list();
  if (!list) return list.error();
  study::Setting setting{
      {"task", std::string(study::kTasks[trains ? 0 : 1].name)},
      {"method", std::string(budgets.level_public && has_public_levels(chosen) ? chosen.in_public : chosen.name)}};
  for (const auto& [name, factor] : kFactorOptions) {
    if (const CLI::Option* option = given(*command, name)) setting[std::string(factor)] = option->as<std::string>();
  }
  if (setting.contains("pilots")) setting["pilots"] = "yes";
  setting.erase("epsilon");
  std::string& all = setting["budgets"] = {};
  for (const double budget : *list) all += (all.empty() ? "" : ",") + format_number(budget);
  return setting;
}

Result<void> MethodChoice::check_useful(const std::vector<const MethodEntry*>& methods, bool trains,
                                        bool beside) const {
  const auto check = [&](const CLI::Option* option, const MethodTest& is_for, const MethodTest& also) -> Result<void> {
    const auto any = [&](const MethodEntry* one) { return is_for(*one) || also(*one); };
    if (option == nullptr || std::any_of(methods.begin(), methods.end(), any)) return {};
    return without_effect(option->get_name(), method, is_for);
  };
  const auto never = [](const MethodEntry&) { return false; };
  for (const auto& [name, factor] : kFactorOptions) {
    const study::Factor& row = *find_named(study::kFactors, factor);
    const auto of_clean = [&](const MethodEntry&) {
      return beside && row.part == study::Part::training && study::matters(row, *study::method_named("clean"), true);
    };
    const auto is_for = [&](const MethodEntry& one) { return shows(row, one, trains); };
    if (Result<void> useful = check(given(*command, name), is_for, of_clean); !useful) return useful;
  }
  return check(given(*command, "--level-public"), has_public_levels, never);
}

}  // namespace ppgnn::app
