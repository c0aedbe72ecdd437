#include "ppgnn/graph/dataset.hpp"

#include "graph/sections.hpp"

namespace ppgnn::graph {

Result<void> check(const Dataset& dataset) {
  const std::size_t nodes = dataset.num_nodes();
  const auto mismatch = [&](const char* part, std::size_t count) {
    return Error{ErrorCode::mismatch,
                 std::string(part) + " has " + std::to_string(count) + " rows for " + std::to_string(nodes) + " nodes"};
  };
  if (dataset.graph.num_columns() != nodes) return mismatch("the graph's column range", dataset.graph.num_columns());
  if (dataset.features.rows() != nodes) return mismatch("the feature matrix", dataset.features.rows());
  if (dataset.labels.size() != nodes) return mismatch("the label list", dataset.labels.size());
  if (dataset.nodes.size() != nodes) return mismatch("the list of node names", dataset.nodes.size());
  const auto classes = static_cast<std::int64_t>(dataset.num_classes());
  for (std::size_t node = 0; node < nodes; ++node) {
    if (dataset.labels[node] < kUnknown || dataset.labels[node] >= classes) {
      return Error{ErrorCode::malformed, "the label of node " + std::to_string(node) + " is none of the " +
                                             std::to_string(classes) + " classes"};
    }
  }
  return {};
}

Digest checksum(const Dataset& dataset) {
  Sha256 hash;
  for (const Section& section : sections_of(dataset)) {
    if (section.tag == SectionTag::name) continue;
    // Tag and length first, so that bytes cannot move from one section to the next unseen.
    const std::uint64_t head[] = {static_cast<std::uint64_t>(section.tag), section.bytes.size()};
    hash.update(bytes_of(std::span(head)));
    hash.update(section.bytes);
  }
  return hash.finish();
}

StringList numbered_names(std::size_t count) {
  std::vector<std::string> names(count);
  for (std::size_t i = 0; i < count; ++i) names[i] = std::to_string(i);
  return StringList(names);
}

Features no_features(std::size_t num_nodes) {
  auto pattern = Csr::make(std::vector<std::uint64_t>(num_nodes + 1, 0), {}, 0);
  assert(pattern.ok());
  auto features = Features::make(std::move(*pattern), {}, {});
  assert(features.ok());
  return std::move(*features);
}

}  // namespace ppgnn::graph
