#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ppgnn/graph/csr.hpp"
#include "ppgnn/graph/features.hpp"

namespace ppgnn::attack {

/// Every person's attributes as bits. Stored: where a bit differs from what an absent entry stands for, by column.
class Attributes {
 public:
  explicit Attributes(const graph::Features& features);

  [[nodiscard]] std::size_t people() const noexcept { return people_; }
  [[nodiscard]] std::size_t columns() const noexcept { return absent_.size(); }
  [[nodiscard]] bool absent(std::size_t column) const noexcept { return absent_[column] != 0; }
  /// People whose bit of this column is not `absent(column)`, ascending.
  [[nodiscard]] std::span<const graph::NodeId> marked(std::size_t column) const noexcept {
    return std::span(marked_).subspan(begin_[column], begin_[column + 1] - begin_[column]);
  }
  [[nodiscard]] std::uint64_t count(std::size_t column, bool bit) const noexcept {
    const std::uint64_t marks = marked(column).size();
    return bit == absent(column) ? people_ - marks : marks;
  }
  [[nodiscard]] std::uint64_t total(bool bit) const noexcept { return upto_[bit ? 1 : 0].back(); }
  [[nodiscard]] bool bit(graph::NodeId person, std::size_t column) const noexcept {
    const auto marks = marked(column);
    return std::binary_search(marks.begin(), marks.end(), person) != absent(column);
  }

  /// The pair of person and column that is number `rank` among those with this bit, column by column.
  [[nodiscard]] std::pair<graph::NodeId, std::uint32_t> find(bool bit, std::uint64_t rank) const noexcept;

 private:
  std::size_t people_;
  std::vector<std::uint8_t> absent_;
  std::vector<std::uint64_t> begin_;
  std::vector<graph::NodeId> marked_;
  std::array<std::vector<std::uint64_t>, 2> upto_;
};

/// Pearson correlation of the two ends of an edge, all columns together; 0 where it is negative or there are no edges.
[[nodiscard]] double homophily_of(const graph::Csr& graph, const Attributes& attributes);

}  // namespace ppgnn::attack
