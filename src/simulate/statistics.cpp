#include "ppgnn/simulate/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cassert>
#include <cmath>
#include <numeric>
#include <vector>

namespace ppgnn::simulate {

namespace {

constexpr double kRounding = 1e-12;  // differences of fractions that are equal as fractions differ by less

// Of runs whose training sets overlap: more than a share of the variance of one.
double variance_of_mean(std::span<const double> values, double mean, double test_over_train) {
  const auto runs = static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / (runs - 1) * (1 / runs + test_over_train);
}

}  // namespace

double mean_of(std::span<const double> values) noexcept {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Interval resampled_t_interval(std::span<const double> values, double test_over_train) {
  if (values.empty()) return {.known = false};
  const double mean = mean_of(values);
  if (values.size() < kLeastRuns) return {mean, mean, mean, false};
  const auto degrees = static_cast<double>(values.size() - 1);
  const boost::math::students_t_distribution<double> t(degrees);
  const double half = boost::math::quantile(t, .975) * std::sqrt(variance_of_mean(values, mean, test_over_train));
  return {mean, mean - half, mean + half};
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
  const double variance = variance_of_mean(differences, test.difference, test_over_train);
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

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> corrected(p_values.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(order.size() - rank) * p_values[order[rank]]));
    corrected[order[rank]] = largest;
  }
  return corrected;
}

}  // namespace ppgnn::simulate
