#include "ppgnn/ldp/coin.hpp"

namespace ppgnn::ldp {

namespace {

// The same as a report of one sign.
Report as_signs(const Report& report) {
  Report signs;
  signs.columns = {0};
  signs.signs = {static_cast<std::int8_t>(report.outcomes.at(0) == 1 ? 1 : -1)};
  return signs;
}

}  // namespace

std::string Coin::problem_with(const PlanTables& tables) {
  return tables.schema.dim() == 1 ? SignBits::problem_with(tables) : "schema: a coin plan has one column";
}

void Coin::estimate(const Report& report, double gain, const Shape& shape, std::vector<EstimateEntry>& out) {
  SignBits::estimate(as_signs(report), gain, shape, out);
}

double Coin::log_likelihood(const Report& report, const Row& row, const PlanTables& tables, const Asked& asked,
                            std::uint64_t entry, const Shape& shape) {
  return SignBits::log_likelihood(as_signs(report), row, tables, asked, entry, shape);
}

void Coin::encode(const Report& report, const Shape&, std::vector<std::uint8_t>& payload) {
  payload.push_back(static_cast<std::uint8_t>(report.outcomes.at(0)));
}

std::string Coin::decode(std::span<const std::uint8_t> payload, const Shape&, Report& report) {
  if (payload.size() != 1) return "wrong length";
  if (payload[0] > 1) return "neither 0 nor 1";
  report.outcomes.assign(1, payload[0]);
  return {};
}

}  // namespace ppgnn::ldp
