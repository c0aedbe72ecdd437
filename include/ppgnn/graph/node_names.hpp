#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/csr.hpp"
#include "ppgnn/graph/string_list.hpp"

namespace ppgnn::graph {

/// What the outside world calls the nodes, and back. Without names of their own, node i is called "i".
///
/// Cost     name: O(1). find: O(log nodes).
/// Threads  Any number of readers.
class NodeNames {
 public:
  NodeNames() = default;

  /// `count` nodes called "0", "1", ...
  explicit NodeNames(std::size_t count) : count_(count) {}

  /// One distinct name per node.
  ///
  /// Errors  malformed, naming the first name that occurs twice.
  [[nodiscard]] static Result<NodeNames> make(StringList names);

  /// As above, with the order of the names known: `order` lists the nodes by ascending name.
  [[nodiscard]] static Result<NodeNames> make(StringList names, SharedArray<NodeId> order);

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] std::string name(NodeId node) const;
  [[nodiscard]] std::optional<NodeId> find(std::string_view name) const noexcept;
  /// Empty when nodes are called by their number.
  [[nodiscard]] const StringList& names() const noexcept { return names_; }
  [[nodiscard]] const SharedArray<NodeId>& order() const noexcept { return order_; }

 private:
  std::size_t count_ = 0;
  StringList names_;
  SharedArray<NodeId> order_;
};

}  // namespace ppgnn::graph
