#pragma once

#include <cstddef>
#include <optional>

#include "ppgnn/graph/dataset.hpp"

namespace ppgnn::graph {

/// What `ppgnn data info` tells of a data set. Degrees count neighbours without the node itself.
struct Statistics {
  std::size_t nodes = 0;
  std::size_t edges = 0;        ///< distinct undirected edges without self-loops
  std::size_t edges_paper = 0;  ///< as Table 1 counts: (directed entries, self-loops once) / 2, rounded down
  std::size_t self_loops = 0;
  std::size_t features = 0;
  std::size_t nonzeros = 0;
  std::size_t classes = 0;
  std::size_t isolated = 0;    ///< nodes without a neighbour
  std::size_t unlabelled = 0;  ///< nodes of unknown class
  std::size_t components = 0;  ///< connected components, isolated nodes included
  std::size_t largest_component = 0;
  std::size_t max_degree = 0;
  std::size_t median_degree = 0;    ///< the lower of the two for an even number of nodes
  double mean_degree = 0;           ///< 0 without nodes
  std::optional<double> homophily;  ///< share of edges between known classes that join equal ones; none without such
};

/// Expects a symmetric graph. Cost: O(nodes + edges).
[[nodiscard]] Statistics statistics(const Dataset& dataset);

}  // namespace ppgnn::graph
