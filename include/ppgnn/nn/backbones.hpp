#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "ppgnn/core/result.hpp"
#include "ppgnn/core/views.hpp"
#include "ppgnn/nn/layer.hpp"

namespace ppgnn::nn {

/// Makes a layer over a graph that make_layer has checked.
using LayerMaker = std::unique_ptr<GraphLayer>(const CsrView& graph, const LayerShape& shape);

/// One kind of graph layer.
struct Backbone {
  std::string_view name;   ///< on the command line and in files
  std::string_view title;  ///< in tables and figures
  double cost = 1;         ///< of an epoch, relative to GCN's; to say how long work takes
  bool heads = false;      ///< whether NetworkOptions::heads is for it; others have one
  LayerMaker* make = nullptr;
};

/// The graph layers there are: a table, whose rows never move.
[[nodiscard]] std::span<const Backbone> backbones() noexcept;

/// The one of this name; nullptr for none.
[[nodiscard]] const Backbone* backbone_named(std::string_view name) noexcept;

/// `graph` is borrowed: undirected, without stored self-loops.
///
/// Errors  Those of kernels::check_undirected; invalid_argument for a shape without columns, or one beyond kMaxHeads and kMaxClasses.
[[nodiscard]] Result<std::unique_ptr<GraphLayer>> make_layer(const Backbone& backbone, const CsrView& graph,
                                                             const LayerShape& shape);

}  // namespace ppgnn::nn
