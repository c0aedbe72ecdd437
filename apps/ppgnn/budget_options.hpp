#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <initializer_list>
#include <limits>
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

/// An option that takes a whole number, and the largest it takes.
struct WholeNumber {
  const char* option;
  std::uint64_t most;
  bool is_private;  ///< what was given is not repeated where it is refused

  WholeNumber(const char* name, std::uint64_t largest = std::numeric_limits<std::uint64_t>::max(), bool secret = false)
      : option(name), most(largest), is_private(secret) {}
};

/// Refuses anything but digits for these options (the parser would wrap -1 round to the largest number) and what is
/// above their bound, which their help then says.
void whole_numbers(CLI::App& command, std::initializer_list<WholeNumber> options);

}  // namespace ppgnn::app
