#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ppgnn/calibrate/node_order.hpp"
#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"

namespace ppgnn::server {

/// The public part of a task, in the engine's node order: graph and labels.
class Problem {
 public:
  /// Errors  invalid_argument for fewer than two classes or a graph that is not symmetric.
  [[nodiscard]] static Result<Problem> make(const graph::Dataset& dataset);

  [[nodiscard]] const graph::Csr& graph() const noexcept { return graph_; }
  [[nodiscard]] const calibrate::NodeOrder& order() const noexcept { return order_; }
  [[nodiscard]] std::span<const std::int32_t> labels() const noexcept { return labels_; }
  [[nodiscard]] std::size_t classes() const noexcept { return classes_; }

 private:
  graph::Csr graph_;
  calibrate::NodeOrder order_;
  std::vector<std::int32_t> labels_;
  std::size_t classes_ = 0;
};

}  // namespace ppgnn::server
