// Normalised convolution for reports of unequal worth: (P^K n) / (P^K c) with P = D^-1 A', n_j = c_j x_j, c_j the mass
// of j's report. Weights enter once; at every hop they would shrink the neighbourhood that counts.
#include "calibrate/operators.hpp"

namespace ppgnn::calibrate {

Diagonals convolution(const Neighbourhood& neighbourhood, std::span<const float> masses) {
  Diagonals diagonals = mean(neighbourhood);
  diagonals.input.assign(masses.begin(), masses.end());

  // Denominators P^K c; K products of one column in double precision, once.
  const CsrView& graph = neighbourhood.graph;
  std::vector<double> reached(masses.begin(), masses.end());
  std::vector<double> next(reached.size());
  for (std::size_t hop = 0; hop < neighbourhood.hops; ++hop) {
    for (std::size_t node = 0; node < reached.size(); ++node) {
      const std::span<const std::uint32_t> row = graph.row(node);
      double sum = row.empty() || neighbourhood.diagonal == kernels::Diagonal::all ? reached[node] : 0.0;
      for (const std::uint32_t neighbour : row) sum += reached[neighbour];
      next[node] = sum / static_cast<double>(neighbourhood.degree(node));
    }
    reached.swap(next);
  }
  for (std::size_t node = 0; node < reached.size(); ++node) {
    diagonals.output[node] = reached[node] > 0 ? static_cast<float>(1 / reached[node]) : 0.0F;
  }
  return diagonals;
}

}  // namespace ppgnn::calibrate
