// Any bytes as a model file, and once more as the content of one that is sealed right: refused, or a model that predicts
// for people it fits and refuses the others. The seeds are contents.
#include <cstdlib>
#include <string>

#include "people.hpp"
#include "ppgnn/io/sealed_bytes.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/server/served_model.hpp"

namespace {

struct Served {
  ppgnn::ldp::Plan plan;
  ppgnn::server::Problem problem;
};

const Served& served() {
  static const Served kServed = [] {
    ppgnn::ldp::PlanRequest request;
    request.columns = {{"feature", 8, ppgnn::ldp::ColumnKind::binary, 0, 1, 0}};
    request.budgets = {1};
    return Served{*ppgnn::ldp::make_plan(request), *ppgnn::server::Problem::make(ppgnn::fuzz::people())};
  }();
  return kServed;
}

void try_model(std::string_view bytes) {
  auto model = ppgnn::server::decode_served_model(bytes);
  if (!model) return;
  if (model->classes.size() != model->network.classes) std::abort();
  model->plan_hash = ppgnn::to_hex(served().plan.hash());
  // Reports of nobody: what counts here is the shape that the file claims.
  const auto predictions = ppgnn::server::predict(*model, served().problem, served().plan, {}, 1);
  if (predictions && predictions->classes.size() != ppgnn::fuzz::people().num_nodes()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try_model(bytes);
  try_model(ppgnn::io::seal("PPGNNMDL", 1, bytes));
  return 0;
}
