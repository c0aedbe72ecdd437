#include "ppgnn/nn/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include "ppgnn/kernels/loss.hpp"
#include "ppgnn/nn/backbones.hpp"
#include "support/dense_operator.hpp"
#include "support/graphs.hpp"

namespace ppgnn::nn {
namespace {

constexpr std::size_t kNodes = 30;
constexpr std::size_t kClasses = 5;

struct Fixture {
  test::Pattern graph = test::random_graph(kNodes, 60, 3);
  test::DenseOperator input{test::random_matrix(kNodes, 6, 4)};
  std::vector<std::uint32_t> labels;
  std::vector<std::uint32_t> rows;
  std::vector<kernels::LossPart> parts{kernels::loss_tasks(kNodes)};

  Fixture() {
    for (std::uint32_t i = 0; i < kNodes; ++i) {
      labels.push_back(i * 7 % kClasses);
      if (i % 4 != 1) rows.push_back(i);
    }
  }
  double loss(Network& network, const kernels::DropoutMask& mask) {
    const kernels::Threads one(1);
    network.update_first_layer(one);
    const ConstMatrixView logits = network.forward(mask, one);
    return kernels::softmax_cross_entropy_gradient(logits, kClasses, rows, labels, parts, network.logit_gradient(), one)
        .mean;
  }
};

class EveryLayer : public testing::TestWithParam<Backbone> {};

// Central differences: the loss is exact to about 1e-7, so a step of 1/512 resolves slopes to about 5e-5. A node whose
// z crosses the kink of SELU within the step adds a few 1e-3; that concerns few parameters.
TEST_P(EveryLayer, GradientsAgreeWithFiniteDifferencesUnderDropout) {
  Fixture fixture;
  auto made = Network::make(fixture.input, fixture.graph.view(), kClasses,
                            {.backbone = backbone_named(GetParam().name), .hidden = 8, .heads = 3});
  ASSERT_TRUE(made.ok()) << made.error().message;
  Network& network = *made;
  network.initialise(5);
  // Biases start at zero; move them so that they matter.
  for (std::size_t layer = 0; layer < 2; ++layer) {
    const auto& parts = network.parts(layer);
    const std::size_t width = layer == 0 ? 8 : kClasses;
    for (std::size_t i = 0; i < width; ++i) network.parameters()[parts.own + i] = 0.1F * static_cast<float>(i);
  }
  const auto mask = kernels::DropoutMask::make(0.5, 1, 1);
  fixture.loss(network, mask);
  network.backward(mask, kernels::Threads(1));
  const std::vector<float> gradient(network.gradient().begin(), network.gradient().end());
  double largest = 0;
  std::size_t exact = 0;
  std::size_t checked = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    float& parameter = network.parameters()[i];
    const float before = parameter;
    constexpr float kStep = 1.0F / 512;
    parameter = before + kStep;
    const double up = fixture.loss(network, mask);
    parameter = before - kStep;
    const double down = fixture.loss(network, mask);
    parameter = before;
    // Padding is never moved in training; its slope is not zero, its gradient must be.
    if (before == 0.0F && gradient[i] == 0.0F) continue;
    const double slope = (up - down) * 256;
    ASSERT_NEAR(static_cast<double>(gradient[i]), slope, 5e-3) << "parameter " << i << " of " << gradient.size();
    exact += std::abs(static_cast<double>(gradient[i]) - slope) < 2e-4 ? 1u : 0u;
    ++checked;
    largest = std::max(largest, std::abs(static_cast<double>(gradient[i])));
  }
  EXPECT_GT(largest, 0.02);
  EXPECT_GT(checked, 100u);
  EXPECT_GT(static_cast<double>(exact), 0.95 * static_cast<double>(checked));
}

TEST_P(EveryLayer, LogitsOfSomeNodesAreThoseOfAll) {
  Fixture fixture;
  Network network = *Network::make(fixture.input, fixture.graph.view(), kClasses,
                                   {.backbone = backbone_named(GetParam().name), .hidden = 8, .heads = 3});
  network.initialise(5);
  const kernels::Threads one(1);
  network.update_first_layer(one);
  const auto nothing = kernels::DropoutMask::nothing();
  const ConstMatrixView all = network.forward(nothing, one);
  const std::vector<float> expected(all.data, all.data + all.size());
  const auto same = [&](const ConstMatrixView& found, std::uint32_t row) {
    const auto now = found.row(row);
    return std::equal(now.begin(), now.end(), expected.begin() + static_cast<std::ptrdiff_t>(row * found.cols));
  };
  network.forward(kernels::DropoutMask::make(.5, 1, 1), one);  // other logits
  const ConstMatrixView some = network.forward(nothing, one, fixture.rows);
  for (const std::uint32_t row : fixture.rows) EXPECT_TRUE(same(some, row)) << row;
  const ConstMatrixView again = network.forward(nothing, one);  // the list is for one pass
  for (std::uint32_t row = 0; row < kNodes; ++row) EXPECT_TRUE(same(again, row)) << row;
}

TEST_P(EveryLayer, PaddingStaysZeroAndInitialisationIsSeeded) {
  Fixture fixture;
  auto made = Network::make(fixture.input, fixture.graph.view(), kClasses,
                            {.backbone = backbone_named(GetParam().name), .hidden = 8});
  ASSERT_TRUE(made.ok());
  Network& network = *made;
  network.initialise(1);
  const std::vector<float> first(network.parameters().begin(), network.parameters().end());
  network.initialise(2);
  EXPECT_NE(first, std::vector<float>(network.parameters().begin(), network.parameters().end()));
  network.initialise(1);
  EXPECT_EQ(first, std::vector<float>(network.parameters().begin(), network.parameters().end()));

  const auto mask = kernels::DropoutMask::make(0.5, 1, 1);
  fixture.loss(network, mask);
  network.backward(mask, kernels::Threads(1));
  const Network::Parts& parts = network.parts(1);
  for (std::size_t row = 0; row < parts.rows; ++row) {
    for (std::size_t c = 0; c < parts.cols; ++c) {
      if (c % 8 < kClasses) continue;
      EXPECT_EQ(network.parameters()[parts.weights + row * parts.cols + c], 0.0F);
      EXPECT_EQ(network.gradient()[parts.weights + row * parts.cols + c], 0.0F);
    }
  }
}

TEST_P(EveryLayer, GlorotBoundsAndSpread) {
  const auto graph = test::random_graph(4, 3, 1);
  const test::DenseOperator input(test::random_matrix(4, 500, 1));
  auto network = Network::make(input, graph.view(), 3, {.backbone = backbone_named(GetParam().name)});
  ASSERT_TRUE(network.ok());
  network->initialise(3);
  const Network::Parts& parts = network->parts(0);
  const std::size_t fan_out = GetParam().heads ? 64 : 16;
  const double bound = std::sqrt(6.0 / static_cast<double>(500 + fan_out));
  double sum = 0;
  double squares = 0;
  const std::size_t count = parts.rows * parts.cols;
  for (std::size_t i = 0; i < count; ++i) {
    const auto weight = static_cast<double>(network->parameters()[parts.weights + i]);
    EXPECT_LE(std::abs(weight), bound);
    sum += weight;
    squares += weight * weight;
  }
  // Uniform: variance bound^2 / 3; 6 standard deviations.
  EXPECT_LT(std::abs(sum), 6 * bound * std::sqrt(static_cast<double>(count) / 3));
  EXPECT_NEAR(squares / static_cast<double>(count) / (bound * bound / 3), 1, 0.1);
}

TEST_P(EveryLayer, OneNodeAndIsolatedNodesAreDefined) {
  const auto graph = test::pattern_of({{}}, 1);
  const test::DenseOperator input(test::random_matrix(1, 6, 1));
  auto network = Network::make(input, graph.view(), 2, {.backbone = backbone_named(GetParam().name)});
  ASSERT_TRUE(network.ok());
  network->initialise(1);
  const kernels::Threads one(1);
  network->update_first_layer(one);
  const ConstMatrixView logits = network->forward(kernels::DropoutMask::nothing(), one);
  for (const float logit : logits.row(0)) EXPECT_TRUE(std::isfinite(logit));
}

TEST_P(EveryLayer, ParametersAreCountedWithoutANetwork) {
  Fixture fixture;
  for (const std::size_t hidden : {4u, 16u, 40u}) {
    for (const std::size_t heads : {1u, 3u}) {
      const NetworkOptions options{.backbone = backbone_named(GetParam().name), .hidden = hidden, .heads = heads};
      const auto network = Network::make(fixture.input, fixture.graph.view(), kClasses, options);
      ASSERT_TRUE(network.ok());
      EXPECT_EQ(parameter_count(options, fixture.input.columns(), kClasses).value(), network->parameters().size());
    }
  }
}

// These wrapped, and what was written lay outside of what was allocated.
TEST_P(EveryLayer, ShapesThatNoNetworkHasAreRefusedBeforeMemoryFollows) {
  Fixture fixture;
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  const Backbone* backbone = backbone_named(GetParam().name);
  for (const std::size_t hidden : {kMost - 3, kMost / 2 + 1, std::size_t{1} << 60, kMaxHidden + 4}) {
    const NetworkOptions options{.backbone = backbone, .hidden = hidden};
    EXPECT_EQ(Network::make(fixture.input, fixture.graph.view(), kClasses, options).error().code,
              ErrorCode::invalid_argument);
    EXPECT_FALSE(parameter_count(options, 6, kClasses).ok());
  }
  EXPECT_FALSE(parameter_count({.backbone = backbone, .heads = kMost}, 6, kClasses).ok());
  EXPECT_FALSE(parameter_count({.backbone = backbone}, kMost, kClasses).ok());
  EXPECT_FALSE(parameter_count({.backbone = backbone}, 6, kMost).ok());
  EXPECT_FALSE(Network::make(fixture.input, fixture.graph.view(), kMost, {.backbone = backbone}).ok());
  EXPECT_FALSE(make_layer(*backbone, CsrView{}, {.heads = kMost, .width = 4}).ok());
  EXPECT_FALSE(make_layer(*backbone, CsrView{}, {.heads = 1, .width = kMost}).ok());
  const auto largest = parameter_count({.backbone = backbone, .hidden = kMaxHidden, .heads = kMaxHeads}, kMaxInputs, 2);
  ASSERT_TRUE(largest.ok()) << "every product within the bounds fits";
  EXPECT_GE(*largest, kMaxInputs * kMaxHidden);
}

INSTANTIATE_TEST_SUITE_P(Layers, EveryLayer, testing::ValuesIn(backbones()),
                         [](const auto& given) { return std::string(given.param.name); });

TEST(Network, FirstLayerIsAsWideAsItsWeights) {
  EXPECT_EQ(first_layer_columns({.backbone = backbone_named("gcn"), .hidden = 16}), 16u);
  EXPECT_EQ(first_layer_columns({.backbone = backbone_named("sage"), .hidden = 16}), 32u);
  EXPECT_EQ(first_layer_columns({.backbone = backbone_named("gat"), .hidden = 8, .heads = 4}), 32u);
  EXPECT_EQ(first_layer_columns({.backbone = backbone_named("gcn"), .hidden = 0}), 0u);
}

TEST(Network, RefusesWhatDoesNotFit) {
  Fixture fixture;
  EXPECT_FALSE(Network::make(fixture.input, test::random_graph(5, 4, 1).view(), 3, {}).ok());
  EXPECT_FALSE(Network::make(fixture.input, fixture.graph.view(), 0, {}).ok());
  EXPECT_FALSE(Network::make(fixture.input, fixture.graph.view(), 3, {.hidden = 6}).ok());
  EXPECT_FALSE(Network::make(fixture.input, fixture.graph.view(), 3, {.heads = 0}).ok());
  EXPECT_FALSE(Network::make(fixture.input, test::random_graph(kNodes, 60, 3, test::Loops::with).view(), 3, {}).ok());
}

TEST(Backbone, NamesAndTitlesAreTheirOwn) {
  std::set<std::string_view> titles;
  for (const Backbone& backbone : backbones()) {
    EXPECT_EQ(backbone_named(backbone.name), &backbone);
    EXPECT_GT(backbone.cost, 0);
    titles.insert(backbone.title);
  }
  EXPECT_EQ(titles.size(), backbones().size());
  EXPECT_EQ(backbone_named("mlp"), nullptr);
}

}  // namespace
}  // namespace ppgnn::nn
