#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "ppgnn/core/views.hpp"
#include "ppgnn/graph/csr.hpp"
#include "ppgnn/graph/split.hpp"

namespace ppgnn::calibrate {

/// A renumbering of the nodes, so that neighbours lie near each other in memory. Everything the engine is given (graph,
/// features, weights, labels, split) is put in this order, and what it gives per node is put back.
///
/// Determinism  Depends on the graph only.
class NodeOrder {
 public:
  /// Breadth first from nodes of low degree, neighbours of low degree first: halves the time of a product on real
  /// social graphs. Expects an undirected graph.
  ///
  /// Cost    O(edges log degree), once.
  /// Source  Cuthill and McKee, Reducing the bandwidth of sparse symmetric matrices, 1969.
  [[nodiscard]] static NodeOrder by_locality(const CsrView& graph);

  [[nodiscard]] std::size_t size() const noexcept { return original_.size(); }
  /// The new number of a node, and back.
  [[nodiscard]] std::uint32_t to_new(std::uint32_t node) const noexcept { return place_[node]; }
  [[nodiscard]] std::uint32_t to_original(std::uint32_t place) const noexcept { return original_[place]; }

  /// The same graph with nodes renumbered.
  [[nodiscard]] graph::Csr renumber(const graph::Csr& graph) const;
  /// The same rows in new order, columns untouched; values follow when there are any.
  struct Rows {
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint32_t> columns;
    std::vector<float> values;
  };
  [[nodiscard]] Rows renumber_rows(const CsrView& pattern, std::span<const float> values) const;
  /// The same parts, ascending.
  [[nodiscard]] graph::Split renumber(const graph::Split& split) const;

  /// One number per node, from the caller's order to the new one.
  template <class T>
  [[nodiscard]] std::vector<T> renumber(std::span<const T> per_node) const {
    assert(per_node.size() == size());
    std::vector<T> out(per_node.size());
    for (std::size_t place = 0; place < out.size(); ++place) out[place] = per_node[original_[place]];
    return out;
  }

 private:
  std::vector<std::uint32_t> original_;  // of each place
  std::vector<std::uint32_t> place_;     // of each node
};

}  // namespace ppgnn::calibrate
