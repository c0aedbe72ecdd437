#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/ldp/plan.hpp"

namespace ppgnn::attack {

struct ColumnAttackOptions {
  std::vector<double> budgets;
  ldp::LevelSecrecy secrecy = ldp::LevelSecrecy::protected_level;
  std::optional<double> level_budget;
  double gamma = 0;              ///< must be 0
  std::uint64_t columns = 16;    ///< that are guessed
  std::uint64_t trials = 20000;  ///< guesses at each level
  std::uint64_t seed = 0;
};

/// How often somebody who knows a person's level guessed right.
struct ColumnGuesses {
  double budget = 0;
  double spent = 0;  ///< on features, as certified
  std::uint64_t guesses = 0;
  std::uint64_t right = 0;
  double bound = 0;  ///< e^spent / (1 + e^spent): no attack is right more often

  [[nodiscard]] double success() const noexcept { return static_cast<double>(right) / static_cast<double>(guesses); }
  /// Whether the count is no surprise under the bound (one in a million).
  [[nodiscard]] bool within_bound() const;
};

/// One way of reporting that is attacked.
struct ColumnVictim {
  std::string name;  ///< "signs", "buckets", "directions", "answer", "hostile"
  std::string words;
  std::vector<ColumnGuesses> levels;
  /// The level, to somebody who knows all the features; the bound is the certificate's (nothing is claimed where levels
  /// are public).
  std::optional<ColumnGuesses> level;
};

/// The worst case: somebody knows everything of a person, the level too, but for one column, which is high or absent at
/// even odds; sees one report, and guesses by its likelihood. Where levels are protected, somebody who knows all features
/// guesses the level too. Attacked are teaching reports over buckets and directions, an answer to a question about
/// classes, by a model that clean features taught, and the answer to a hostile question that only this column decides;
/// reports of random columns beside them.
///
/// Determinism  Same data, options and seed, same figures.
/// Errors       Those of the plans, naming the field; data without features or with fewer than two classes.
[[nodiscard]] Result<std::vector<ColumnVictim>> infer_column(const graph::Dataset& dataset,
                                                             const ColumnAttackOptions& options);

}  // namespace ppgnn::attack
