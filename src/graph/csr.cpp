#include "ppgnn/graph/csr.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>

#include "graph/parallel.hpp"

namespace ppgnn::graph {

namespace {

// Edges or rows handed to a thread at a time.
constexpr std::size_t kGrain = 4096;

void add_relaxed(std::uint64_t& counter) noexcept {
  std::atomic_ref(counter).fetch_add(1, std::memory_order_relaxed);
}

// Turns counts[0 .. n-1] into running totals, the total itself in counts[n].
void sum_to_ends(std::vector<std::uint64_t>& counts) noexcept {
  std::uint64_t total = 0;
  for (std::uint64_t& count : counts) count = total += count;
}

// Calls entry(row, column) for each directed entry that an edge stands for.
template <class Entry>
void entries_of(const Edge& edge, const BuildOptions& options, const Entry& entry) {
  if (edge.source == edge.target) {
    if (options.self_loops == SelfLoops::keep) entry(edge.source, edge.target);
    return;
  }
  entry(edge.source, edge.target);
  if (options.direction == Direction::symmetrise) entry(edge.target, edge.source);
}

}  // namespace

Result<Csr> Csr::make(SharedArray<std::uint64_t> offsets, SharedArray<std::uint32_t> columns, std::size_t num_columns) {
  const auto malformed = [](std::string what) { return Error{ErrorCode::malformed, std::move(what)}; };
  if (offsets.empty()) return malformed("row offsets are missing");
  if (offsets[0] != 0) return malformed("row offset 0 is " + std::to_string(offsets[0]) + ", not 0");
  const std::size_t rows = offsets.size() - 1;
  const std::size_t falls = first_index(rows, kGrain, [&](std::size_t row) { return offsets[row] > offsets[row + 1]; });
  if (falls != kNoIndex) return malformed("row offset " + std::to_string(falls + 1) + " falls");
  if (offsets[rows] != columns.size()) {
    return malformed("row offsets end at " + std::to_string(offsets[rows]) + " but there are " +
                     std::to_string(columns.size()) + " columns");
  }
  const std::size_t bad = first_index(rows, kGrain, [&](std::size_t row) {
    for (std::uint64_t i = offsets[row]; i < offsets[row + 1]; ++i) {
      if (columns[i] >= num_columns || (i > offsets[row] && columns[i] <= columns[i - 1])) return true;
    }
    return false;
  });
  if (bad != kNoIndex) {
    return malformed("row " + std::to_string(bad) + " is not an ascending list of columns below " +
                     std::to_string(num_columns) + " without repeats");
  }
  Csr csr;
  csr.offsets_ = std::move(offsets);
  csr.columns_ = std::move(columns);
  csr.num_columns_ = num_columns;
  return csr;
}

Result<Csr> build_graph(std::size_t num_nodes, std::vector<Edge> edges, const BuildOptions& options) {
  if (num_nodes > std::size_t{std::numeric_limits<NodeId>::max()}) {
    return Error{ErrorCode::invalid_argument, "num_nodes is " + std::to_string(num_nodes) + ", above 2^32 - 1"};
  }
  const std::size_t bad = first_index(edges.size(), kGrain, [&](std::size_t i) {
    return edges[i].source >= num_nodes || edges[i].target >= num_nodes;
  });
  if (bad != kNoIndex) {
    return Error{ErrorCode::invalid_argument,
                 "edge " + std::to_string(bad) + " joins node " + std::to_string(edges[bad].source) + " and node " +
                     std::to_string(edges[bad].target) + ", but there are " + std::to_string(num_nodes) + " nodes"};
  }

  // A counting sort by row. ends[r] is the end of row r, and after the second pass its start: no second array.
  std::vector<std::uint64_t> ends(num_nodes + 1, 0);
  for_each_index(edges.size(), kGrain, [&](std::size_t i) {
    entries_of(edges[i], options, [&](NodeId row, NodeId) { add_relaxed(ends[row]); });
  });
  sum_to_ends(ends);
  std::vector<std::uint32_t> columns(ends[num_nodes]);
  for_each_index(edges.size(), kGrain, [&](std::size_t i) {
    entries_of(edges[i], options, [&](NodeId row, NodeId column) {
      columns[std::atomic_ref(ends[row]).fetch_sub(1, std::memory_order_relaxed) - 1] = column;
    });
  });
  const std::vector<std::uint64_t>& starts = ends;
  std::vector<Edge>().swap(edges);

  // Threads filled each row in any order; sorting makes the order one again.
  std::vector<std::uint64_t> offsets(num_nodes + 1, 0);
  const auto row_begin = [&](std::size_t row) { return columns.begin() + static_cast<std::ptrdiff_t>(starts[row]); };
  for_each_index(num_nodes, kGrain, [&](std::size_t row) {
    std::sort(row_begin(row), row_begin(row + 1));
    offsets[row + 1] = static_cast<std::uint64_t>(std::unique(row_begin(row), row_begin(row + 1)) - row_begin(row));
  });
  sum_to_ends(offsets);
  if (offsets[num_nodes] < columns.size()) {
    std::vector<std::uint32_t> distinct(offsets[num_nodes]);
    for_each_index(num_nodes, kGrain, [&](std::size_t row) {
      std::copy_n(row_begin(row), offsets[row + 1] - offsets[row],
                  distinct.begin() + static_cast<std::ptrdiff_t>(offsets[row]));
    });
    columns = std::move(distinct);
  }
  return Csr::make(std::move(offsets), std::move(columns), num_nodes);
}

}  // namespace ppgnn::graph
