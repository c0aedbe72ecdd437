#include "ppgnn/ldp/coin.hpp"

namespace ppgnn::ldp {

namespace {

// The same as a report of one sign.
Report as_signs(const Report& report) {
  Report signs;
  signs.columns = {0};
  signs.signs = {static_cast<std::int8_t>(report.coin ? 1 : -1)};
  return signs;
}

}  // namespace

std::string Coin::problem_with(const Schema& schema) {
  return schema.dim() == 1 ? SignBits::problem_with(schema) : "a coin plan has one column";
}

void Coin::estimate(const Report& report, double gain, const Shape& shape, std::vector<EstimateEntry>& out) {
  SignBits::estimate(as_signs(report), gain, shape, out);
}

double Coin::log_likelihood(const Report& report, const Row& row, const Schema& schema, std::uint64_t entry,
                            const Shape& shape) {
  return SignBits::log_likelihood(as_signs(report), row, schema, entry, shape);
}

void Coin::encode(const Report& report, const Shape&, std::vector<std::uint8_t>& payload) {
  payload.push_back(report.coin ? 1 : 0);
}

std::string Coin::decode(std::span<const std::uint8_t> payload, const Shape&, Report& report) {
  if (payload.size() != 1) return "wrong length";
  if (payload[0] > 1) return "neither 0 nor 1";
  report.coin = payload[0] == 1;
  return {};
}

}  // namespace ppgnn::ldp
