#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ppgnn/report/comparison.hpp"

namespace ppgnn::report {

/// A claim of the paper in our measurements, at one scale.
struct ClaimOutcome {
  std::string study, text, scale;  ///< scale: empty where the study does not vary it
  std::vector<Comparison> comparisons;
  Comparison average;  ///< of all comparisons as one, on the runs that all have; `holm` is over the claims
  double margin = 0;
  std::size_t higher = 0, lower = 0;  ///< comparisons clearly above and below -margin, Holm-corrected
  double mean_difference = 0;
  std::vector<double> levels;               ///< for claims about the metric itself: its mean in every cell
  std::vector<double> beside;               ///< and what stands beside it
  std::size_t without = 0;                  ///< comparisons that could not be made: no run of one side succeeded
  std::size_t missing = 0;                  ///< comparisons or levels whose runs are not there yet
  std::size_t on_subset = 0;                ///< comparisons on the LastFM subset
  std::optional<double> lift_over_control;  ///< mean over the cells of `better`
  enum class Verdict { holds, in_part, unclear, fails, unmeasured } verdict = Verdict::unmeasured;
  std::string reason;  ///< what was measured, and what may explain it
};

[[nodiscard]] std::vector<ClaimOutcome> judge_claims(const std::vector<EvaluatedStudy>& studies);

[[nodiscard]] std::string to_text(ClaimOutcome::Verdict verdict);

}  // namespace ppgnn::report
