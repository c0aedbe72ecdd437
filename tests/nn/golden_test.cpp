// The networks against values that PyTorch computed (scripts/golden/make_golden.py).
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "ppgnn/kernels/adam.hpp"
#include "ppgnn/kernels/loss.hpp"
#include "ppgnn/nn/backbones.hpp"
#include "ppgnn/nn/network.hpp"
#include "support/dense_operator.hpp"
#include "support/graphs.hpp"

namespace ppgnn::nn {
namespace {

using Json = nlohmann::ordered_json;

// Float arithmetic in another order than PyTorch's; gradients and losses are of size 0.01 to 1.
constexpr double kTolerance = 2e-6;

kernels::Matrix matrix_of(const Json& numbers, std::size_t rows, std::size_t cols) {
  kernels::Matrix matrix(rows, cols);
  EXPECT_EQ(numbers.size(), matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix.values()[i] = numbers.at(i).get<float>();
  return matrix;
}

// One parameter of a layer: its name in the file, and where its element (row, column) lies in the network's numbers.
struct Place {
  std::string name;
  std::size_t rows;
  std::size_t cols;   // as in the file
  std::size_t start;  // of element (0, 0)
  std::size_t stride;
};

// In the order of the file: matrices whose name begins with "weight" side by side in W, all others one after the other
// among the layer's own parameters, each head padded.
std::vector<Place> places_of(const Json& parameters, const Network::Parts& parts, const LayerShape& shape) {
  const std::size_t real = shape.heads * shape.width;
  std::vector<Place> places;
  std::size_t weights = parts.weights;
  std::size_t own = parts.own;
  for (const auto& [name, numbers] : parameters.items()) {
    const bool is_weight = name.starts_with("weight");
    std::size_t& start = is_weight ? weights : own;
    places.push_back({name, is_weight ? parts.rows : 1, real, start, is_weight ? parts.cols : 0});
    start += shape.columns();
  }
  return places;
}

class Golden : public testing::TestWithParam<Backbone> {};

TEST_P(Golden, ForwardGradientsAndFiveSteps) {
  std::ifstream file(std::string(PPGNN_GOLDEN_DIR) + "/" + std::string(GetParam().name) + ".json");
  ASSERT_TRUE(file.is_open());
  const Json golden = Json::parse(file);
  const auto nodes = golden.at("nodes").get<std::size_t>();
  const auto classes = golden.at("classes").get<std::size_t>();
  const auto rows = golden.at("rows").get<std::vector<std::uint32_t>>();
  const auto labels = golden.at("labels").get<std::vector<std::uint32_t>>();
  const auto graph = test::pattern_of(golden.at("neighbours").get<std::vector<std::vector<std::uint32_t>>>(), nodes);
  const test::DenseOperator input(matrix_of(golden.at("x"), nodes, golden.at("inputs").get<std::size_t>()));
  const NetworkOptions options{.backbone = backbone_named(GetParam().name),
                               .hidden = golden.at("hidden").get<std::size_t>(),
                               .heads = golden.at("heads").get<std::size_t>()};
  auto made = Network::make(input, graph.view(), classes, options);
  ASSERT_TRUE(made.ok()) << made.error().message;
  Network& network = *made;
  const std::array<LayerShape, 2> shapes{LayerShape{options.heads, options.hidden}, LayerShape{1, classes}};
  const std::array<const char*, 2> names{"first", "second"};
  for (std::size_t layer = 0; layer < 2; ++layer) {
    for (const Place& place : places_of(golden.at(names[layer]), network.parts(layer), shapes[layer])) {
      const Json& numbers = golden.at(names[layer]).at(place.name);
      ASSERT_EQ(numbers.size(), place.rows * place.cols) << place.name;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        network.parameters()[place.start + i / place.cols * place.stride + i % place.cols] = numbers.at(i).get<float>();
      }
    }
  }

  const kernels::Threads one(1);
  const auto nothing = kernels::DropoutMask::nothing();
  std::vector<kernels::LossPart> parts(kernels::loss_tasks(rows.size()));
  const auto step = [&] {
    network.update_first_layer(one);
    const ConstMatrixView logits = network.forward(nothing, one);
    const auto loss =
        kernels::softmax_cross_entropy_gradient(logits, classes, rows, labels, parts, network.logit_gradient(), one);
    network.backward(nothing, one);
    return loss.mean;
  };

  EXPECT_NEAR(step(), golden.at("loss").get<double>(), kTolerance);
  network.update_first_layer(one);  // backward took its memory
  const ConstMatrixView logits = network.forward(nothing, one);
  for (std::size_t node = 0; node < nodes; ++node) {
    for (std::size_t c = 0; c < classes; ++c) {
      EXPECT_NEAR(static_cast<double>(logits.row(node)[c]), golden.at("logits").at(node * classes + c).get<double>(),
                  kTolerance * 5);
    }
  }
  for (std::size_t layer = 0; layer < 2; ++layer) {
    for (const Place& place : places_of(golden.at(names[layer]), network.parts(layer), shapes[layer])) {
      const Json& numbers = golden.at(std::string(names[layer]) + "_gradient").at(place.name);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const float found = network.gradient()[place.start + i / place.cols * place.stride + i % place.cols];
        ASSERT_NEAR(static_cast<double>(found), numbers.at(i).get<double>(), kTolerance)
            << names[layer] << ' ' << place.name << ' ' << i;
      }
    }
  }

  const kernels::AdamOptions adam{.learning_rate = golden.at("learning_rate").get<double>(),
                                  .weight_decay = golden.at("weight_decay").get<double>()};
  std::vector<float> first_moment(network.parameters().size());
  std::vector<float> second_moment(network.parameters().size());
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(step(), golden.at("losses").at(i).get<double>(), kTolerance * 5) << "step " << i;
    kernels::adam_step(adam, i + 1, network.gradient(), network.parameters(), first_moment, second_moment, one);
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, Golden, testing::ValuesIn(backbones()),
                         [](const auto& given) { return std::string(given.param.name); });

}  // namespace
}  // namespace ppgnn::nn
