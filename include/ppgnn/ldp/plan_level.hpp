#pragma once

#include <cstdint>
#include <optional>

namespace ppgnn::ldp {

/// One privacy level a person may choose.
struct PlanLevel {
  double budget = 0;  ///< most this person spends, in all; epsilon^tau in the paper
  double prior = 0;   ///< share of people expected to choose it; used for estimates only, never for privacy
  std::uint32_t sampled =
      1;                    ///< columns, or outcomes, in a report; the same for every level where levels are protected
  std::uint64_t entry = 0;  ///< the mechanism's integer for this level: all that decides the probabilities
  std::uint32_t outcomes = 0;  ///< public outcomes to choose from, where the schema does not say; likewise the same
  std::uint32_t favoured = 0;  ///< how many of them a person's features favour; likewise the same
};

/// What a mechanism needs to know of a plan besides one level's table entry.
struct Shape {
  std::uint32_t dim = 1;       ///< columns (d in the paper)
  std::uint32_t sampled = 1;   ///< columns in one report (m in the paper), or outcomes in one
  std::uint32_t outcomes = 0;  ///< public outcomes to choose from; 0: the reports are of something else
  std::uint32_t favoured = 0;  ///< how many of them a person's features favour
};

/// What somebody wants of the shape of reports; the planner chooses the rest.
struct ShapeWishes {
  std::optional<std::uint32_t> sampled;
  std::optional<std::uint32_t> outcomes;
  std::optional<std::uint32_t> favoured;
};

}  // namespace ppgnn::ldp
