#include "ppgnn/calibrate/node_order.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "support/graphs.hpp"

namespace ppgnn::calibrate {
namespace {

TEST(NodeOrder, IsARenumberingOfTheSameGraph) {
  const auto pattern = test::random_graph(200, 600, 1);
  const auto graph = *graph::Csr::make(pattern.offsets, pattern.columns, 200);
  const NodeOrder order = NodeOrder::by_locality(graph.view());
  ASSERT_EQ(order.size(), 200u);
  const graph::Csr renumbered = order.renumber(graph);
  EXPECT_EQ(renumbered.nonzeros(), graph.nonzeros());
  std::set<std::uint32_t> places;
  for (std::uint32_t node = 0; node < 200; ++node) {
    EXPECT_EQ(order.to_original(order.to_new(node)), node);
    places.insert(order.to_new(node));
    std::set<std::uint32_t> expected;
    for (const std::uint32_t neighbour : graph.row(node)) expected.insert(order.to_new(neighbour));
    const auto row = renumbered.row(order.to_new(node));
    EXPECT_EQ(std::vector<std::uint32_t>(row.begin(), row.end()),
              std::vector<std::uint32_t>(expected.begin(), expected.end()));
  }
  EXPECT_EQ(places.size(), 200u);
}

TEST(NodeOrder, NumbersRowsAndSplitsGoToTheirPlaces) {
  const auto pattern = test::random_graph(50, 100, 2);
  const NodeOrder order = NodeOrder::by_locality(pattern.view());
  std::vector<int> numbers(50);
  std::iota(numbers.begin(), numbers.end(), 100);
  const auto moved = order.renumber(std::span<const int>(numbers));
  EXPECT_EQ(moved[order.to_new(7)], 107);

  const auto rows = test::random_pattern(50, 9, 4, 3);
  const auto values = test::random_matrix(rows.columns.size(), 1, 4);
  const auto turned = order.renumber_rows(rows.view(), values.values());
  const CsrView view{turned.offsets, turned.columns, 9};
  for (std::uint32_t node = 0; node < 50; ++node) {
    const auto before = rows.view().row(node);
    const auto after = view.row(order.to_new(node));
    EXPECT_TRUE(test::same_bits(before, after));
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(values.values()[rows.offsets[node] + i], turned.values[turned.offsets[order.to_new(node)] + i]);
    }
  }
  const graph::Split split{.train = {1, 2, 40}, .validation = {3}, .test = {}};
  const graph::Split placed = order.renumber(split);
  EXPECT_EQ(std::set<std::uint32_t>(placed.train.begin(), placed.train.end()),
            (std::set<std::uint32_t>{order.to_new(1), order.to_new(2), order.to_new(40)}));
  EXPECT_TRUE(std::is_sorted(placed.train.begin(), placed.train.end()));
  EXPECT_EQ(placed.validation, std::vector<std::uint32_t>{order.to_new(3)});
}

// A path whose nodes were numbered at random becomes a path numbered along its length.
TEST(NodeOrder, BringsNeighboursTogether) {
  std::vector<std::vector<std::uint32_t>> rows(101);
  const auto name = [](std::uint32_t i) { return i * 37 % 101; };
  for (std::uint32_t i = 0; i + 1 < 101; ++i) {
    rows[name(i)].push_back(name(i + 1));
    rows[name(i + 1)].push_back(name(i));
  }
  for (auto& row : rows) std::sort(row.begin(), row.end());
  const auto pattern = test::pattern_of(rows, 101);
  const NodeOrder order = NodeOrder::by_locality(pattern.view());
  for (std::uint32_t i = 0; i + 1 < 101; ++i) {
    const auto a = static_cast<int>(order.to_new(name(i)));
    const auto b = static_cast<int>(order.to_new(name(i + 1)));
    EXPECT_EQ(std::abs(a - b), 1);
  }
  EXPECT_EQ(NodeOrder::by_locality(CsrView{}).size(), 0u);
}

}  // namespace
}  // namespace ppgnn::calibrate
