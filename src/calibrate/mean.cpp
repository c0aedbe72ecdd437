// Plain mean: P = D^-1 A'. People who never reported count as zero rows.
#include "calibrate/operators.hpp"

namespace ppgnn::calibrate {

Diagonals mean(const Neighbourhood& neighbourhood) {
  const std::size_t nodes = neighbourhood.graph.rows();
  const std::vector<float> ones(nodes, 1.0F);
  Diagonals diagonals{.input = ones, .row = ones, .column = ones, .output = ones};
  for (std::size_t node = 0; node < nodes; ++node) {
    diagonals.row[node] = 1.0F / static_cast<float>(neighbourhood.degree(node));
  }
  return diagonals;
}

}  // namespace ppgnn::calibrate
