#pragma once

#include <map>
#include <optional>
#include <string>

#include "ppgnn/api/study.hpp"

namespace ppgnn::api {

/// What somebody who sees all reports guesses, over all runs.
struct Attacked {
  std::string mechanism;
  double spent_mean = 0;                  ///< nats
  std::map<std::string, double> metrics;  ///< means over runs, by name; docs/attack.md explains them
  std::optional<double> level_success;    ///< share of levels guessed right; nothing where there is none to guess
  std::optional<double> level_bound;      ///< that the plan certifies
};

/// Guesses people's attributes and levels from what they send under a method.
///
/// Errors  As run.
[[nodiscard]] Result<Attacked> attack(const Data& data, const Setting& setting, const StudyOptions& options = {});

}  // namespace ppgnn::api
