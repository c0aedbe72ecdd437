#include "ppgnn/nn/backbones.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "nn/layers.hpp"
#include "ppgnn/core/names.hpp"
#include "ppgnn/kernels/sparse.hpp"
#include "ppgnn/nn/network.hpp"

namespace ppgnn::nn {

namespace {

// To add one, at the end (checkpoints of 0.1.0 know their layer by its place): HACKING.md.
constexpr std::array kBackbones{
    Backbone{"gcn", "GCN", 1, false, make_gcn},
    Backbone{"sage", "GraphSAGE", 1.5, false, make_sage},
    Backbone{"gat", "GAT", 8, true, make_gat},
};

}  // namespace

std::span<const Backbone> backbones() noexcept {
  return kBackbones;
}

const Backbone* default_backbone() noexcept {
  return kBackbones.data();
}

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
