#pragma once

#include <CLI/App.hpp>
#include <string>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/planner.hpp"

namespace ppgnn::app {

/// --kind and --campaign: what reports look like. The planner chooses the rest.
struct KindChoice {
  std::string kind = "signs";
  std::string campaign;

  /// Of the kinds that need nothing but columns and budgets; `class` only where the command knows the classes.
  void add_to(CLI::App& command, bool with_classes);
  [[nodiscard]] Result<void> apply_to(ldp::PlanRequest& request) const;

  std::vector<CLI::Option*> all;
};

}  // namespace ppgnn::app
