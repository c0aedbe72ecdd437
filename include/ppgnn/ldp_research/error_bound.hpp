#pragma once

#include <cstdint>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp_research/paper_ppm.hpp"

namespace ppgnn::ldp_research {

/// How far the mean of so many neighbours' values, all of one level, is off in its worst column, but for a share of
/// `failure` of all cases.
struct ErrorBound {
  /// What the paper's Theorem 4 says with every hidden constant 1. Its second term, 1 / (gamma epsilon), is said to come
  /// from the level report; an unbiased mean has no such term, and it does not shrink with the neighbours.
  double sampling = 0;  ///< sqrt(d ln(d / failure)) / ((1 - gamma) epsilon sqrt(neighbours))
  double level = 0;     ///< 1 / (gamma epsilon)
  /// Bernstein's inequality with the exact variances and the largest value that can be sent: holds as it stands.
  double certain = 0;
};

/// Of the local randomizer, where values are scaled by the own level (readings ours and print).
///
/// Errors  invalid_argument for other readings or noises, a level that there is not, no neighbours, or a share outside
///         (0, 1).
[[nodiscard]] Result<ErrorBound> paper_error_bound(const Schema& schema, const PaperOptions& options, Level level,
                                                   std::uint64_t neighbours, double failure);

}  // namespace ppgnn::ldp_research
