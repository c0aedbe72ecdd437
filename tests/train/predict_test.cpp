#include "ppgnn/train/predict.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ppgnn/nn/backbones.hpp"
#include "support/dense_operator.hpp"
#include "support/graphs.hpp"

namespace ppgnn::train {
namespace {

TEST(Predict, ClassesAreTheLargestOfProbabilitiesThatAreTheSoftmaxOfTheLogits) {
  const auto graph = test::random_graph(40, 100, 1);
  const test::DenseOperator input(test::random_matrix(40, 7, 2));
  auto network = nn::Network::make(input, graph.view(), 3, {.backbone = nn::backbone_named("gcn"), .hidden = 8});
  network->initialise(4);
  const kernels::Threads one(1);
  const Predictions found = predict(*network, one);
  ASSERT_EQ(found.classes.size(), 40u);
  ASSERT_EQ(found.probabilities.size(), 120u);
  network->update_first_layer(one);
  const ConstMatrixView logits = network->forward(kernels::DropoutMask::nothing(), one);
  for (std::size_t node = 0; node < 40; ++node) {
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c) sum += std::exp(static_cast<double>(logits.row(node)[c]));
    for (std::size_t c = 0; c < 3; ++c) {
      const double expected = std::exp(static_cast<double>(logits.row(node)[c])) / sum;
      EXPECT_NEAR(static_cast<double>(found.probabilities[3 * node + c]), expected, 1e-6);
      EXPECT_GE(found.probabilities[3 * node + found.classes[node]], found.probabilities[3 * node + c]);
    }
  }
}

}  // namespace
}  // namespace ppgnn::train
