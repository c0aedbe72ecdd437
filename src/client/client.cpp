#include "ppgnn/client/client.hpp"

#include <string>

#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/wire/report_format.hpp"

namespace ppgnn::client {

Result<Client> Client::make(std::string_view plan_text) {
  Result<ldp::Plan> plan = ldp::Plan::parse(plan_text);
  if (!plan) return plan.error();
  return Client(std::move(plan).value());
}

Result<std::vector<std::uint8_t>> Client::report(ldp::Level level, const ldp::Row& features, std::uint64_t round) {
  if (!plan_.has(level)) {
    return Error{ErrorCode::invalid_argument, "level: must be between 1 and " + std::to_string(plan_.levels().size())};
  }
  ldp::Report report;
  report.round = round;
  ldp::perturb(plan_, level, features, bits_, report);
  return wire::encode(plan_, report);
}

}  // namespace ppgnn::client
