#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "ppgnn/calibrate/feature_matrix.hpp"
#include "ppgnn/calibrate/node_order.hpp"
#include "ppgnn/calibrate/propagation.hpp"
#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/report.hpp"

namespace ppgnn::calibrate {

/// What the server makes of one person's report: an estimate of the listed columns, or of all.
struct EstimatedRow {
  std::vector<std::uint32_t> columns;  ///< ascending; empty: `values` holds every column, or there is no report
  std::vector<double> values;
  double weight = 0;  ///< what operators that take weights weigh the person by; 0: no report
};

/// What the server knows of people's features, and how it is averaged over the graph; in the engine's node order.
struct Collected {
  std::shared_ptr<const FeatureMatrix> estimates;
  Operator kind = Operator::convolution;
  std::vector<float> weights;  ///< where the operator takes weights
};

/// Puts everybody's row into one matrix. `fill` is called once for every node, by its original number, and gets a row
/// without columns, values and weight; whether the first has columns decides for all whether they are sparse.
///
/// Errors  mismatch for a row of the other form, of another length, or with a column outside.
[[nodiscard]] Result<Collected> collect(const NodeOrder& order, std::size_t columns, Operator kind,
                                        const std::function<void(std::uint32_t node, EstimatedRow& row)>& fill);

/// Strict reports of a plan of any kind, by original node number, debiased with the plan's estimator; to be averaged
/// by Operator::convolution, a report weighing its mass relative to the largest possible one. People without a report
/// are left out.
///
/// Errors  mismatch for a node outside the graph, a node that reported twice, or a column outside the plan.
[[nodiscard]] Result<Collected> collect(const NodeOrder& order, const ldp::Plan& plan,
                                        std::span<const ldp::NodeReport> reports);

}  // namespace ppgnn::calibrate
