#include "ppgnn/server/problem.hpp"

#include <string>

#include "ppgnn/calibrate/propagation.hpp"

namespace ppgnn::server {

Result<Problem> Problem::make(const graph::Dataset& dataset) {
  if (dataset.num_classes() < 2) {
    return Error{ErrorCode::invalid_argument,
                 "data: there must be at least two classes, but there are " + std::to_string(dataset.num_classes())};
  }
  Result<graph::Csr> simple = calibrate::simple_graph(dataset.graph);
  if (!simple) return simple.error();
  Problem problem;
  problem.order_ = calibrate::NodeOrder::by_locality(simple->view());
  problem.graph_ = problem.order_.renumber(*simple);
  problem.labels_ = problem.order_.renumber(dataset.labels.span());
  problem.classes_ = dataset.num_classes();
  return problem;
}

}  // namespace ppgnn::server
