#include "ppgnn/graph/csr.hpp"

#include <gtest/gtest.h>

#include <set>

#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "support/threads.hpp"

namespace ppgnn::graph {
namespace {

std::vector<NodeId> row_of(const Csr& graph, std::size_t row) {
  const auto span = graph.row(row);
  return {span.begin(), span.end()};
}

std::vector<Edge> random_edges(std::size_t nodes, std::size_t count, std::uint64_t seed) {
  seeded::SeededStream bits(seed, seeded::Purpose::test, 0);
  std::vector<Edge> edges(count);
  for (Edge& edge : edges) {
    edge = {static_cast<NodeId>(random::below(nodes, bits)), static_cast<NodeId>(random::below(nodes, bits))};
  }
  return edges;
}

// A second way to the same graph: one ordered set of pairs.
std::set<std::pair<NodeId, NodeId>> entries_by_set(const std::vector<Edge>& edges, const BuildOptions& options) {
  std::set<std::pair<NodeId, NodeId>> entries;
  for (const Edge& edge : edges) {
    if (edge.source == edge.target && options.self_loops == SelfLoops::drop) continue;
    entries.insert({edge.source, edge.target});
    if (options.direction == Direction::symmetrise) entries.insert({edge.target, edge.source});
  }
  return entries;
}

TEST(BuildGraph, SymmetrisesSortsAndMerges) {
  const auto graph = build_graph(4, {{2, 0}, {0, 2}, {0, 1}, {0, 1}, {3, 3}});
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(row_of(*graph, 0), (std::vector<NodeId>{1, 2}));
  EXPECT_EQ(row_of(*graph, 1), (std::vector<NodeId>{0}));
  EXPECT_EQ(row_of(*graph, 2), (std::vector<NodeId>{0}));
  EXPECT_EQ(row_of(*graph, 3), (std::vector<NodeId>{3}));
  EXPECT_EQ(graph->view().num_columns, 4u);
}

TEST(BuildGraph, DropsSelfLoopsAndKeepsDirectionWhenAsked) {
  const auto graph = build_graph(3, {{0, 1}, {1, 1}}, {Direction::as_given, SelfLoops::drop});
  ASSERT_TRUE(graph);
  EXPECT_EQ(row_of(*graph, 0), (std::vector<NodeId>{1}));
  EXPECT_TRUE(row_of(*graph, 1).empty());
}

TEST(BuildGraph, DegenerateGraphs) {
  const auto empty = build_graph(0, {});
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->rows(), 0u);
  const auto lonely = build_graph(1, {});
  ASSERT_TRUE(lonely);
  EXPECT_EQ(lonely->rows(), 1u);
  EXPECT_EQ(lonely->nonzeros(), 0u);
}

TEST(BuildGraph, NamesTheFirstOffendingEdge) {
  std::vector<Edge> edges = random_edges(100, 50000, 1);
  edges[31000] = {5, 100};
  edges[40000] = {4000000000U, 1};
  for (const std::size_t threads : {1u, 2u, 7u}) {
    const auto graph = test::with_threads(threads, [&] { return build_graph(100, edges); });
    ASSERT_FALSE(graph);
    EXPECT_EQ(graph.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(graph.error().message, "edge 31000 joins node 5 and node 100, but there are 100 nodes");
  }
}

TEST(BuildGraph, AgreesWithAnOrderedSet) {
  for (const std::size_t nodes : {1u, 2u, 10u, 300u}) {
    for (const Direction direction : {Direction::symmetrise, Direction::as_given}) {
      for (const SelfLoops loops : {SelfLoops::keep, SelfLoops::drop}) {
        const BuildOptions options{direction, loops};
        const auto edges = random_edges(nodes, 2000, nodes);
        const auto graph = build_graph(nodes, edges, options);
        ASSERT_TRUE(graph);
        std::set<std::pair<NodeId, NodeId>> entries;
        for (std::size_t row = 0; row < nodes; ++row) {
          for (const NodeId column : graph->row(row)) entries.insert({static_cast<NodeId>(row), column});
        }
        EXPECT_EQ(entries, entries_by_set(edges, options));
        EXPECT_EQ(graph->nonzeros(), entries.size());
      }
    }
  }
}

TEST(BuildGraph, SameBytesForAnyThreadCountAndOrder) {
  const std::vector<Edge> edges = random_edges(5000, 200000, 3);
  const std::vector<Edge> reversed(edges.rbegin(), edges.rend());
  const auto build = [&](std::size_t threads, const std::vector<Edge>& list) {
    const auto graph = test::with_threads(threads, [&] { return build_graph(5000, list); });
    EXPECT_TRUE(graph);
    return std::pair(std::vector(graph->offsets().begin(), graph->offsets().end()),
                     std::vector(graph->columns().begin(), graph->columns().end()));
  };
  const auto one = build(1, edges);
  EXPECT_EQ(build(2, edges), one);
  EXPECT_EQ(build(7, edges), one);
  EXPECT_EQ(build(7, reversed), one);
}

TEST(Csr, RefusesArraysThatAreNoPattern) {
  const auto message = [](std::vector<std::uint64_t> offsets, std::vector<std::uint32_t> columns) {
    const auto csr = Csr::make(std::move(offsets), std::move(columns), 3);
    return csr.ok() ? std::string("accepted") : csr.error().message;
  };
  EXPECT_EQ(message({0, 2, 3}, {0, 2, 1}), "accepted");
  EXPECT_EQ(message({}, {}), "row offsets are missing");
  EXPECT_EQ(message({1, 2}, {0, 1}), "row offset 0 is 1, not 0");
  EXPECT_EQ(message({0, 2, 1, 2}, {0, 1}), "row offset 2 falls");
  EXPECT_EQ(message({0, 1}, {0, 1}), "row offsets end at 1 but there are 2 columns");
  EXPECT_EQ(message({0, 1, 2}, {0, 3}), "row 1 is not an ascending list of columns below 3 without repeats");
  EXPECT_EQ(message({0, 2}, {1, 1}), "row 0 is not an ascending list of columns below 3 without repeats");
  EXPECT_EQ(message({0, ~std::uint64_t{0}, 2}, {0, 1}), "row offset 2 falls");
}

}  // namespace
}  // namespace ppgnn::graph
