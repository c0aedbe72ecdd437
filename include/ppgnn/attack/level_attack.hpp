#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/question.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/ldp/row.hpp"
#include "ppgnn/population/devices.hpp"
#include "ppgnn/simulate/source.hpp"

/// How well a server that knows a person's features can guess the level from the report.
namespace ppgnn::attack {

/// The most probable level behind a strict report, for somebody who knows the features and the plan's prior: no guess
/// is better on average.
[[nodiscard]] ldp::Level guess_level(const ldp::Plan& plan, const ldp::Report& report, const ldp::Row& features);

/// The same for somebody who knows which shares of people chose which level, instead of the plan's prior.
[[nodiscard]] ldp::Level guess_level(const ldp::Plan& plan, const ldp::Report& report, const ldp::Row& features,
                                     std::span<const double> shares, const ldp::Asked& asked = {});

/// No attacker guesses the level of a person drawn from a uniform prior more often than this, by the plan's
/// certificate: e^l / (e^l + levels - 1) for a level loss l.
[[nodiscard]] double guess_level_bound(const ldp::Plan& plan) noexcept;
/// The same for people of whom `most` chose the most popular level: most / (most + (1 - most) e^-l).
[[nodiscard]] double guess_level_bound(const ldp::Plan& plan, double most) noexcept;

/// How an attack on everybody's level went.
struct LevelInference {
  bool applies = false;       ///< false: everybody has the same budget, or sends nothing; there is no level to guess
  bool certified = false;     ///< whether a certificate bounds the success
  std::string how;            ///< how the level is guessed, in words
  std::uint64_t guesses = 0;  ///< people
  std::uint64_t right = 0;
  double prior = 0;  ///< success of always guessing the most popular level
  double bound = 1;  ///< no attacker does better on average, by the certificate; 1: nothing is promised

  [[nodiscard]] double success() const noexcept;
  /// The success that is certain but for a chance of 1e-6 (Clopper and Pearson).
  [[nodiscard]] double certain_success() const;
  /// Whether the attack did no better than the bound allows; a sound protocol fails with probability 1e-6 at most.
  [[nodiscard]] bool within_bound() const { return certain_success() <= bound; }
  /// "level.success", "level.prior", "level.bound", "level.certain_success"; empty where there is no level to guess.
  [[nodiscard]] std::map<std::string, double> metrics() const;
};

/// Guesses everybody's level from their report, for one run of the devices.
///
/// Attacker  Knows everybody's features and the shares of people at each level. Strict reports: the most probable
///           level, no guess is better. Paper's protocol: the size of the values ("ppm"); their spread and the reported
///           level ("ppm*"). A level sent in the clear is taken as it is.
/// Errors    mismatch for levels that do not fit.
[[nodiscard]] Result<LevelInference> infer_levels(const graph::Dataset& dataset, const simulate::Source& source,
                                                  const population::Devices& devices);

/// The guesses of all runs, at least one, together. The bounds of the runs average: a sum of independent guesses, each
/// right with probability at most its own bound, exceeds what guesses at the mean bound reach with no more probability
/// (Hoeffding 1956).
[[nodiscard]] LevelInference together(std::span<const LevelInference> runs);

}  // namespace ppgnn::attack
