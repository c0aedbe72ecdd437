#include "ppgnn/simulate/softmax_regression.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"

namespace ppgnn::simulate {
namespace {

// Nothing but biases: classes are as likely as they are usual.
TEST(SoftmaxRegression, BiasesAreTheLogarithmsOfShares) {
  LabelledRows rows;
  for (std::uint32_t row = 0; row < 60; ++row) rows.end_row(row < 10 ? 0 : row < 30 ? 1 : 2);
  SoftmaxModel model(1, 3);
  fit_softmax(rows, 1, model);
  EXPECT_NEAR(model.biases[1] - model.biases[0], std::log(2), 1e-3);
  EXPECT_NEAR(model.biases[2] - model.biases[0], std::log(3), 1e-3);
  EXPECT_EQ(model.weights, std::vector<double>(3));
  const double expected = -(10 * std::log(1. / 6) + 20 * std::log(1. / 3) + 30 * std::log(.5)) / 60;
  EXPECT_NEAR(model.log_loss(rows), expected, 1e-6);
}

// Where the penalised loss is least, its slope is zero: by a small step to either side of every weight and bias.
TEST(SoftmaxRegression, NoNeighbourIsBetter) {
  LabelledRows rows;
  for (std::uint32_t row = 0; row < 200; ++row) {
    seeded::SeededStream bits(1, seeded::Purpose::test, row);
    const auto label = static_cast<std::uint32_t>(random::below(3, bits));
    for (std::uint32_t column = 0; column < 5; ++column) {
      const auto drawn = static_cast<double>(random::below(8, bits));
      if (drawn > 3) rows.add(column, drawn - (column == label ? 2 : 4));
    }
    rows.end_row(label);
  }
  const double penalty = .5;
  SoftmaxModel model(5, 3);
  fit_softmax(rows, penalty, model);
  const auto loss = [&] {
    double squares = 0;
    for (const double weight : model.weights) squares += weight * weight;
    return model.log_loss(rows) * static_cast<double>(rows.size()) + penalty / 2 * squares;
  };
  const double least = loss();
  EXPECT_LT(model.log_loss(rows), std::log(3) - .1);
  for (std::vector<double>* part : {&model.weights, &model.biases}) {
    for (double& one : *part) {
      for (const double step : {-.05, .05}) {
        one += step;
        EXPECT_GT(loss(), least);
        one -= step;
      }
    }
  }
}

TEST(SoftmaxRegression, NoRowsTeachNothing) {
  SoftmaxModel model(2, 2);
  fit_softmax({}, 1, model);
  EXPECT_EQ(model.weights, std::vector<double>(4));
  EXPECT_EQ(model.log_loss({}), 0);
}

}  // namespace
}  // namespace ppgnn::simulate
