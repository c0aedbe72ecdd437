#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/planner.hpp"

namespace ppgnn::app {

/// --kind, --classes and --campaign: what reports look like. The planner chooses the rest.
struct KindChoice {
  std::string kind = "signs";
  std::uint32_t classes = 0;
  std::string campaign;
  std::string example;  ///< the campaign's name where none is given and the kind needs one; empty: it must be given

  /// Of the kinds that need nothing but columns and budgets.
  void add_to(CLI::App& command);
  /// The column that the kind itself says; nothing: columns come from elsewhere.
  ///
  /// Errors  invalid_argument for --kind class without --classes, and the other way round.
  [[nodiscard]] Result<std::optional<std::vector<ldp::ColumnGroup>>> columns() const;
  [[nodiscard]] Result<void> apply_to(ldp::PlanRequest& request) const;

  std::vector<CLI::Option*> all;
};

}  // namespace ppgnn::app
