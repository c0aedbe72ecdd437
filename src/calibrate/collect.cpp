#include "ppgnn/calibrate/collect.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/ldp/mechanism.hpp"

namespace ppgnn::calibrate {

namespace {

Error misfit(std::uint32_t node, const char* what) {
  return {ErrorCode::mismatch, "reports: that of node " + std::to_string(node) + " " + what};
}

void append(const EstimatedRow& row, std::vector<std::uint32_t>& indices, std::vector<float>& values) {
  indices.insert(indices.end(), row.columns.begin(), row.columns.end());
  for (const double value : row.values) values.push_back(static_cast<float>(value));
}

}  // namespace

Result<Collected> collect(const NodeOrder& order, std::size_t columns, Operator kind,
                          const std::function<void(std::uint32_t node, EstimatedRow& row)>& fill) {
  Collected collected{nullptr, kind, {}};
  kernels::Matrix dense;
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> indices;
  std::vector<float> values;
  EstimatedRow row;
  bool is_dense = false;
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    const std::uint32_t node = order.to_original(place);
    row.columns.clear();
    row.values.clear();
    row.weight = 0;
    fill(node, row);
    const bool whole = row.columns.empty() && !row.values.empty();
    if (place == 0 && whole) {
      is_dense = true;
      dense = kernels::Matrix(order.size(), columns);
    }
    if (whole != is_dense) return misfit(node, "is not of the form of the first");
    if (row.values.size() != (whole ? columns : row.columns.size())) return misfit(node, "has another length");
    if (whole) {
      std::transform(row.values.begin(), row.values.end(), dense.view().row(place).begin(),
                     [](double value) { return static_cast<float>(value); });
    } else {
      append(row, indices, values);
      offsets.push_back(indices.size());
    }
    if (takes_weights(kind)) collected.weights.push_back(static_cast<float>(row.weight));
  }
  auto made = is_dense ? Result<FeatureMatrix>(FeatureMatrix::make(std::move(dense)))
                       : FeatureMatrix::make({offsets, indices, columns}, std::move(values));
  if (!made) return made.error();
  collected.estimates = std::make_shared<const FeatureMatrix>(std::move(made).value());
  return collected;
}

Result<Collected> collect(const NodeOrder& order, const ldp::Plan& plan, std::span<const ldp::NodeReport> reports) {
  const bool averaged = ldp::with_mechanism(plan.kind(), [](auto mechanism) { return decltype(mechanism)::kAveraged; });
  if (!averaged) {
    return Error{ErrorCode::mismatch, "reports: those of kind " + std::string(to_text(plan.kind())) +
                                          " are not features and cannot be averaged over a graph"};
  }
  std::vector<const ldp::Report*> of_node(order.size(), nullptr);
  for (const ldp::NodeReport& report : reports) {
    if (report.node >= order.size()) return misfit(report.node, "is of nobody in the graph");
    if (of_node[report.node] != nullptr) return misfit(report.node, "is not the only one");
    of_node[report.node] = &report.report;
  }
  const ldp::Estimator estimator(plan.tables());
  double largest = 0;
  for (std::size_t index = 0; index < estimator.cases(); ++index) largest = std::max(largest, estimator.mass(index));
  std::vector<ldp::EstimateEntry> entries;
  return collect(order, estimator.columns(), Operator::convolution, [&](std::uint32_t node, EstimatedRow& row) {
    if (of_node[node] == nullptr) return;
    const ldp::Report& report = *of_node[node];
    row.weight = largest > 0 ? estimator.mass(estimator.case_of(report.reported_level)) / largest : 0;
    estimator.estimate(report, entries);
    for (const ldp::EstimateEntry& entry : entries) {
      row.columns.push_back(entry.column);
      row.values.push_back(entry.value);
    }
  });
}

}  // namespace ppgnn::calibrate
