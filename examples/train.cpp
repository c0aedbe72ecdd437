// From a plan to predictions: simulated devices report, the server trains on graph, labels and reports.
#include <cstdio>
#include <ppgnn/api/devices.hpp>
#include <ppgnn/api/training.hpp>
#include <ppgnn/ldp/planner.hpp>

int main() {
  const auto data = ppgnn::api::Data::load("synthetic:social,nodes=500");
  if (!data) return std::fprintf(stderr, "%s\n", data.error().message.c_str()), 1;
  ppgnn::ldp::PlanRequest request;
  request.columns = data->schema().value();
  request.budgets = {1, 2, 4};
  const auto plan = ppgnn::ldp::make_plan(request);
  if (!plan) return std::fprintf(stderr, "%s\n", plan.error().message.c_str()), 1;
  std::printf("at most %.3f nats of anybody's features\n", plan->certificate().features.back());

  const auto reports = ppgnn::api::reports_of(*data, *plan);
  if (!reports) return std::fprintf(stderr, "%s\n", reports.error().message.c_str()), 1;
  ppgnn::api::TrainingOptions options;
  options.epochs = 50;
  const auto model = ppgnn::api::Model::train(*data, *plan, *reports, options);
  if (!model) return std::fprintf(stderr, "%s\n", model.error().message.c_str()), 1;
  const auto predictions = model->predict(*data, *plan, *reports);
  if (!predictions) return std::fprintf(stderr, "%s\n", predictions.error().message.c_str()), 1;
  std::printf("%zu people; held-out accuracy %.3f; %s is %s\n", predictions->size(), model->test_accuracy(),
              predictions->front().person.c_str(), predictions->front().name.c_str());
}
