#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "ppgnn/core/views.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"

namespace ppgnn::bench {

/// An undirected graph that owns its memory.
struct SyntheticGraph {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> columns;

  [[nodiscard]] CsrView view() const { return {offsets, columns, offsets.size() - 1}; }
};

/// A random graph whose expected degrees follow a power law (rank^-0.5), with node numbers shuffled: no locality to
/// profit from. `edges` pairs are drawn; repeats and loops are dropped.
inline SyntheticGraph power_law_graph(std::uint32_t nodes, std::size_t edges, std::uint64_t seed) {
  seeded::SeededStream stream(seed, seeded::Purpose::generate, 0);
  std::vector<std::uint32_t> name(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) name[i] = i;
  for (std::uint32_t i = nodes; i > 1; --i) {
    std::swap(name[i - 1], name[static_cast<std::uint32_t>(random::below(i, stream))]);
  }
  // The square of a uniform number has density proportional to x^-0.5.
  const auto draw = [&] {
    const double u = static_cast<double>(stream.next() >> 11) * 0x1p-53;
    return name[static_cast<std::uint32_t>(u * u * nodes)];
  };
  std::vector<std::uint64_t> entries;
  entries.reserve(2 * edges);
  for (std::size_t i = 0; i < edges; ++i) {
    const std::uint64_t a = draw();
    const std::uint64_t b = draw();
    if (a == b) continue;
    entries.push_back(a << 32 | b);
    entries.push_back(b << 32 | a);
  }
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  SyntheticGraph graph;
  graph.offsets.assign(nodes + 1, 0);
  graph.columns.reserve(entries.size());
  for (const std::uint64_t entry : entries) {
    ++graph.offsets[(entry >> 32) + 1];
    graph.columns.push_back(static_cast<std::uint32_t>(entry));
  }
  for (std::uint32_t i = 0; i < nodes; ++i) graph.offsets[i + 1] += graph.offsets[i];
  return graph;
}

}  // namespace ppgnn::bench
