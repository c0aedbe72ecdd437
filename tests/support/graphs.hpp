#pragma once

#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <vector>

#include "ppgnn/kernels/matrix.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"

/// Random matrices, random graphs and bytewise comparison, for tests of what is computed over a graph.
namespace ppgnn::test {

inline float uniform(seeded::SeededStream& stream, float low, float high) {
  return low + (high - low) * static_cast<float>(stream.next() >> 40) * 0x1p-24F;
}

inline kernels::Matrix random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed, float low = -1,
                                     float high = 1) {
  seeded::SeededStream stream(seed, seeded::Purpose::test, rows * 1000003 + cols);
  kernels::Matrix matrix(rows, cols);
  for (float& value : matrix.values()) value = uniform(stream, low, high);
  return matrix;
}

/// A sparse pattern that owns its memory.
struct Pattern {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> columns;
  std::size_t num_columns = 0;

  [[nodiscard]] CsrView view() const { return {offsets, columns, num_columns}; }
};

inline Pattern pattern_of(const std::vector<std::vector<std::uint32_t>>& rows, std::size_t num_columns) {
  Pattern pattern;
  pattern.num_columns = num_columns;
  for (const auto& row : rows) {
    pattern.columns.insert(pattern.columns.end(), row.begin(), row.end());
    pattern.offsets.push_back(pattern.columns.size());
  }
  return pattern;
}

/// Rows of at most `most` entries each, some of them empty.
inline Pattern random_pattern(std::size_t rows, std::size_t columns, std::size_t most, std::uint64_t seed) {
  seeded::SeededStream stream(seed, seeded::Purpose::test, 1);
  std::vector<std::vector<std::uint32_t>> lists(rows);
  for (auto& list : lists) {
    std::set<std::uint32_t> chosen;
    const std::uint64_t draws = random::below(most + 1, stream);
    for (std::uint64_t i = 0; i < draws; ++i) {
      chosen.insert(static_cast<std::uint32_t>(random::below(columns, stream)));
    }
    list.assign(chosen.begin(), chosen.end());
  }
  return pattern_of(lists, columns);
}

enum class Loops { without, with };

/// An undirected graph without repeated edges; node 0 stays isolated, one hub sees many.
inline Pattern random_graph(std::size_t nodes, std::size_t edges, std::uint64_t seed, Loops loops = Loops::without) {
  seeded::SeededStream stream(seed, seeded::Purpose::test, 2);
  std::vector<std::set<std::uint32_t>> lists(nodes);
  for (std::size_t edge = 0; edge < edges && nodes > 2; ++edge) {
    const auto a = static_cast<std::uint32_t>(edge % 7 == 0 ? 1 : 1 + random::below(nodes - 1, stream));
    const auto b = static_cast<std::uint32_t>(1 + random::below(nodes - 1, stream));
    if (a == b) continue;
    lists[a].insert(b);
    lists[b].insert(a);
  }
  std::vector<std::vector<std::uint32_t>> rows;
  for (std::size_t node = 0; node < nodes; ++node) {
    if (loops == Loops::with) lists[node].insert(static_cast<std::uint32_t>(node));
    rows.emplace_back(lists[node].begin(), lists[node].end());
  }
  return pattern_of(rows, nodes);
}

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

inline bool same_bits(const kernels::Matrix& a, const kernels::Matrix& b) {
  return a.rows() == b.rows() && same_bits(a.values(), b.values());
}

}  // namespace ppgnn::test
