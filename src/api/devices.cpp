#include "ppgnn/api/devices.hpp"

#include <utility>

#include "ppgnn/population/devices.hpp"
#include "ppgnn/population/levels.hpp"
#include "ppgnn/remote/collector.hpp"

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

Result<Collector> Collector::make(const std::string& url, const std::string& authorities, double patience) {
  Result<remote::Collector> made = remote::Collector::make(url, authorities, patience);
  if (!made) return made.error();
  return Collector(std::make_shared<remote::Collector>(std::move(made).value()));
}

Result<std::string> Collector::plan() {
  return collector_->plan();
}

Result<Collector::Standing> Collector::standing(const std::string& token) {
  Result<remote::Question> said = collector_->question(token);
  if (!said) return said.error();
  return Standing{
      std::move(said->person),  std::move(said->plan), said->round, said->asked, said->reported, said->level,
      std::move(said->question)};
}

Result<bool> Collector::submit(const std::string& token, std::span<const std::uint8_t> report) {
  return collector_->report(token, report);
}

}  // namespace ppgnn::api
