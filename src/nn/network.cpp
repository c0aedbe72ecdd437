#include "ppgnn/nn/network.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "ppgnn/core/sizes.hpp"
#include "ppgnn/kernels/dense.hpp"
#include "ppgnn/nn/backbones.hpp"

namespace ppgnn::nn {

namespace {

LayerShape first_shape(const NetworkOptions& options) {
  return {.heads = options.backbone->heads ? options.heads : 1, .width = options.hidden};
}

Result<void> check(const NetworkOptions& options, std::size_t inputs, std::size_t classes) {
  const auto invalid = [](const char* what, std::size_t most, std::size_t found) {
    return Error{ErrorCode::invalid_argument,
                 std::string(what) + std::to_string(most) + ", but is " + std::to_string(found)};
  };
  if (classes == 0 || classes > kMaxClasses) return invalid("classes must be 1 to ", kMaxClasses, classes);
  if (options.hidden == 0 || options.hidden % 4 != 0 || options.hidden > kMaxHidden) {
    return invalid("hidden must be a positive multiple of 4 up to ", kMaxHidden, options.hidden);
  }
  if (options.heads == 0 || options.heads > kMaxHeads) return invalid("heads must be 1 to ", kMaxHeads, options.heads);
  if (inputs > kMaxInputs) return invalid("columns of the input must be at most ", kMaxInputs, inputs);
  return {};
}

std::array<LayerShape, 2> shapes_of(const NetworkOptions& options, std::size_t classes) {
  return {first_shape(options), LayerShape{.heads = 1, .width = classes}};
}

// Where everything lies in the array of parameters. The layers may be over any graph.
std::optional<std::array<Network::Parts, 2>> parts_of(const std::array<std::unique_ptr<GraphLayer>, 2>& layers,
                                                      std::size_t inputs) {
  std::array<Network::Parts, 2> parts;
  std::size_t size = 0;
  for (std::size_t layer = 0; layer < 2; ++layer) {
    Network::Parts& part = parts[layer];
    part.weights = size;
    part.rows = inputs;
    part.cols = layers[layer]->transformed_columns();
    part.own_count = layers[layer]->own_parameters();
    const auto weights = checked_product({part.rows, part.cols});
    const auto own = weights ? checked_sum({part.weights, *weights}) : std::nullopt;
    const auto end = own ? checked_sum({*own, part.own_count}) : std::nullopt;
    if (!end) return std::nullopt;
    part.own = *own;
    size = *end;
    inputs = layers[layer]->output_columns();
  }
  return parts;
}

struct Plan {
  std::array<std::unique_ptr<GraphLayer>, 2> layers;
  std::array<Network::Parts, 2> parts;
  std::size_t size = 0;  // of all parameters
};

Result<Plan> plan_of(const NetworkOptions& options, const CsrView& graph, std::size_t inputs, std::size_t classes) {
  if (const auto checked = check(options, inputs, classes); !checked) return checked.error();
  const std::array<LayerShape, 2> shapes = shapes_of(options, classes);
  Plan plan;
  for (std::size_t layer = 0; layer < 2; ++layer) {
    auto made = make_layer(*options.backbone, graph, shapes[layer]);
    if (!made) return made.error();
    plan.layers[layer] = *std::move(made);
  }
  const auto parts = parts_of(plan.layers, inputs);
  if (!parts) return Error{ErrorCode::invalid_argument, "the network has more parameters than can be counted"};
  plan.parts = *parts;
  plan.size = plan.parts[1].own + plan.parts[1].own_count;
  return plan;
}

}  // namespace

std::size_t first_layer_columns(const NetworkOptions& options) {
  const auto layer = make_layer(*options.backbone, CsrView{}, first_shape(options));
  return layer ? (*layer)->transformed_columns() : 0;
}

Result<std::size_t> parameter_count(const NetworkOptions& options, std::size_t inputs, std::size_t classes) {
  const Result<Plan> plan = plan_of(options, CsrView{}, inputs, classes);
  if (!plan) return plan.error();
  return plan->size;
}

Result<Network> Network::make(const kernels::LinearOperator& input, const CsrView& graph, std::size_t classes,
                              const NetworkOptions& options) {
  if (input.rows() != graph.rows()) {
    return Error{ErrorCode::mismatch, "input has " + std::to_string(input.rows()) + " rows, the graph " +
                                          std::to_string(graph.rows()) + " nodes"};
  }
  Result<Plan> plan = plan_of(options, graph, input.columns(), classes);
  if (!plan) return plan.error();
  const std::size_t size = plan->size;
  const std::size_t logit_columns = shapes_of(options, classes)[1].columns();

  Network network;
  network.input_ = &input;
  network.options_ = options;
  network.classes_ = classes;
  network.layers_ = std::move(plan->layers);
  network.parts_ = plan->parts;

  const std::size_t nodes = graph.rows();
  const Parts& first = network.parts_[0];
  const Parts& second = network.parts_[1];
  network.parameters_ = kernels::Matrix(1, size);
  network.gradient_ = kernels::Matrix(1, size);
  network.transformed_ = kernels::Matrix(nodes, first.cols);
  if (network.layers_[0]->reads_transformed()) network.transformed_gradient_ = kernels::Matrix(nodes, first.cols);
  network.preactivation_ = kernels::Matrix(nodes, second.rows);
  network.hidden_ = kernels::Matrix(nodes, second.rows);
  network.second_transformed_ = kernels::Matrix(nodes, second.cols);
  if (network.layers_[1]->reads_transformed()) {
    network.second_transformed_gradient_ = kernels::Matrix(nodes, second.cols);
  }
  network.turned_weights_ = kernels::Matrix(second.cols, second.rows);
  network.logits_ = kernels::Matrix(nodes, logit_columns);
  network.logit_gradient_ = kernels::Matrix(nodes, logit_columns);
  network.scratch_ = kernels::Matrix(
      1, std::max(input.scratch(first.cols), kernels::multiply_transpose_scratch(nodes, second.rows, second.cols)));
  return network;
}

void Network::initialise(std::uint64_t seed) noexcept {
  for (std::size_t layer = 0; layer < 2; ++layer) {
    seeded::SeededStream stream(seed, seeded::Purpose::initialise, layer);
    layers_[layer]->initialise(weights(parameters_, layer), own(parameters_, layer), stream);
  }
}

// t = Z W_1;  z = layer_1(t).
void Network::update_first_layer(const kernels::Threads& threads) {
  input_->apply(weights(parameters_, 0), transformed_.view(), scratch_.values(), threads);
  layers_[0]->forward(own(parameters_, 0), transformed_.view(), preactivation_.view(), threads);
}

// h = dropout(SELU(z));  logits = layer_2(h W_2).
ConstMatrixView Network::forward(const kernels::DropoutMask& mask, const kernels::Threads& threads,
                                 std::span<const std::uint32_t> needed) {
  kernels::selu_dropout_forward(preactivation_.view(), mask, hidden_.view(), threads);
  kernels::multiply(hidden_.view(), weights(parameters_, 1), second_transformed_.view(), threads);
  layers_[1]->need(needed);
  layers_[1]->forward(own(parameters_, 1), second_transformed_.view(), logits_.view(), threads);
  return logits_.view();
}

// The forward pass read backwards: dW_2 = h^T dt_2, dh = dt_2 W_2^T, dz = dh SELU' mask, dW_1 = Z^T dt_1. What is read no
// more gives its memory to a gradient: z to dh, and each t to dt where its layer lets it.
void Network::backward(const kernels::DropoutMask& mask, const kernels::Threads& threads) {
  const auto gradient_of = [](kernels::Matrix& t, kernels::Matrix& apart) {
    return apart.rows() > 0 ? apart.view() : t.view();
  };
  const MatrixView second = gradient_of(second_transformed_, second_transformed_gradient_);
  const MatrixView first = gradient_of(transformed_, transformed_gradient_);
  const MatrixView hidden_gradient = preactivation_.view();
  layers_[1]->backward(own(parameters_, 1), second_transformed_.view(), logit_gradient_.view(), second,
                       own(gradient_, 1), threads);
  kernels::multiply_transpose(hidden_.view(), second, weights(gradient_, 1), scratch_.values(), threads);
  kernels::transpose(weights(parameters_, 1), turned_weights_.view());
  kernels::multiply(second, turned_weights_.view(), hidden_gradient, threads);
  kernels::selu_dropout_backward(hidden_.view(), mask, hidden_gradient, threads);
  layers_[0]->backward(own(parameters_, 0), transformed_.view(), hidden_gradient, first, own(gradient_, 0), threads);
  input_->apply_transpose(first, weights(gradient_, 0), scratch_.values(), threads);
}

}  // namespace ppgnn::nn
