#include "ppgnn/nn/backbones.hpp"

#include "ppgnn/core/names.hpp"
#include "ppgnn/kernels/sparse.hpp"

namespace ppgnn::nn {

const Backbone* backbone_named(std::string_view name) noexcept {
  return find_named(kBackbones, name);
}

Result<std::unique_ptr<GraphLayer>> make_layer(const Backbone& backbone, const CsrView& graph,
                                               const LayerShape& shape) {
  if (const auto checked = kernels::check_undirected(graph); !checked) return checked.error();
  if (shape.heads == 0 || shape.width == 0) {
    return Error{ErrorCode::invalid_argument, "a layer needs at least one head and one column"};
  }
  return backbone.make(graph, shape);
}

}  // namespace ppgnn::nn
