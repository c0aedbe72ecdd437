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
  const std::uint32_t dim = plan_.schema().dim();
  if (!features.fits(dim)) {
    // One sentence for all of it: which part of it was not kept is the person's.
    const std::string most = std::to_string(dim);
    return Error{ErrorCode::invalid_argument, "features: listed columns must ascend without repeats and be below " +
                                                  most + ", with one value each; a dense row must have at most " +
                                                  most + " values"};
  }
  ldp::Report report;
  report.round = round;
  ldp::perturb(plan_, level, features, bits_, report);
  return wire::encode(plan_, report);
}

}  // namespace ppgnn::client
