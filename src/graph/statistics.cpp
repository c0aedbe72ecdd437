#include "ppgnn/graph/statistics.hpp"

#include <algorithm>
#include <vector>

namespace ppgnn::graph {

namespace {

// Sizes of the connected components, by breadth-first search.
std::vector<std::size_t> component_sizes(const Csr& graph) {
  std::vector<std::size_t> sizes;
  std::vector<char> seen(graph.rows(), 0);
  std::vector<NodeId> queue;
  for (std::size_t start = 0; start < graph.rows(); ++start) {
    if (seen[start] != 0) continue;
    seen[start] = 1;
    queue.assign(1, static_cast<NodeId>(start));
    for (std::size_t next = 0; next < queue.size(); ++next) {
      for (const NodeId neighbour : graph.row(queue[next])) {
        if (seen[neighbour] != 0) continue;
        seen[neighbour] = 1;
        queue.push_back(neighbour);
      }
    }
    sizes.push_back(queue.size());
  }
  return sizes;
}

}  // namespace

Statistics statistics(const Dataset& dataset) {
  const Csr& graph = dataset.graph;
  Statistics result;
  result.nodes = graph.rows();
  result.features = dataset.features.cols();
  result.nonzeros = dataset.features.nonzeros();
  result.classes = dataset.num_classes();
  result.unlabelled = static_cast<std::size_t>(std::count(dataset.labels.begin(), dataset.labels.end(), kUnknown));

  std::vector<std::size_t> degrees(result.nodes);
  std::size_t entries_between_labelled = 0;
  std::size_t entries_within_class = 0;
  for (std::size_t node = 0; node < result.nodes; ++node) {
    for (const NodeId neighbour : graph.row(node)) {
      if (neighbour == node) {
        ++result.self_loops;
        continue;
      }
      ++degrees[node];
      if (dataset.labels[node] == kUnknown || dataset.labels[neighbour] == kUnknown) continue;
      ++entries_between_labelled;
      if (dataset.labels[node] == dataset.labels[neighbour]) ++entries_within_class;
    }
    if (degrees[node] == 0) ++result.isolated;
    result.max_degree = std::max(result.max_degree, degrees[node]);
  }
  result.edges = (graph.nonzeros() - result.self_loops) / 2;
  result.edges_paper = graph.nonzeros() / 2;
  if (entries_between_labelled > 0) {
    result.homophily = static_cast<double>(entries_within_class) / static_cast<double>(entries_between_labelled);
  }
  if (result.nodes > 0) {
    const auto middle = degrees.begin() + static_cast<std::ptrdiff_t>((result.nodes - 1) / 2);
    std::nth_element(degrees.begin(), middle, degrees.end());
    result.median_degree = *middle;
    result.mean_degree = static_cast<double>(graph.nonzeros() - result.self_loops) / static_cast<double>(result.nodes);
  }
  const std::vector<std::size_t> sizes = component_sizes(graph);
  result.components = sizes.size();
  result.largest_component = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  return result;
}

}  // namespace ppgnn::graph
