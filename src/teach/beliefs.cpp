#include "ppgnn/teach/beliefs.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace ppgnn::teach {

namespace {

constexpr double kLeast = 1e-7;  // what a probability counts as at least
constexpr int kFittingSteps = 30;
constexpr double kStill = 1e-7;

double log_of(float probability) noexcept {
  return std::log(std::max(kLeast, static_cast<double>(probability)));
}

// Solves the symmetric positive definite system matrix x = right, in place; `right` becomes x.
void solve(std::vector<double>& matrix, std::vector<double>& right) {
  const std::size_t size = right.size();
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t row = i + 1; row < size; ++row) {
      const double factor = matrix[row * size + i] / matrix[i * size + i];
      for (std::size_t column = i; column < size; ++column) {
        matrix[row * size + column] -= factor * matrix[i * size + column];
      }
      right[row] -= factor * right[i];
    }
  }
  for (std::size_t i = size; i-- > 0;) {
    for (std::size_t column = i + 1; column < size; ++column) right[i] -= matrix[i * size + column] * right[column];
    right[i] /= matrix[i * size + i];
  }
}

}  // namespace

void normalise(std::span<double> logarithms) noexcept {
  const double most = *std::max_element(logarithms.begin(), logarithms.end());
  double sum = 0;
  for (double& one : logarithms) sum += one = std::exp(one - most);
  for (double& one : logarithms) one /= sum;
}

std::vector<std::uint32_t> classes_of(const Beliefs& beliefs) {
  std::vector<std::uint32_t> classes(beliefs.people());
  for (std::size_t person = 0; person < classes.size(); ++person) {
    const auto row = beliefs.of(person);
    classes[person] = static_cast<std::uint32_t>(std::max_element(row.begin(), row.end()) - row.begin());
  }
  return classes;
}

Quality quality_of(const Beliefs& beliefs, std::span<const std::int32_t> labels,
                   std::span<const std::uint32_t> people) {
  Quality quality;
  const std::vector<std::uint32_t> classes = classes_of(beliefs);
  for (const std::uint32_t person : people) {
    const auto row = beliefs.of(person);
    const auto label = static_cast<std::size_t>(labels[person]);
    quality.accuracy += classes[person] == label ? 1 : 0;
    quality.log_loss -= log_of(row[label]);
  }
  const double count = std::max<double>(1, static_cast<double>(people.size()));
  return {quality.accuracy / count, quality.log_loss / count};
}

Pool Pool::fit(std::span<const Beliefs* const> parts, std::span<const std::int32_t> labels,
               std::span<const std::uint32_t> people, std::vector<double> centre) {
  const std::size_t count = parts.size();
  const std::size_t classes = parts.front()->classes;
  assert(centre.size() == count);
  Pool pool{centre};
  std::vector<double> logs(count * classes);
  std::vector<double> probabilities(classes);
  std::vector<double> means(count);
  for (int step = 0; step < kFittingSteps; ++step) {
    std::vector<double> gradient(count);
    std::vector<double> curvature(count * count);
    for (const std::uint32_t person : people) {
      for (std::size_t c = 0; c < classes; ++c) {
        probabilities[c] = 0;
        for (std::size_t k = 0; k < count; ++k) {
          logs[k * classes + c] = log_of(parts[k]->of(person)[c]);
          probabilities[c] += pool.weights[k] * logs[k * classes + c];
        }
      }
      normalise(probabilities);
      const auto label = static_cast<std::size_t>(labels[person]);
      for (std::size_t k = 0; k < count; ++k) {
        means[k] = 0;
        for (std::size_t c = 0; c < classes; ++c) means[k] += probabilities[c] * logs[k * classes + c];
        gradient[k] += logs[k * classes + label] - means[k];
      }
      for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t j = 0; j < count; ++j) {
          double product = 0;
          for (std::size_t c = 0; c < classes; ++c) {
            product += probabilities[c] * logs[k * classes + c] * logs[j * classes + c];
          }
          curvature[k * count + j] += product - means[k] * means[j];
        }
      }
    }
    for (std::size_t k = 0; k < count; ++k) {
      gradient[k] -= pool.weights[k] - centre[k];
      curvature[k * count + k] += 1;
    }
    solve(curvature, gradient);
    double largest = 0;
    for (std::size_t k = 0; k < count; ++k) {
      // Far from the optimum Newton's step may be far too long.
      const double change = std::clamp(gradient[k], -1.0, 1.0);
      pool.weights[k] += change;
      largest = std::max(largest, std::abs(change));
    }
    if (largest < kStill) break;
  }
  return pool;
}

Beliefs Pool::apply(std::span<const Beliefs* const> parts) const {
  const std::size_t classes = parts.front()->classes;
  Beliefs result{classes, std::vector<float>(parts.front()->values.size())};
  std::vector<double> row(classes);
  for (std::size_t person = 0; person < result.people(); ++person) {
    for (std::size_t c = 0; c < classes; ++c) {
      row[c] = 0;
      for (std::size_t k = 0; k < parts.size(); ++k) row[c] += weights[k] * log_of(parts[k]->of(person)[c]);
    }
    normalise(row);
    std::copy(row.begin(), row.end(), result.of(person).begin());
  }
  return result;
}

}  // namespace ppgnn::teach
