#include "ppgnn/client/words.hpp"

#include <cmath>

#include "ppgnn/core/number.hpp"
#include "ppgnn/ldp/words.hpp"

namespace ppgnn::client {

namespace {

std::string nats(double value) {
  return format_significant_up(value, 4) + " nats";
}

}  // namespace

std::string words_on(const Spending& spending, const ldp::Plan& plan, std::size_t level) {
  const double features = spending.features + ldp::spent(plan, level);
  const double about_level = spending.level + plan.certificate().level_given_features;
  std::string words = "So far " + std::to_string(spending.reports) +
                      (spending.reports == 1 ? " report was" : " reports were") + " made, for " +
                      nats(spending.features) + ". With this one, all that they tell about your features is " +
                      nats(features) + ", " + ldp::surer(features) + ", and about your level ";
  words +=
      std::isinf(about_level) ? "all: it is sent along." : nats(about_level) + ", " + ldp::surer(about_level) + ".";
  return words;
}

}  // namespace ppgnn::client
