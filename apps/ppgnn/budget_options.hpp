#pragma once

#include <CLI/App.hpp>
#include <initializer_list>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/plan.hpp"

/// Options about budgets, which every command that makes a plan has, and what they mean for the library.
namespace ppgnn::app {

/// --epsilon | --budgets, --level-budget | --level-public, --gamma
struct BudgetChoice {
  double epsilon = 1;
  std::string budgets;  ///< a,b,c; empty: from epsilon
  double level_budget = 0;
  bool level_public = false;
  double gamma = 0;
  CLI::Option* budgets_option = nullptr;
  CLI::Option* level_budget_option = nullptr;
  CLI::Option* level_public_option = nullptr;
  CLI::Option* gamma_option = nullptr;
  std::vector<CLI::Option*> all;

  void add_to(CLI::App& command);
  [[nodiscard]] Result<std::vector<double>> list() const;

  /// Fills in a plan request or a run's configuration; what was not given keeps its default.
  template <class Target>
  [[nodiscard]] Result<void> apply_to(Target& target) const {
    Result<std::vector<double>> chosen = list();
    if (!chosen) return chosen.error();
    target.budgets = std::move(chosen).value();
    if (level_public) target.secrecy = ldp::LevelSecrecy::public_level;
    if (level_budget_option->count() > 0) target.level_budget = level_budget;
    if (gamma_option->count() > 0) target.gamma = gamma;
    return {};
  }
};

/// Refuses anything but digits for these options: the parser would wrap -1 round to the largest number.
void whole_numbers(CLI::App& command, std::initializer_list<const char*> options);

}  // namespace ppgnn::app
