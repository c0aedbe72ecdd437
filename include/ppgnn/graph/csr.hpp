#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/core/views.hpp"
#include "ppgnn/graph/shared_array.hpp"

namespace ppgnn::graph {

using NodeId = std::uint32_t;

struct Edge {
  NodeId source = 0;
  NodeId target = 0;
  friend bool operator==(const Edge&, const Edge&) = default;
};

/// An immutable compressed sparse row pattern: the neighbours of every node, or the columns of every feature row.
///
/// Threads  Any number of readers; copies share the arrays.
class Csr {
 public:
  Csr() = default;

  /// Takes the arrays as they are when they have the form CsrView documents.
  ///
  /// Errors  malformed, naming the first row that falls, leaves the columns, or is not ascending without repeats.
  /// Cost    One parallel pass over both arrays, no copy.
  [[nodiscard]] static Result<Csr> make(SharedArray<std::uint64_t> offsets, SharedArray<std::uint32_t> columns,
                                        std::size_t num_columns);

  /// Valid as long as this or a copy lives.
  [[nodiscard]] CsrView view() const noexcept { return {offsets_, columns_, num_columns_}; }
  [[nodiscard]] std::size_t rows() const noexcept { return offsets_.empty() ? 0 : offsets_.size() - 1; }
  [[nodiscard]] std::size_t nonzeros() const noexcept { return columns_.size(); }
  [[nodiscard]] std::size_t num_columns() const noexcept { return num_columns_; }
  [[nodiscard]] std::span<const std::uint32_t> row(std::size_t index) const noexcept { return view().row(index); }
  [[nodiscard]] const SharedArray<std::uint64_t>& offsets() const noexcept { return offsets_; }
  [[nodiscard]] const SharedArray<std::uint32_t>& columns() const noexcept { return columns_; }

 private:
  SharedArray<std::uint64_t> offsets_;
  SharedArray<std::uint32_t> columns_;
  std::size_t num_columns_ = 0;
};

enum class Direction {
  symmetrise,  ///< every edge counts both ways
  as_given,    ///< only source -> target
};

enum class SelfLoops { keep, drop };

struct BuildOptions {
  Direction direction = Direction::symmetrise;
  SelfLoops self_loops = SelfLoops::keep;
};

/// The graph of an edge list on nodes 0 .. num_nodes-1; repeated edges count once. A kept self-loop is one entry.
///
/// Errors       invalid_argument, naming the first edge with an end outside the nodes, by its place in the list.
/// Degenerate   No nodes and no edges give the empty graph; a node without edges has an empty row.
/// Determinism  The same bytes for any thread count and any order of the list.
/// Cost         O(nodes + edges log degree), in parallel. At its peak: the list, one entry per directed edge and one
///              offset per node; pass the list as an rvalue, it is freed half-way.
[[nodiscard]] Result<Csr> build_graph(std::size_t num_nodes, std::vector<Edge> edges, const BuildOptions& options = {});

}  // namespace ppgnn::graph
