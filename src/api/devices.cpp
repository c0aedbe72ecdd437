#include "ppgnn/api/devices.hpp"

#include <utility>

#include "ppgnn/population/devices.hpp"
#include "ppgnn/population/levels.hpp"

namespace ppgnn::api {

Result<std::vector<PersonReport>> reports_of(const Data& data, const ldp::Plan& plan, const std::string& levels) {
  const graph::Dataset& dataset = data.dataset();
  if (dataset.features.cols() != plan.schema().dim()) {
    return Error{ErrorCode::mismatch, "plan: has other columns than the data"};
  }
  const auto chosen = population::levels_for(levels, dataset, plan.levels().size(), 0, 0);
  if (!chosen) return chosen.error();
  auto made = population::device_reports(plan, population::PlanRows(dataset.features, plan), dataset.nodes, *chosen);
  if (!made) return made.error();
  std::vector<PersonReport> reports;
  reports.reserve(made->size());
  for (wire::EncodedReport& report : *made) {
    reports.push_back({dataset.nodes.name(report.node), std::move(report.bytes)});
  }
  return reports;
}

}  // namespace ppgnn::api
