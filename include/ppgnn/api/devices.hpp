#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ppgnn/api/data.hpp"
#include "ppgnn/ldp/plan.hpp"

namespace ppgnn::api {

/// What one person's device sent.
struct PersonReport {
  std::string person;
  std::vector<std::uint8_t> bytes;  ///< docs/formats/report.md
};

/// Everybody's report through the client that devices use, with the operating system's randomness: no two calls give the
/// same. Of a plan without campaign. `levels`: "uniform", "strict", "relaxed", "bimodal", or a file of node,level lines.
///
/// Errors  mismatch where the plan has other columns than the data; those of levels and client.
[[nodiscard]] Result<std::vector<PersonReport>> reports_of(const Data& data, const ldp::Plan& plan,
                                                           const std::string& levels = "uniform");

}  // namespace ppgnn::api
