#pragma once

#include <cstdint>
#include <span>

namespace ppgnn::simulate {

struct Interval {
  double mean = 0;
  double low = 0;
  double high = 0;
};

/// Of at least one value.
[[nodiscard]] double mean_of(std::span<const double> values) noexcept;

/// Mean of some runs with a 95% percentile bootstrap interval (1,000 samples). Few runs make it too narrow: of one it
/// has no width, of two or three it is their range and covers about 50 and 75%, of ten about 90%.
///
/// Determinism  Depends on the values and the seed only.
[[nodiscard]] Interval bootstrap(std::span<const double> values, std::uint64_t seed);

/// Runs below which a paired test says nothing.
inline constexpr std::size_t kLeastRuns = 3;

struct PairedTest {
  double difference = 0;  ///< mean of first - second
  double p_value = 1;     ///< two-sided; 1 for fewer than three runs, which show nothing; never 0
};

/// Whether two methods differ, from runs on the same overlapping random splits: t test with the variance corrected for
/// the overlap (Nadeau and Bengio 2003). `test_over_train` is the ratio of the sizes of the two parts.
[[nodiscard]] PairedTest corrected_resampled_t(std::span<const double> first, std::span<const double> second,
                                               double test_over_train);

}  // namespace ppgnn::simulate
