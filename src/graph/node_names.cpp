#include "ppgnn/graph/node_names.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "ppgnn/core/number.hpp"

namespace ppgnn::graph {

Result<NodeNames> NodeNames::make(StringList names) {
  std::vector<NodeId> order(names.size());
  std::iota(order.begin(), order.end(), NodeId{0});
  std::sort(order.begin(), order.end(), [&](NodeId a, NodeId b) { return names[a] < names[b]; });
  return make(std::move(names), std::move(order));
}

Result<NodeNames> NodeNames::make(StringList names, SharedArray<NodeId> order) {
  if (order.size() != names.size()) {
    return Error{ErrorCode::mismatch, "the order lists " + std::to_string(order.size()) + " of " +
                                          std::to_string(names.size()) + " node names"};
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] >= names.size()) {
      return Error{ErrorCode::malformed, "entry " + std::to_string(i) + " of the name order is no node"};
    }
    // Strictly ascending names also make the entries distinct, so that the order is a permutation.
    if (i > 0 && names[order[i - 1]] >= names[order[i]]) {
      return Error{ErrorCode::malformed,
                   "node name '" + std::string(names[order[i]]) + "' occurs twice or is out of order"};
    }
  }
  NodeNames result(names.size());
  result.names_ = std::move(names);
  result.order_ = std::move(order);
  return result;
}

std::string NodeNames::name(NodeId node) const {
  assert(node < count_);
  return names_.empty() ? std::to_string(node) : std::string(names_[node]);
}

std::optional<NodeId> NodeNames::find(std::string_view name) const noexcept {
  if (names_.empty()) {
    const auto number = parse_unsigned(name);
    const bool plain = number && *number < count_ && (name.size() == 1 || name.front() != '0');
    return plain ? std::optional(static_cast<NodeId>(*number)) : std::nullopt;
  }
  const auto found = std::lower_bound(order_.begin(), order_.end(), name,
                                      [&](NodeId node, std::string_view text) { return names_[node] < text; });
  return found != order_.end() && names_[*found] == name ? std::optional(*found) : std::nullopt;
}

}  // namespace ppgnn::graph
