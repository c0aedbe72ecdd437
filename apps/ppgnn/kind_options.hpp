#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/planner.hpp"

namespace ppgnn::app {

/// --kind, --campaign, --role, --rule, --people, --outcomes, --favoured, --sampled: what reports look like.
struct KindChoice {
  std::string kind = "signs";
  std::string campaign;
  std::string role = "teach";
  std::string rule = "everybody";
  std::string people;
  std::uint32_t outcomes = 0;
  std::uint32_t favoured = 0;
  std::uint32_t sampled = 0;

  /// Of the kinds that need nothing but columns and budgets; `class` only where the command knows the classes.
  void add_to(CLI::App& command, bool with_classes);
  [[nodiscard]] Result<void> apply_to(ldp::PlanRequest& request) const;

  std::vector<CLI::Option*> all;
};

}  // namespace ppgnn::app
