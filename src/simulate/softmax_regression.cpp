#include "ppgnn/simulate/softmax_regression.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <numeric>

namespace ppgnn::simulate {

namespace {

constexpr std::size_t kRemembered = 10;  // steps from which the curvature is guessed
constexpr int kMostSteps = 300;
constexpr int kMostHalvings = 30;
constexpr double kEnoughOfTheSlope = 1e-4;
constexpr double kStillShare = 1e-7;  // of the loss: a step that gains less is the last

double product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Scores of a row, then their probabilities; returns the logarithm of the label's.
double probabilities_of(const LabelledRows& rows, std::size_t row, const double* weights, const double* biases,
                        std::vector<double>& scores) {
  const std::size_t classes = scores.size();
  std::copy(biases, biases + classes, scores.begin());
  for (std::size_t i = rows.offsets[row]; i < rows.offsets[row + 1]; ++i) {
    const double* own = weights + rows.columns[i] * classes;
    for (std::size_t c = 0; c < classes; ++c) scores[c] += rows.values[i] * own[c];
  }
  const double most = *std::max_element(scores.begin(), scores.end());
  const double label = scores[rows.labels[row]] - most;
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - most);
  for (double& score : scores) score /= sum;
  return label - std::log(sum);
}

// What is to become small, of weights and biases in one vector.
class Objective {
 public:
  Objective(const LabelledRows& rows, double penalty, std::size_t classes)
      : rows_(rows), penalty_(penalty), scores_(classes) {}

  double at(const std::vector<double>& point, std::vector<double>& gradient) {
    const std::size_t classes = scores_.size();
    const std::size_t weights = point.size() - classes;
    double value = 0;
    for (std::size_t i = 0; i < weights; ++i) {
      value += penalty_ / 2 * point[i] * point[i];
      gradient[i] = penalty_ * point[i];
    }
    std::fill(gradient.begin() + static_cast<std::ptrdiff_t>(weights), gradient.end(), 0);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      value -= probabilities_of(rows_, row, point.data(), point.data() + weights, scores_);
      scores_[rows_.labels[row]] -= 1;
      for (std::size_t c = 0; c < classes; ++c) gradient[weights + c] += scores_[c];
      for (std::size_t i = rows_.offsets[row]; i < rows_.offsets[row + 1]; ++i) {
        double* own = gradient.data() + rows_.columns[i] * classes;
        for (std::size_t c = 0; c < classes; ++c) own[c] += rows_.values[i] * scores_[c];
      }
    }
    return value;
  }

 private:
  const LabelledRows& rows_;
  double penalty_;
  std::vector<double> scores_;
};

// A step and how the gradient changed on it.
struct Remembered {
  std::vector<double> step;
  std::vector<double> change;
  double curvature = 0;
};

// The direction of quasi-Newton's next step (Nocedal and Wright, algorithm 7.4).
std::vector<double> downhill(const std::vector<double>& gradient, const std::deque<Remembered>& past) {
  std::vector<double> direction(gradient.size());
  std::transform(gradient.begin(), gradient.end(), direction.begin(), std::negate<>());
  std::vector<double> shares(past.size());
  const auto add = [&](const std::vector<double>& vector, double factor) {
    for (std::size_t i = 0; i < direction.size(); ++i) direction[i] += factor * vector[i];
  };
  for (std::size_t k = past.size(); k-- > 0;) {
    shares[k] = product(past[k].step, direction) / past[k].curvature;
    add(past[k].change, -shares[k]);
  }
  const double scale = past.empty() ? 1 / std::max(1.0, std::sqrt(product(gradient, gradient)))
                                    : past.back().curvature / product(past.back().change, past.back().change);
  for (double& one : direction) one *= scale;
  for (std::size_t k = 0; k < past.size(); ++k) {
    add(past[k].step, shares[k] - product(past[k].change, direction) / past[k].curvature);
  }
  return direction;
}

}  // namespace

double SoftmaxModel::log_loss(const LabelledRows& rows) const {
  std::vector<double> scores(classes);
  double loss = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    loss -= probabilities_of(rows, row, weights.data(), biases.data(), scores);
  }
  return loss / std::max<double>(1, static_cast<double>(rows.size()));
}

void fit_softmax(const LabelledRows& rows, double penalty, SoftmaxModel& model) {
  Objective objective(rows, penalty, model.classes);
  std::vector<double> point = model.weights;
  point.insert(point.end(), model.biases.begin(), model.biases.end());
  std::vector<double> gradient(point.size());
  std::vector<double> next(point.size());
  std::vector<double> next_gradient(point.size());
  std::deque<Remembered> past;
  double value = objective.at(point, gradient);
  for (int step = 0; step < kMostSteps; ++step) {
    const std::vector<double> direction = downhill(gradient, past);
    const double slope = product(gradient, direction);
    double after = std::numeric_limits<double>::infinity();
    for (int halving = 0; halving < kMostHalvings; ++halving) {
      const double length = std::ldexp(1, -halving);
      for (std::size_t i = 0; i < point.size(); ++i) next[i] = point[i] + length * direction[i];
      after = objective.at(next, next_gradient);
      if (after <= value + kEnoughOfTheSlope * length * slope) break;
    }
    if (!(after < value)) break;
    const double gained = value - after;
    Remembered last{next, next_gradient, 0};
    for (std::size_t i = 0; i < point.size(); ++i) {
      last.step[i] -= point[i];
      last.change[i] -= gradient[i];
    }
    last.curvature = product(last.step, last.change);
    std::swap(point, next);
    std::swap(gradient, next_gradient);
    value = after;
    if (last.curvature > 0) past.push_back(std::move(last));
    if (past.size() > kRemembered) past.pop_front();
    if (gained < kStillShare * value) break;
  }
  const auto weights = static_cast<std::ptrdiff_t>(model.weights.size());
  std::copy(point.begin(), point.begin() + weights, model.weights.begin());
  std::copy(point.begin() + weights, point.end(), model.biases.begin());
}

}  // namespace ppgnn::simulate
