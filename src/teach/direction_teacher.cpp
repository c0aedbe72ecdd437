#include "teach/direction_teacher.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ppgnn/ldp/direction_response.hpp"
#include "ppgnn/ldp/estimate.hpp"

namespace ppgnn::teach {

namespace {

constexpr double kLeastVariance = 1e-6;  // of the prior: where nothing can be told, effects are nearly 0

// How much was sent in each direction, weighed by how far it leans toward the features: of one class.
struct Sums {
  std::vector<double> leaning;
  double weight = 0;  // of all: how precisely a coordinate of the mean is known
};

std::vector<Sums> gather(const ldp::Plan& plan, std::span<const ldp::NodeReport> reports, const Beliefs& believed) {
  const std::size_t classes = believed.classes;
  const ldp::Estimator estimator(plan.tables());
  std::vector<Sums> sums(classes, {std::vector<double>(ldp::kMaxDirections)});
  for (const auto& [node, report] : reports) {
    const std::size_t one = estimator.case_of(report.reported_level);
    const ldp::Shape shape = estimator.shape(one);
    const double lean = std::sqrt(ldp::DirectionResponse::information(estimator.gain(one), shape) / shape.sampled);
    for (std::size_t c = 0; c < classes; ++c) {
      const auto share = static_cast<double>(believed.of(node)[c]);
      if (share == 0) continue;
      for (const std::uint32_t direction : report.outcomes) {
        sums[c].leaning[direction] += share * lean;
        sums[c].weight += share * lean * lean;
      }
    }
  }
  return sums;
}

// Box and Muller's; 52 bits each, away from 0.
double normal(seeded::SeededStream& bits) {
  const auto uniform = [&] { return std::ldexp(static_cast<double>((bits.next() >> 11) + 1), -53); };
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

}  // namespace

double longer(std::size_t columns) {
  return std::sqrt(2 * static_cast<double>(columns) / std::numbers::pi);
}

TaughtModel learn_directions(const ldp::Plan& plan, std::span<const ldp::NodeReport> reports, const Beliefs& believed) {
  const std::size_t classes = believed.classes;
  const std::vector<Sums> sums = gather(plan, reports, believed);
  const std::size_t columns = plan.schema().dim();
  std::vector<double> means(columns * classes);  // column by column
  std::vector<double> overall(columns);
  double all = 0;
  for (const Sums& own : sums) all += own.weight;
  for (std::uint32_t column = 0; column < columns; ++column) {
    for (std::uint32_t block = 0; block < ldp::kMaxDirections / 64; ++block) {
      const std::uint64_t signs = ldp::DirectionResponse::signs(plan.tables().codebook, column, block);
      for (std::uint32_t i = 0; i < 64; ++i) {
        const double sign = (signs >> i & 1) != 0 ? 1 : -1;
        for (std::size_t c = 0; c < classes; ++c) means[column * classes + c] += sign * sums[c].leaning[block * 64 + i];
      }
    }
    for (std::size_t c = 0; c < classes; ++c) {
      double& mean = means[column * classes + c];
      overall[column] += mean / std::max(all, kLeastVariance);
      mean /= std::max(sums[c].weight, kLeastVariance);
    }
  }
  // The prior's variance: what the means differ by beyond their noise.
  double variance = 0;
  for (std::uint32_t column = 0; column < columns; ++column) {
    for (std::size_t c = 0; c < classes; ++c) {
      const double apart = means[column * classes + c] - overall[column];
      variance += sums[c].weight > 0 ? apart * apart - 1 / sums[c].weight : 0;
    }
  }
  variance = std::max(kLeastVariance, variance / static_cast<double>(columns * classes));
  TaughtModel model{classes, {}, {}, std::vector<double>(classes)};
  for (std::uint32_t column = 0; column < columns; ++column) {
    for (std::size_t c = 0; c < classes; ++c) {
      const double trust = variance * sums[c].weight / (1 + variance * sums[c].weight);
      const double effect = trust * (means[column * classes + c] - overall[column]);
      model.effects.push_back(effect);
      model.biases[c] -= effect * (overall[column] + effect / 2);
    }
  }
  for (double& bias : model.biases) bias /= longer(columns);
  return model;
}

std::vector<double> imagined_scores(const TaughtModel& model, std::size_t own, seeded::SeededStream& bits) {
  const std::size_t columns = model.columns();
  std::vector<double> scores(model.classes);
  for (std::size_t column = 0; column < columns; ++column) {
    const double* effects = &model.effects[column * model.classes];
    const double value = effects[own] + normal(bits) / std::sqrt(static_cast<double>(columns));
    for (std::size_t c = 0; c < model.classes; ++c) {
      scores[c] += effects[c] * (value - effects[c] / 2) / longer(columns);
    }
  }
  return scores;
}

}  // namespace ppgnn::teach
