#include "nn/glorot.hpp"

#include <cmath>

namespace ppgnn::nn {

void glorot(MatrixView matrix, std::size_t first, const LayerShape& shape, std::size_t fan_in, std::size_t fan_out,
            seeded::SeededStream& stream) noexcept {
  const auto bound = static_cast<float>(std::sqrt(6.0 / static_cast<double>(fan_in + fan_out)));
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    const std::span<float> numbers = matrix.row(row).subspan(first, shape.columns());
    for (std::size_t column = 0; column < numbers.size(); ++column) {
      const float uniform = static_cast<float>(stream.next() >> 40) * 0x1p-23F - 1.0F;
      numbers[column] = column % shape.padded() < shape.width ? bound * uniform : 0.0F;
    }
  }
}

}  // namespace ppgnn::nn
