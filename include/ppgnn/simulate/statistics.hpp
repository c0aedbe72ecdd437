#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ppgnn::simulate {

struct Interval {
  double mean = 0;
  double low = 0;     ///< the mean where no interval is known
  double high = 0;    ///< likewise
  bool known = true;  ///< false for fewer than kLeastRuns runs
};

/// Runs below which neither an interval nor a paired test says anything.
inline constexpr std::size_t kLeastRuns = 3;

/// Of at least one value.
[[nodiscard]] double mean_of(std::span<const double> values) noexcept;

/// Mean of some runs with a 95% t interval, its variance corrected for the overlap of the runs' random splits (Nadeau and
/// Bengio 2003), as in corrected_resampled_t. `test_over_train` 0: the runs have nothing in common.
[[nodiscard]] Interval resampled_t_interval(std::span<const double> values, double test_over_train);

struct PairedTest {
  double difference = 0;  ///< mean of first - second
  double p_value = 1;     ///< two-sided; 1 for fewer than three runs, which show nothing; never 0
};

/// Whether two methods differ, from runs on the same overlapping random splits: t test with the variance corrected for
/// the overlap (Nadeau and Bengio 2003). `test_over_train` is the ratio of the sizes of the two parts.
[[nodiscard]] PairedTest corrected_resampled_t(std::span<const double> first, std::span<const double> second,
                                               double test_over_train);

/// The p values of several tests corrected for their number (Holm 1979), each in its own place.
[[nodiscard]] std::vector<double> holm(std::span<const double> p_values);

}  // namespace ppgnn::simulate
