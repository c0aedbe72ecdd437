#include "ppgnn/client/words.hpp"

#include <cmath>
#include <limits>

#include "ppgnn/core/number.hpp"
#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/messages.hpp"
#include "ppgnn/ldp/words.hpp"

namespace ppgnn::client {

namespace messages = ldp::messages;

namespace {

std::string nats(double value) {
  return format_significant_up(value, 4);
}

}  // namespace

std::string words_on(const Spending& spending, const ldp::Plan& plan, std::size_t level) {
  const double features = spending.features + ldp::spent(plan, level);
  const double about_level = spending.level + plan.certificate().level_given_features;
  const std::string level_words = std::isinf(about_level)
                                      ? std::string(messages::kLedgerLevelSent)
                                      : filled(messages::kLedgerLevel, {nats(about_level), ldp::surer(about_level)});
  return filled(messages::kLedger,
                {spending.reports, nats(spending.features), nats(features), ldp::surer(features), level_words});
}

std::string words_on(const Spending& spending) {
  return filled(messages::kLedgerReported, {spending.reports, nats(spending.features)});
}

std::string words_on(const Spending& spending, const Limits& limits) {
  const std::string most = std::isinf(limits.lifetime) ? std::string(messages::kNoLimit) : nats(limits.lifetime);
  const std::string reports = limits.reports == std::numeric_limits<std::uint64_t>::max()
                                  ? std::string(messages::kNoLimit)
                                  : filled("{}", {limits.reports});
  return filled(messages::kLimits, {nats(spending.counted), most, spending.reports, reports});
}

}  // namespace ppgnn::client
