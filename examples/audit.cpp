// A plan, what it reveals at most, and an attempt to falsify that.
#include <cstdio>
#include <ppgnn/audit/falsifier.hpp>
#include <ppgnn/ldp/planner.hpp>

int main() {
  ppgnn::ldp::PlanRequest request;
  request.columns = {{"word", 20, ppgnn::ldp::ColumnKind::binary, 0, 1, 0}};
  request.budgets = {1, 2};
  const auto plan = ppgnn::ldp::make_plan(request);
  if (!plan) return std::fprintf(stderr, "%s\n", plan.error().message.c_str()), 1;
  for (std::size_t level = 0; level < plan->levels().size(); ++level) {
    std::printf("level %zu: budget %.3f, at most %.3f nats of the features\n", level + 1, plan->levels()[level].budget,
                plan->certificate().features[level]);
  }
  ppgnn::audit::FalsifierOptions options;
  options.trials = 20000;
  const auto result = ppgnn::audit::falsify_client(*plan, options);
  if (!result) return std::fprintf(stderr, "%s\n", result.error().message.c_str()), 1;
  std::printf("%zu checks over %llu reports: %s\n", result->checks.size(),
              static_cast<unsigned long long>(result->reports), result->falsified() ? "FALSIFIED" : "nothing found");
  return result->falsified() ? 1 : 0;
}
