// Any bytes, against one plan of each form: refused, or exactly the bytes of the report that was read.
#include <cstdlib>
#include <vector>

#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/wire/report_format.hpp"

namespace {

using namespace ppgnn;

std::vector<ldp::Plan> make_plans() {
  std::vector<ldp::Plan> plans;
  ldp::PlanRequest request;
  request.columns = {{"word", 300, ldp::ColumnKind::binary, 0, 1, 0}};
  request.budgets = {1, 4};
  request.shape.sampled = 2;
  plans.push_back(ldp::make_plan(request).value());
  request.gamma = .5;
  plans.push_back(ldp::make_plan(request).value());
  request.gamma = 0;
  request.shape.sampled.reset();
  request.secrecy = ldp::LevelSecrecy::public_level;
  plans.push_back(ldp::make_plan(request).value());
  request.kind = ldp::ReportKind::category;
  request.columns = {{"job", 1, ldp::ColumnKind::category, 0, 299, 0}};
  plans.push_back(ldp::make_plan(request).value());
  request.columns = {{"word", 300, ldp::ColumnKind::binary, 0, 1, 0}};
  request.campaign = ldp::Campaign{"fuzz", ldp::Role::teach, "everybody", {}};
  request.kind = ldp::ReportKind::buckets;
  request.shape = {.sampled = 2, .outcomes = 290, .favoured = 3};
  plans.push_back(ldp::make_plan(request).value());
  request.kind = ldp::ReportKind::directions;
  request.secrecy = ldp::LevelSecrecy::protected_level;
  plans.push_back(ldp::make_plan(request).value());
  request.kind = ldp::ReportKind::answer;
  request.campaign->role = ldp::Role::answer;
  request.shape = {};
  ldp::QuestionModel model;
  model.classes = {"a", "b", "c"};
  model.biases = {1, 2, 3};
  model.weights.assign(900, 5);
  request.model = model;
  plans.push_back(ldp::make_plan(request).value());
  return plans;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<ldp::Plan> plans = make_plans();
  for (const ldp::Plan& plan : plans) {
    // The hash is 32 bytes no mutation finds: put it where it belongs.
    std::vector<std::uint8_t> bytes(data, data + size);
    if (size >= 38) std::copy(plan.hash().begin(), plan.hash().end(), bytes.begin() + 6);
    const auto report = wire::decode(plan, bytes);
    if (report && wire::encode(plan, *report) != bytes) std::abort();
  }
  return 0;
}
