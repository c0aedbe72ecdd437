#include "attack/attributes.hpp"

#include <numeric>

namespace ppgnn::attack {

using graph::NodeId;

namespace {

constexpr double kMostHomophily = .999;  // an edge never proves anything

}  // namespace

Attributes::Attributes(const graph::Features& features) : people_(features.rows()), absent_(features.cols()) {
  const graph::FeatureSchema& schema = features.schema();
  const auto is_one = [&](std::size_t column, float value) {
    const auto low = static_cast<double>(schema.low[column]);
    const auto high = static_cast<double>(schema.high[column]);
    return static_cast<double>(value) > low + (high - low) / 2;
  };
  for (std::size_t column = 0; column < absent_.size(); ++column) {
    absent_[column] = is_one(column, schema.absent[column]) ? 1 : 0;
  }
  const auto for_each_marked = [&](const auto& action) {
    for (std::size_t person = 0; person < people_; ++person) {
      std::size_t position = features.pattern().offsets()[person];
      for (const std::uint32_t column : features.pattern().row(person)) {
        if (is_one(column, features.value(position++)) != (absent_[column] != 0)) action(person, column);
      }
    }
  };
  begin_.assign(absent_.size() + 1, 0);
  for_each_marked([&](std::size_t, std::uint32_t column) { ++begin_[column + 1]; });
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  marked_.resize(begin_.back());
  std::vector<std::uint64_t> next(begin_.begin(), begin_.end() - 1);
  for_each_marked(
      [&](std::size_t person, std::uint32_t column) { marked_[next[column]++] = static_cast<NodeId>(person); });
  for (const bool bit : {false, true}) {
    std::vector<std::uint64_t>& upto = upto_[bit ? 1 : 0];
    upto.assign(1, 0);
    for (std::size_t column = 0; column < absent_.size(); ++column) upto.push_back(upto.back() + count(column, bit));
  }
}

std::pair<NodeId, std::uint32_t> Attributes::find(bool bit, std::uint64_t rank) const noexcept {
  const std::vector<std::uint64_t>& upto = upto_[bit ? 1 : 0];
  const auto after = std::upper_bound(upto.begin(), upto.end(), rank);
  const auto column = static_cast<std::size_t>(after - upto.begin()) - 1;
  const auto within = static_cast<std::size_t>(rank - upto[column]);
  const auto marks = marked(column);
  if (bit != absent(column)) return {marks[within], static_cast<std::uint32_t>(column)};
  // The person number `within` among those not marked: before mark i there are marks[i] - i of them.
  std::size_t low = 0;
  std::size_t high = marks.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (marks[middle] - middle <= within) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return {static_cast<NodeId>(within + low), static_cast<std::uint32_t>(column)};
}

double homophily_of(const graph::Csr& graph, const Attributes& attributes) {
  const auto people = static_cast<double>(attributes.people());
  std::vector<double> share_sums(attributes.people(), 0);  // per person: shares of the columns they are marked in
  double squares = 0;
  double variance = 0;
  double common = 0;  // edges with both ends marked, over columns
  double edges = 0;
  std::vector<std::uint8_t> is_marked(attributes.people(), 0);
  for (std::size_t column = 0; column < attributes.columns(); ++column) {
    const auto marks = attributes.marked(column);
    const double share = static_cast<double>(marks.size()) / people;
    squares += share * share;
    variance += share * (1 - share);
    for (const NodeId person : marks) is_marked[person] = 1;
    for (const NodeId person : marks) {
      share_sums[person] += share;
      for (const NodeId other : graph.row(person)) common += other != person && is_marked[other] != 0 ? 1 : 0;
    }
    for (const NodeId person : marks) is_marked[person] = 0;
  }
  double cross = 0;
  for (NodeId person = 0; person < attributes.people(); ++person) {
    for (const NodeId other : graph.row(person)) {
      if (other == person) continue;
      ++edges;
      cross += share_sums[person] + share_sums[other];
    }
  }
  if (edges == 0 || variance == 0) return 0;
  return std::clamp(((common - cross) / edges + squares) / variance, 0.0, kMostHomophily);
}

}  // namespace ppgnn::attack
