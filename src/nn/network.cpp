#include "ppgnn/nn/network.hpp"

#include <algorithm>
#include <string>

#include "ppgnn/kernels/dense.hpp"

namespace ppgnn::nn {

namespace {

LayerShape first_shape(const NetworkOptions& options) {
  return {.heads = options.backbone->heads ? options.heads : 1, .width = options.hidden};
}

}  // namespace

std::size_t first_layer_columns(const NetworkOptions& options) {
  const auto layer = make_layer(*options.backbone, CsrView{}, first_shape(options));
  return layer ? (*layer)->transformed_columns() : 0;
}

Result<Network> Network::make(const kernels::LinearOperator& input, const CsrView& graph, std::size_t classes,
                              const NetworkOptions& options) {
  if (input.rows() != graph.rows()) {
    return Error{ErrorCode::mismatch, "input has " + std::to_string(input.rows()) + " rows, the graph " +
                                          std::to_string(graph.rows()) + " nodes"};
  }
  if (classes == 0) return Error{ErrorCode::invalid_argument, "classes must be at least 1"};
  if (options.hidden == 0 || options.hidden % 4 != 0) {
    return Error{ErrorCode::invalid_argument,
                 "hidden must be a positive multiple of 4, but is " + std::to_string(options.hidden)};
  }
  if (options.heads == 0 || options.heads > 16) {
    return Error{ErrorCode::invalid_argument, "heads must be 1 to 16, but is " + std::to_string(options.heads)};
  }
  const std::array<LayerShape, 2> shapes{first_shape(options), LayerShape{.heads = 1, .width = classes}};

  Network network;
  network.input_ = &input;
  network.options_ = options;
  network.classes_ = classes;
  std::size_t inputs = input.columns();
  std::size_t size = 0;
  for (std::size_t layer = 0; layer < 2; ++layer) {
    auto made = make_layer(*options.backbone, graph, shapes[layer]);
    if (!made) return made.error();
    network.layers_[layer] = *std::move(made);
    Parts& parts = network.parts_[layer];
    parts.weights = size;
    parts.rows = inputs;
    parts.cols = network.layers_[layer]->transformed_columns();
    parts.own = parts.weights + parts.rows * parts.cols;
    parts.own_count = network.layers_[layer]->own_parameters();
    size = parts.own + parts.own_count;
    inputs = network.layers_[layer]->output_columns();
  }

  const std::size_t nodes = graph.rows();
  const Parts& first = network.parts_[0];
  const Parts& second = network.parts_[1];
  network.parameters_ = kernels::Matrix(1, size);
  network.gradient_ = kernels::Matrix(1, size);
  network.transformed_ = kernels::Matrix(nodes, first.cols);
  network.transformed_gradient_ = kernels::Matrix(nodes, first.cols);
  network.preactivation_ = kernels::Matrix(nodes, second.rows);
  network.hidden_ = kernels::Matrix(nodes, second.rows);
  network.hidden_gradient_ = kernels::Matrix(nodes, second.rows);
  network.second_transformed_ = kernels::Matrix(nodes, second.cols);
  network.second_transformed_gradient_ = kernels::Matrix(nodes, second.cols);
  network.turned_weights_ = kernels::Matrix(second.cols, second.rows);
  network.logits_ = kernels::Matrix(nodes, shapes[1].columns());
  network.logit_gradient_ = kernels::Matrix(nodes, shapes[1].columns());
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
void Network::update_first_layer(const kernels::Threads& threads) noexcept {
  input_->apply(weights(parameters_, 0), transformed_.view(), scratch_.values(), threads);
  layers_[0]->forward(own(parameters_, 0), transformed_.view(), preactivation_.view(), threads);
}

// h = dropout(SELU(z));  logits = layer_2(h W_2).
ConstMatrixView Network::forward(const kernels::DropoutMask& mask, const kernels::Threads& threads) noexcept {
  kernels::selu_dropout_forward(preactivation_.view(), mask, hidden_.view(), threads);
  kernels::multiply(hidden_.view(), weights(parameters_, 1), second_transformed_.view(), threads);
  layers_[1]->forward(own(parameters_, 1), second_transformed_.view(), logits_.view(), threads);
  return logits_.view();
}

// The forward pass read backwards: dW_2 = h^T dt_2, dh = dt_2 W_2^T, dz = dh SELU' mask, dW_1 = Z^T dt_1.
void Network::backward(const kernels::DropoutMask& mask, const kernels::Threads& threads) noexcept {
  layers_[1]->backward(own(parameters_, 1), second_transformed_.view(), logit_gradient_.view(),
                       second_transformed_gradient_.view(), own(gradient_, 1), threads);
  kernels::multiply_transpose(hidden_.view(), second_transformed_gradient_.view(), weights(gradient_, 1),
                              scratch_.values(), threads);
  kernels::transpose(weights(parameters_, 1), turned_weights_.view());
  kernels::multiply(second_transformed_gradient_.view(), turned_weights_.view(), hidden_gradient_.view(), threads);
  kernels::selu_dropout_backward(hidden_.view(), mask, hidden_gradient_.view(), threads);
  layers_[0]->backward(own(parameters_, 0), transformed_.view(), hidden_gradient_.view(), transformed_gradient_.view(),
                       own(gradient_, 0), threads);
  input_->apply_transpose(transformed_gradient_.view(), weights(gradient_, 0), scratch_.values(), threads);
}

}  // namespace ppgnn::nn
