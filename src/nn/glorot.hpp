#pragma once

#include "ppgnn/nn/layer.hpp"

namespace ppgnn::nn {

/// Glorot and Bengio 2010: the first `width` of every `padded` columns of `matrix` from `first` on uniform on
/// +-sqrt(6 / (fan_in + fan_out)), padding zero.
void glorot(MatrixView matrix, std::size_t first, const LayerShape& shape, std::size_t fan_in, std::size_t fan_out,
            seeded::SeededStream& stream) noexcept;

}  // namespace ppgnn::nn
