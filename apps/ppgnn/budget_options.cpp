#include "budget_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "ppgnn/core/number.hpp"
#include "ppgnn/ldp/planner.hpp"

namespace ppgnn::app {

void BudgetChoice::add_to(CLI::App& command) {
  auto* one = command.add_option("--epsilon", epsilon, "Strictest budget E, 1e-06 to 512; levels get E*{1,2,4,8,16}")
                  ->capture_default_str();
  auto* several =
      command.add_option("--budgets", budgets, "Budgets of the levels, ascending, at most 63: a,b,c")->excludes(one);
  budgets_option = several;
  level_budget_option = command.add_option("--level-budget", level_budget,
                                           "Most that a report tells about the level (default: the larger of 1 and the "
                                           "strictest budget)");
  level_public_option =
      command.add_flag("--level-public", level_public, "Send the level in the clear")->excludes(level_budget_option);
  gamma_option = command.add_option(
      "--gamma", gamma,
      "Share of the strictest budget for a level report, 0 <= share < 1 (default 0; 0.5 in the paper's protocol)");
  all = {one, several, level_budget_option, level_public_option, gamma_option};
}

Result<std::vector<double>> BudgetChoice::list() const {
  if (budgets_option->count() == 0) return ldp::doubling_budgets(epsilon);
  std::vector<double> list;
  for (std::size_t start = 0; start <= budgets.size();) {
    const std::size_t end = std::min(budgets.find(',', start), budgets.size());
    const std::string item = budgets.substr(start, end - start);
    const std::optional<double> number = parse_number(item);
    if (!number) {
      return Error{ErrorCode::invalid_argument,
                   "budgets: must be numbers with commas between them, but one is '" + item + "'"};
    }
    list.push_back(*number);
    start = end + 1;
  }
  return list;
}

void whole_numbers(CLI::App& command, std::initializer_list<WholeNumber> options) {
  for (const WholeNumber& number : options) {
    CLI::Option* option = command.get_option(number.option);
    const std::uint64_t most = number.most;
    if (most < std::numeric_limits<std::uint64_t>::max()) {
      option->description(option->get_description() + "; at most " + std::to_string(most));
    }
    option->check([most, is_private = number.is_private](const std::string& text) -> std::string {
      const std::optional<std::uint64_t> value = parse_unsigned(text);
      const std::string given = is_private ? std::string() : ", but is " + text;
      if (!value) return "must be a whole number from 0" + given;
      return *value <= most ? std::string() : "must be at most " + std::to_string(most) + given;
    });
  }
}

}  // namespace ppgnn::app
