#pragma once

#include <span>
#include <vector>

#include "ppgnn/calibrate/propagation.hpp"

/// One function per operator file; Propagation::make has checked graph and weights.
namespace ppgnn::calibrate {

/// P^K = output P^K input with P = row A' column; all four diagonal, none empty.
struct Diagonals {
  std::vector<float> input;
  std::vector<float> row;
  std::vector<float> column;
  std::vector<float> output;
};

/// The graph and whether the diagonal is added to it: A'.
struct Neighbourhood {
  CsrView graph;
  kernels::Diagonal diagonal;
  std::size_t hops;

  /// Neighbours of a node in A', itself included where the diagonal has it. Never 0.
  [[nodiscard]] std::size_t degree(std::size_t node) const noexcept {
    const std::size_t stored = graph.row(node).size();
    return diagonal == kernels::Diagonal::all ? stored + 1 : std::max<std::size_t>(stored, 1);
  }
};

Diagonals kprop(const Neighbourhood& neighbourhood);
Diagonals flexprop(const Neighbourhood& neighbourhood, std::span<const float> levels);
Diagonals convolution(const Neighbourhood& neighbourhood, std::span<const float> masses);
Diagonals mean(const Neighbourhood& neighbourhood);

}  // namespace ppgnn::calibrate
