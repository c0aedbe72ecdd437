#include "ppgnn/simulate/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cassert>
#include <cmath>
#include <numeric>
#include <vector>

#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"

namespace ppgnn::simulate {

namespace {

constexpr double kRounding = 1e-12;  // differences of fractions that are equal as fractions differ by less

}  // namespace

double mean_of(std::span<const double> values) noexcept {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Interval bootstrap(std::span<const double> values, std::uint64_t seed) {
  if (values.empty()) return {};
  constexpr std::size_t kSamples = 1000;
  seeded::SeededStream bits(seed, seeded::Purpose::bootstrap, values.size());
  std::vector<double> means(kSamples);
  for (double& mean : means) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += values[random::below(values.size(), bits)];
    mean = sum / static_cast<double>(values.size());
  }
  std::sort(means.begin(), means.end());
  return {mean_of(values), means[24], means[974]};
}

PairedTest corrected_resampled_t(std::span<const double> first, std::span<const double> second,
                                 double test_over_train) {
  assert(first.size() == second.size());
  const auto runs = static_cast<double>(first.size());
  std::vector<double> differences(first.size());
  std::transform(first.begin(), first.end(), second.begin(), differences.begin(),
                 [](double a, double b) { return a - b; });
  if (differences.empty()) return {};
  PairedTest test{.difference = mean_of(differences)};
  if (differences.size() < kLeastRuns) return test;
  double squares = 0;
  for (const double difference : differences)
    squares += (difference - test.difference) * (difference - test.difference);
  const double variance = squares / (runs - 1) * (1 / runs + test_over_train);
  const auto [least, most] = std::minmax_element(differences.begin(), differences.end());
  if (*most - *least <= kRounding) {
    // Accuracies are multiples of one person: equal differences happen. What is left then is that all have one sign.
    if (std::abs(test.difference) <= kRounding) test.difference = 0;
    test.p_value = test.difference == 0 ? 1 : std::min(1.0, std::exp2(1 - runs));
    return test;
  }
  const boost::math::students_t_distribution<double> t(runs - 1);
  test.p_value = 2 * boost::math::cdf(boost::math::complement(t, std::abs(test.difference) / std::sqrt(variance)));
  return test;
}

}  // namespace ppgnn::simulate
