#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/population/devices.hpp"
#include "ppgnn/simulate/source.hpp"

/// How well somebody who sees reports and the graph can guess people's attributes.
namespace ppgnn::attack {

/// The reports an attacker looks at.
enum class View { none, own, neighbours, both };
inline constexpr std::array kViews{View::none, View::own, View::neighbours, View::both};
/// "none", "own", "neighbours", "both".
[[nodiscard]] std::string_view to_text(View view) noexcept;

/// How often an attack is right about an attribute being 1 (above the middle of its range) or 0.
struct AttackScore {
  double accuracy = 0;                ///< over all pairs of person and column
  double advantage = 0;               ///< accuracy minus that of always guessing the column's more frequent value
  double balanced_accuracy = .5;      ///< mean of both rates of being right, within columns; chance is .5
  double true_positive_rate = .5;     ///< of the guess behind the balanced accuracy
  double false_positive_rate = .5;    ///< likewise
  double auc = .5;                    ///< chance that a one looks more like a one than a zero of the same column does
  double auc_with_prior = .5;         ///< the same over all columns together, with the column's prior in the score
  std::uint64_t ones = 0, zeros = 0;  ///< targets looked at
};

/// The attacks on people of one level.
struct LevelScores {
  double own_bound = 1;  ///< no attack on own reports of this level has a balanced accuracy above
  AttackScore majority;
  std::array<AttackScore, kViews.size()> views;  ///< by View
};

struct AttackResult {
  AttackScore majority;                          ///< the paper's vote of the neighbours
  std::array<AttackScore, kViews.size()> views;  ///< by View
  std::vector<LevelScores> by_level;             ///< empty where everybody has the same budget
  double ones_share = 0;                         ///< of all pairs of person and column
  double homophily = 0;                          ///< correlation of an attribute along an edge, granted to the attacker

  [[nodiscard]] const AttackScore& view(View which) const noexcept { return views[static_cast<std::size_t>(which)]; }
  /// Everything under flat names: "majority.accuracy", "own.auc", "level1.both.balanced_accuracy", ...
  [[nodiscard]] std::map<std::string, double> metrics() const;
};

struct AttackOptions {
  std::uint64_t targets = 200000;  ///< pairs of person and column looked at, half of them ones; all if there are fewer
  std::size_t threads = 1;         ///< 0: one per core
};

/// Attribute inference on one run of the devices. docs/decisions/0301-attribute-attack.md.
///
/// Attacker     Is granted the share of ones of every column and the correlation of attributes along edges, as they are
///              in the data; sees the graph and everybody's report; does not know levels. Score: log-odds of the prior
///              + log-likelihood ratio of the own report + that of each neighbour's report, through the correlation.
///              Accuracy guesses by the score; balanced accuracy by the evidence alone, no evidence counting as half.
/// Majority     As the paper describes it: every neighbour whose report speaks of the column votes by the sign; a tie,
///              or no vote, is a coin toss, counted as half.
/// Targets      Ones and zeros are drawn separately, each uniformly among all, and weighted by their true shares: the
///              accuracy is unbiased, and rates, balanced accuracy and AUC do not suffer from ones being rare.
/// Determinism  Targets depend on the devices' seed and run only, so methods are attacked at the same places.
/// Errors       invalid_argument for no people, no columns or no targets; mismatch for levels that do not fit.
/// Cost         O(targets * degree * log columns sent), after every report was made.
[[nodiscard]] Result<AttackResult> infer_attributes(const graph::Dataset& dataset, const simulate::Source& source,
                                                    const population::Devices& devices, const AttackOptions& options);

/// A target with what an attack makes of it.
struct Judged {
  std::uint32_t column = 0;
  bool one = false;  ///< the truth
  double score = 0;
};

/// Chance that a one scores above a zero of the same column, ties counting half, over all such pairs; .5 without any.
[[nodiscard]] double auc(std::vector<Judged> judged);

}  // namespace ppgnn::attack
