#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ppgnn/core/views.hpp"
#include "ppgnn/kernels/threads.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"

namespace ppgnn::nn {

// No network is larger in any direction: products of these fit 64 bits with room to spare.
inline constexpr std::size_t kMaxHidden = 4096;                   ///< columns of the hidden layer, per head
inline constexpr std::size_t kMaxHeads = 16;                      ///< of attention
inline constexpr std::size_t kMaxClasses = std::size_t{1} << 20;  ///< what a network tells apart
inline constexpr std::size_t kMaxInputs = std::size_t{1} << 32;   ///< columns of the input

/// What a layer puts out: heads * width numbers per node, each head padded with zeros to a multiple of 4 columns.
struct LayerShape {
  std::size_t heads = 1;
  std::size_t width = 0;

  [[nodiscard]] std::size_t padded() const noexcept { return (width + 3) / 4 * 4; }
  [[nodiscard]] std::size_t columns() const noexcept { return heads * padded(); }
};

/// The part of a graph layer that follows the product with its weights: out = f(t) for t = x W. Whatever x is, a dense
/// matrix or an operator, is not the layer's concern.
///
/// Padding      Padded columns of t, out, weights and their gradients are zero and stay zero.
/// Determinism  Same bits for any thread count on one instruction set.
/// Threads      A layer belongs to one run: it keeps what its backward pass needs. The graph is borrowed and shared.
/// Cost         No allocation after make.
class GraphLayer {
 public:
  virtual ~GraphLayer() = default;
  GraphLayer() = default;
  GraphLayer(const GraphLayer&) = delete;
  GraphLayer& operator=(const GraphLayer&) = delete;

  /// Columns of W, and so of t.
  [[nodiscard]] virtual std::size_t transformed_columns() const noexcept = 0;
  [[nodiscard]] virtual std::size_t output_columns() const noexcept = 0;
  /// Numbers the layer learns besides W.
  [[nodiscard]] virtual std::size_t own_parameters() const noexcept = 0;

  /// Whether the backward pass reads t; else gradient_t may lie where t did.
  [[nodiscard]] virtual bool reads_transformed() const noexcept { return false; }

  /// Fills W and the own parameters with fresh values: Glorot weights, zero bias.
  virtual void initialise(MatrixView weights, std::span<float> own, seeded::SeededStream& stream) const noexcept = 0;

  /// From the next forward pass on these rows of out alone are read, each once in the list; empty: all. A layer may fill the
  /// others all the same. The list is borrowed until the next call.
  virtual void need(std::span<const std::uint32_t> rows) noexcept { static_cast<void>(rows); }

  virtual void forward(std::span<const float> own, ConstMatrixView t, MatrixView out,
                       const kernels::Threads& threads) = 0;

  /// From gradient = d loss / d out of the last forward pass on the same t: gradient_t and own_gradient, overwritten.
  virtual void backward(std::span<const float> own, ConstMatrixView t, ConstMatrixView gradient, MatrixView gradient_t,
                        std::span<float> own_gradient, const kernels::Threads& threads) = 0;
};

}  // namespace ppgnn::nn
