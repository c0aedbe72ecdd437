// KProp (Sajadmanesh and Gatica-Perez, Locally private graph neural networks, 2021): P = D^-1/2 A' D^-1/2.
#include <cmath>

#include "calibrate/operators.hpp"

namespace ppgnn::calibrate {

Diagonals kprop(const Neighbourhood& neighbourhood) {
  const std::size_t nodes = neighbourhood.graph.rows();
  std::vector<float> scale(nodes);
  for (std::size_t node = 0; node < nodes; ++node) {
    scale[node] = static_cast<float>(1 / std::sqrt(static_cast<double>(neighbourhood.degree(node))));
  }
  const std::vector<float> ones(nodes, 1.0F);
  return {.input = ones, .row = scale, .column = scale, .output = ones};
}

}  // namespace ppgnn::calibrate
