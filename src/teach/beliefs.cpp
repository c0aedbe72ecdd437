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

std::size_t likeliest(std::span<const float> probabilities) noexcept {
  return static_cast<std::size_t>(std::max_element(probabilities.begin(), probabilities.end()) - probabilities.begin());
}

// The quality of what `row_of` gives for each person.
template <class RowOf>
Quality mean_quality(std::span<const std::int32_t> labels, std::span<const std::uint32_t> people, const RowOf& row_of) {
  Quality quality;
  for (const std::uint32_t person : people) {
    const std::span<const float> row = row_of(person);
    const auto label = static_cast<std::size_t>(labels[person]);
    quality.accuracy += likeliest(row) == label ? 1 : 0;
    quality.log_loss -= log_of(row[label]);
  }
  const double count = std::max<double>(1, static_cast<double>(people.size()));
  return {quality.accuracy / count, quality.log_loss / count};
}

// What a pool makes of one person.
void pool_person(std::span<const double> weights, std::span<const Beliefs* const> parts, std::size_t person,
                 std::span<double> row, std::span<float> out) {
  for (std::size_t c = 0; c < row.size(); ++c) {
    row[c] = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) row[c] += weights[k] * log_of(parts[k]->of(person)[c]);
  }
  normalise(row);
  std::copy(row.begin(), row.end(), out.begin());
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
    classes[person] = static_cast<std::uint32_t>(likeliest(beliefs.of(person)));
  }
  return classes;
}

Quality quality_of(const Beliefs& beliefs, std::span<const std::int32_t> labels,
                   std::span<const std::uint32_t> people) {
  return mean_quality(labels, people, [&](std::uint32_t person) { return beliefs.of(person); });
}

Pool Pool::fit(std::span<const Beliefs* const> parts, std::span<const std::int32_t> labels,
               std::span<const std::uint32_t> people, std::vector<double> centre) {
  const std::size_t count = parts.size();
  const std::size_t classes = parts.front()->classes;
  assert(centre.size() == count);
  Pool pool{centre};
  std::vector<double> all_logs;  // person by person, part by part
  all_logs.reserve(people.size() * count * classes);
  for (const std::uint32_t person : people) {
    for (const Beliefs* part : parts) {
      for (const float probability : part->of(person)) all_logs.push_back(log_of(probability));
    }
  }
  std::vector<double> probabilities(classes);
  std::vector<double> means(count);
  for (int step = 0; step < kFittingSteps; ++step) {
    std::vector<double> gradient(count);
    std::vector<double> curvature(count * count);
    for (std::size_t i = 0; i < people.size(); ++i) {
      const double* logs = &all_logs[i * count * classes];
      for (std::size_t c = 0; c < classes; ++c) {
        probabilities[c] = 0;
        for (std::size_t k = 0; k < count; ++k) probabilities[c] += pool.weights[k] * logs[k * classes + c];
      }
      normalise(probabilities);
      const auto label = static_cast<std::size_t>(labels[people[i]]);
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
    pool_person(weights, parts, person, row, result.of(person));
  }
  return result;
}

Quality Pool::quality(std::span<const Beliefs* const> parts, std::span<const std::int32_t> labels,
                      std::span<const std::uint32_t> people) const {
  std::vector<double> row(parts.front()->classes);
  std::vector<float> out(row.size());
  return mean_quality(labels, people, [&](std::uint32_t person) -> std::span<const float> {
    pool_person(weights, parts, person, row, out);
    return out;
  });
}

}  // namespace ppgnn::teach
