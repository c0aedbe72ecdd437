#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>
#include <vector>

#include "budget_options.hpp"
#include "ppgnn/core/result.hpp"
#include "ppgnn/study/setting.hpp"

/// What `run` and `attack` are told, as the setting of a study.
namespace ppgnn::app {

/// --method, --levels, the options of budgets, and whatever else the command has that is a factor of studies.
struct MethodChoice {
  std::string method;
  std::string levels = "uniform";  ///< a name, or a file with one line `node,level` per person
  BudgetChoice budgets;
  std::string sampled, reading, delta, averaging;  ///< as given
  CLI::App* command = nullptr;

  /// `trains`: whether campaigns are among the methods.
  void add_to(CLI::App& app, const std::string& method_text, bool trains);
  /// Of a method by its former name: the name of today, with a note.
  void rename();

  /// The options given, as factors; budgets one by one.
  ///
  /// Errors  invalid_argument for budgets that cannot be read.
  [[nodiscard]] Result<study::Setting> setting(const study::MethodEntry& chosen, bool trains) const;

  /// Refuses options without effect on any of these methods: whoever gives them expects something of them. `beside`:
  /// whether training without privacy stands beside the method.
  [[nodiscard]] Result<void> check_useful(const std::vector<const study::MethodEntry*>& methods, bool trains,
                                          bool beside) const;
};

using MethodTest = std::function<bool(const study::MethodEntry& method)>;

/// What is said of an option without effect: the methods that it is for.
[[nodiscard]] Error without_effect(const std::string& option, const std::string& method, const MethodTest& is_for);

}  // namespace ppgnn::app
