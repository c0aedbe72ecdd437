#include "ppgnn/nn/backbones.hpp"

#include <algorithm>
#include <string>

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
  if (shape.heads > kMaxHeads || shape.width > std::max(kMaxHidden, kMaxClasses)) {
    return Error{ErrorCode::invalid_argument, "a layer has at most " + std::to_string(kMaxHeads) + " heads and " +
                                                  std::to_string(kMaxClasses) + " columns"};
  }
  return backbone.make(graph, shape);
}

}  // namespace ppgnn::nn
