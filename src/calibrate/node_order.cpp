#include "ppgnn/calibrate/node_order.hpp"

#include <numeric>
#include <utility>

namespace ppgnn::calibrate {

NodeOrder NodeOrder::by_locality(const CsrView& graph) {
  const std::size_t nodes = graph.rows();
  const auto by_degree = [&](std::uint32_t a, std::uint32_t b) {
    const std::size_t degree_a = graph.row(a).size();
    const std::size_t degree_b = graph.row(b).size();
    return degree_a != degree_b ? degree_a < degree_b : a < b;
  };
  std::vector<std::uint32_t> starts(nodes);
  std::iota(starts.begin(), starts.end(), 0U);
  std::sort(starts.begin(), starts.end(), by_degree);

  NodeOrder order;
  order.original_.reserve(nodes);
  std::vector<bool> seen(nodes, false);
  for (const std::uint32_t start : starts) {
    if (seen[start]) continue;
    seen[start] = true;
    std::size_t next = order.original_.size();
    order.original_.push_back(start);
    for (; next < order.original_.size(); ++next) {
      const std::size_t first = order.original_.size();
      for (const std::uint32_t neighbour : graph.row(order.original_[next])) {
        if (seen[neighbour]) continue;
        seen[neighbour] = true;
        order.original_.push_back(neighbour);
      }
      std::sort(order.original_.begin() + static_cast<std::ptrdiff_t>(first), order.original_.end(), by_degree);
    }
  }
  order.place_.resize(nodes);
  for (std::uint32_t place = 0; place < nodes; ++place) order.place_[order.original_[place]] = place;
  return order;
}

graph::Csr NodeOrder::renumber(const graph::Csr& graph) const {
  Rows rows = renumber_rows(graph.view(), {});
  for (std::uint32_t& column : rows.columns) column = place_[column];
  for (std::size_t row = 0; row < size(); ++row) {
    std::sort(rows.columns.begin() + static_cast<std::ptrdiff_t>(rows.offsets[row]),
              rows.columns.begin() + static_cast<std::ptrdiff_t>(rows.offsets[row + 1]));
  }
  return *graph::Csr::make(std::move(rows.offsets), std::move(rows.columns), graph.num_columns());
}

NodeOrder::Rows NodeOrder::renumber_rows(const CsrView& pattern, std::span<const float> values) const {
  assert(pattern.rows() == size() && (values.empty() || values.size() == pattern.nonzeros()));
  Rows rows;
  rows.offsets.reserve(size() + 1);
  rows.offsets.push_back(0);
  rows.columns.reserve(pattern.nonzeros());
  rows.values.reserve(values.size());
  for (const std::uint32_t node : original_) {
    const auto first = static_cast<std::ptrdiff_t>(pattern.offsets[node]);
    const auto last = static_cast<std::ptrdiff_t>(pattern.offsets[node + 1]);
    rows.columns.insert(rows.columns.end(), pattern.columns.begin() + first, pattern.columns.begin() + last);
    if (!values.empty()) rows.values.insert(rows.values.end(), values.begin() + first, values.begin() + last);
    rows.offsets.push_back(rows.columns.size());
  }
  return rows;
}

graph::Split NodeOrder::renumber(const graph::Split& split) const {
  const auto part = [&](const std::vector<graph::NodeId>& nodes) {
    std::vector<graph::NodeId> out(nodes.size());
    std::transform(nodes.begin(), nodes.end(), out.begin(), [&](graph::NodeId node) { return place_[node]; });
    std::sort(out.begin(), out.end());
    return out;
  };
  return {.train = part(split.train), .validation = part(split.validation), .test = part(split.test)};
}

}  // namespace ppgnn::calibrate
