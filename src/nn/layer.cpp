#include "ppgnn/nn/layer.hpp"

#include <cmath>

#include "nn/layers.hpp"
#include "ppgnn/kernels/sparse.hpp"

namespace ppgnn::nn {

std::string_view name_of(Backbone backbone) noexcept {
  for (const auto& [known, name] : kBackbones) {
    if (known == backbone) return name;
  }
  return {};
}

std::optional<Backbone> backbone_named(std::string_view name) noexcept {
  for (const auto& [backbone, known] : kBackbones) {
    if (known == name) return backbone;
  }
  return std::nullopt;
}

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

Result<std::unique_ptr<GraphLayer>> make_layer(Backbone backbone, const CsrView& graph, const LayerShape& shape) {
  if (const auto checked = kernels::check_undirected(graph); !checked) return checked.error();
  if (shape.heads == 0 || shape.width == 0) {
    return Error{ErrorCode::invalid_argument, "a layer needs at least one head and one column"};
  }
  switch (backbone) {
    case Backbone::gcn:
      return make_gcn(graph, shape);
    case Backbone::sage:
      return make_sage(graph, shape);
    case Backbone::gat:
      return make_gat(graph, shape);
  }
  return Error{ErrorCode::invalid_argument, "unknown backbone"};
}

}  // namespace ppgnn::nn
