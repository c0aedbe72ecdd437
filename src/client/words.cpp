#include "ppgnn/client/words.hpp"

#include <cmath>

#include "ppgnn/core/number.hpp"
#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/messages.hpp"
#include "ppgnn/ldp/words.hpp"

namespace ppgnn::client {

namespace messages = ldp::messages;

std::string words_on(const Spending& spending, const ldp::Plan& plan, std::size_t level) {
  const double features = spending.features + ldp::spent(plan, level);
  const double about_level = spending.level + plan.certificate().level_given_features;
  const auto nats = [](double value) { return format_significant_up(value, 4); };
  const std::string level_words = std::isinf(about_level)
                                      ? std::string(messages::kLedgerLevelSent)
                                      : filled(messages::kLedgerLevel, {nats(about_level), ldp::surer(about_level)});
  return filled(messages::kLedger,
                {spending.reports, nats(spending.features), nats(features), ldp::surer(features), level_words});
}

}  // namespace ppgnn::client
