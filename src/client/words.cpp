#include "ppgnn/client/words.hpp"

#include <cmath>

#include "ppgnn/core/number.hpp"
#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/words.hpp"

namespace ppgnn::client {

namespace {

std::string nats(double value) {
  return filled("{} nats", {format_significant_up(value, 4)});
}

}  // namespace

std::string words_on(const Spending& spending, const ldp::Plan& plan, std::size_t level) {
  const double features = spending.features + ldp::spent(plan, level);
  const double about_level = spending.level + plan.certificate().level_given_features;
  const std::string level_words = std::isinf(about_level)
                                      ? "all: it is sent along."
                                      : filled("{}, {}.", {nats(about_level), ldp::surer(about_level)});
  return filled(
      "So far {}{} made, for {}. With this one, all that they tell about your features is {}, {}, and about your level "
      "{}",
      {spending.reports, spending.reports == 1 ? " report was" : " reports were", nats(spending.features),
       nats(features), ldp::surer(features), level_words});
}

}  // namespace ppgnn::client
