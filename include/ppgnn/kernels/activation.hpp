#pragma once

#include <cstdint>

#include "ppgnn/core/views.hpp"
#include "ppgnn/kernels/threads.hpp"

namespace ppgnn::kernels {

/// Which elements one epoch drops: element e of a matrix is kept when hash(e, key) < keep / 2^32.
///
/// Determinism  Bits depend on (seed, epoch, row, column) only, and are the same on every instruction set.
struct DropoutMask {
  std::uint32_t key_first = 0;
  std::uint32_t key_second = 0;
  std::uint64_t keep = std::uint64_t{1} << 32;  ///< of 2^32; all: nothing is dropped
  float scale = 1.0F;                           ///< 2^32 / keep: the expectation of a kept element stays

  /// `rate` is the probability to drop, in [0, 1).
  static DropoutMask make(double rate, std::uint64_t seed, std::uint64_t epoch) noexcept;
  static DropoutMask nothing() noexcept { return {}; }

  [[nodiscard]] bool keeps(std::uint64_t element) const noexcept;
  [[nodiscard]] bool keeps_all() const noexcept { return keep == std::uint64_t{1} << 32; }
};

/// out = mask * scale * SELU(z), where SELU(z) = lambda (z > 0 ? z : alpha (e^z - 1)). z and out apart.
void selu_dropout_forward(ConstMatrixView z, const DropoutMask& mask, MatrixView out, const Threads& threads);

/// gradient := gradient * mask * scale * SELU'(z), from the output of the forward pass alone:
/// SELU'(z) = lambda for SELU > 0, else SELU + lambda alpha.
void selu_dropout_backward(ConstMatrixView out, const DropoutMask& mask, MatrixView gradient, const Threads& threads);

inline constexpr float kSeluLambda = 1.0507009873554805F;
inline constexpr float kSeluAlpha = 1.6732632423543772F;

}  // namespace ppgnn::kernels
