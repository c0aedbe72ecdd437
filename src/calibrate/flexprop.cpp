// FlexProp (the paper, Algorithm 4): P_ij = level_j / sum of the levels in N(i), at every hop.
#include "calibrate/operators.hpp"

namespace ppgnn::calibrate {

Diagonals flexprop(const Neighbourhood& neighbourhood, std::span<const float> levels) {
  const CsrView& graph = neighbourhood.graph;
  const std::size_t nodes = graph.rows();
  const std::vector<float> ones(nodes, 1.0F);
  Diagonals diagonals{.input = ones, .row = ones, .column = {levels.begin(), levels.end()}, .output = ones};
  for (std::size_t node = 0; node < nodes; ++node) {
    const std::span<const std::uint32_t> row = graph.row(node);
    if (row.empty()) {
      // Differs from the paper, which divides by a level of zero for an isolated person who never reported: the node
      // keeps its own row, whatever its weight.
      diagonals.row[node] = diagonals.column[node] = 1;
      continue;
    }
    double sum = neighbourhood.diagonal == kernels::Diagonal::all ? static_cast<double>(levels[node]) : 0.0;
    for (const std::uint32_t neighbour : row) sum += static_cast<double>(levels[neighbour]);
    diagonals.row[node] = sum > 0 ? static_cast<float>(1 / sum) : 0.0F;
  }
  return diagonals;
}

}  // namespace ppgnn::calibrate
