// A device program built against the installed package only.
#include <cstdio>
#include <ppgnn/client/client.hpp>
#include <ppgnn/ldp/planner.hpp>

int main() {
  ppgnn::ldp::PlanRequest request;
  request.columns = {{"word", 100, ppgnn::ldp::ColumnKind::binary, 0, 1, 0}};
  request.budgets = {1, 2, 4};
  const auto plan = ppgnn::ldp::make_plan(request);
  if (!plan) return 1;
  auto client = ppgnn::client::Client::make(plan->text());
  if (!client) return 2;
  const auto report = client->report(ppgnn::ldp::Level{2}, ppgnn::ldp::Row::ones({}), 0);
  if (!report) return 3;
  std::printf("report of %zu bytes\n", report->size());
}
