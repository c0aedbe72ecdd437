#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "ppgnn/core/result.hpp"
#include "ppgnn/core/views.hpp"
#include "ppgnn/kernels/activation.hpp"
#include "ppgnn/kernels/linear_operator.hpp"
#include "ppgnn/kernels/matrix.hpp"
#include "ppgnn/nn/layer.hpp"

namespace ppgnn::nn {

struct Backbone;  // nn/backbones.hpp
[[nodiscard]] const Backbone* default_backbone() noexcept;

struct NetworkOptions {
  const Backbone* backbone = default_backbone();  ///< one of backbones()
  std::size_t hidden = 16;  ///< columns of the hidden layer, per head; a multiple of 4, to kMaxHidden
  std::size_t heads = 4;    ///< of the first attention layer, 1 to kMaxHeads; others have one
};

/// Columns of W_1: what the product with the input is as wide as. 0 for options that no network has.
[[nodiscard]] std::size_t first_layer_columns(const NetworkOptions& options);

/// How many numbers a network of this shape learns, padding included; takes no memory to speak of.
///
/// Errors  invalid_argument for a shape that no network has: see kMaxHidden and its neighbours.
[[nodiscard]] Result<std::size_t> parameter_count(const NetworkOptions& options, std::size_t inputs,
                                                  std::size_t classes);

/// Two graph layers with SELU and dropout between them:
///     z = layer_1(Z W_1);  h = dropout(SELU(z));  logits = layer_2(h W_2).
/// All parameters live in one array: W_1, own parameters of layer 1, W_2, own parameters of layer 2.
///
/// Determinism  Same bits for any thread count on one instruction set.
/// Threads      A network belongs to one run; the input and the graph are borrowed and shared.
/// Cost         No allocation after make. The first layer, by far the dearest, is computed once per parameter change:
///              the evaluation of one epoch and the training pass of the next share it.
class Network {
 public:
  /// `input` has one row per node of `graph` (undirected, without stored self-loops); both are borrowed.
  ///
  /// Errors  mismatch when they do not fit; those of parameter_count. Out of memory: std::bad_alloc.
  [[nodiscard]] static Result<Network> make(const kernels::LinearOperator& input, const CsrView& graph,
                                            std::size_t classes, const NetworkOptions& options);

  /// Fresh parameters; they depend on the seed only.
  void initialise(std::uint64_t seed) noexcept;

  /// z from the parameters as they are now; call after they change.
  void update_first_layer(const kernels::Threads& threads);

  /// Logits from z; rows are nodes, columns() a multiple of 4 of which the first classes() count. With `needed`, each node
  /// once, the logits of other nodes may be anything.
  ConstMatrixView forward(const kernels::DropoutMask& mask, const kernels::Threads& threads,
                          std::span<const std::uint32_t> needed = {});

  /// d loss / d logits, to be filled between forward and backward; columns beyond classes() must be zero.
  [[nodiscard]] MatrixView logit_gradient() noexcept { return logit_gradient_.view(); }

  /// gradient() from logit_gradient(), for the last forward pass and its mask. Takes the memory of z:
  /// update_first_layer comes before the next forward.
  void backward(const kernels::DropoutMask& mask, const kernels::Threads& threads);

  [[nodiscard]] std::size_t classes() const noexcept { return classes_; }
  [[nodiscard]] const NetworkOptions& options() const noexcept { return options_; }
  [[nodiscard]] std::size_t inputs() const noexcept { return input_->columns(); }
  [[nodiscard]] std::size_t nodes() const noexcept { return input_->rows(); }

  [[nodiscard]] std::span<float> parameters() noexcept { return parameters_.values(); }
  [[nodiscard]] std::span<const float> parameters() const noexcept { return parameters_.values(); }
  [[nodiscard]] std::span<const float> gradient() const noexcept { return gradient_.values(); }

  /// Where the parts of layer 0 or 1 lie within parameters() and gradient().
  struct Parts {
    std::size_t weights = 0;  ///< first of rows x cols weights
    std::size_t rows = 0;
    std::size_t cols = 0;
    std::size_t own = 0;  ///< first of own_count own parameters
    std::size_t own_count = 0;
  };
  [[nodiscard]] const Parts& parts(std::size_t layer) const noexcept { return parts_[layer]; }

 private:
  Network() = default;

  [[nodiscard]] MatrixView weights(kernels::Matrix& of, std::size_t layer) const noexcept {
    return {of.values().data() + parts_[layer].weights, parts_[layer].rows, parts_[layer].cols};
  }
  [[nodiscard]] std::span<float> own(kernels::Matrix& of, std::size_t layer) const noexcept {
    return of.values().subspan(parts_[layer].own, parts_[layer].own_count);
  }

  const kernels::LinearOperator* input_ = nullptr;
  NetworkOptions options_;
  std::size_t classes_ = 0;
  std::array<std::unique_ptr<GraphLayer>, 2> layers_;
  std::array<Parts, 2> parts_;
  kernels::Matrix parameters_;
  kernels::Matrix gradient_;
  kernels::Matrix transformed_;           // Z W_1
  kernels::Matrix transformed_gradient_;  // its gradient, where the layer reads both
  kernels::Matrix preactivation_;         // z; after backward its gradient
  kernels::Matrix hidden_;                // h
  kernels::Matrix second_transformed_;    // h W_2
  kernels::Matrix second_transformed_gradient_;
  kernels::Matrix turned_weights_;  // W_2^T
  kernels::Matrix logits_;
  kernels::Matrix logit_gradient_;
  kernels::Matrix scratch_;
};

}  // namespace ppgnn::nn
