#include "ppgnn/study/level_attack.hpp"

#include <cmath>
#include <limits>

#include "ppgnn/ldp/mechanism.hpp"

namespace ppgnn::study {

namespace {

// ln P(report | features, level) up to terms that all levels share.
double log_likelihood(const ldp::Plan& plan, std::size_t level, const ldp::Report& report, const ldp::Row& features) {
  const ldp::PlanLevel& entry = plan.levels()[level];
  const ldp::Shape shape = plan.tables().shape(entry);
  const auto number = static_cast<std::uint32_t>(level) + 1;
  double sum = std::log(entry.prior);
  if (const auto& response = plan.tables().level_response) {
    sum += std::log(response->probability(number, *report.reported_level));
  } else if (report.reported_level && *report.reported_level != static_cast<std::int32_t>(number)) {
    return -std::numeric_limits<double>::infinity();
  }
  if (plan.kind() == ldp::ReportKind::category) {
    const double gain = ldp::CategoryResponse::gain(entry.entry, shape);
    const bool same =
        std::lrint(features.value(0, plan.schema().groups()[0].absent)) == static_cast<long>(report.category);
    return sum + std::log((1 - gain) / shape.classes + (same ? gain : 0));
  }
  const double gain = ldp::SignBits::gain(entry.entry, shape);
  for (std::size_t i = 0; i < report.columns.size(); ++i) {
    const double x = ldp_research::scaled_feature(plan.schema(), features, report.columns[i]);
    sum += std::log1p(report.signs[i] * x * gain);
  }
  return sum;
}

}  // namespace

ldp::Level guess_level(const ldp::Plan& plan, const ldp::Report& report, const ldp::Row& features) {
  std::size_t best = 0;
  double best_likelihood = -std::numeric_limits<double>::infinity();
  for (std::size_t level = 0; level < plan.levels().size(); ++level) {
    const double likelihood = log_likelihood(plan, level, report, features);
    if (likelihood > best_likelihood) {
      best_likelihood = likelihood;
      best = level;
    }
  }
  return ldp::Level{static_cast<std::uint32_t>(best) + 1};
}

double guess_level_bound(const ldp::Plan& plan) noexcept {
  const double others = static_cast<double>(plan.levels().size()) - 1;
  return 1 / (1 + others * std::exp(-plan.certificate().level_given_features));
}

ldp::Level read_paper_level(std::uint32_t dim, const ldp_research::PaperOptions& options,
                            const ldp_research::NoisyRow& sent) {
  // |value| = d / m * coth(budget / 2m), and m is the number of values: solve for the budget.
  const auto sampled = static_cast<double>(sent.values.size());
  const double budget = 2 * sampled * std::atanh(dim / (sampled * std::abs(sent.values.front())));
  // A budget too large for doubles reads as infinite: the most relaxed level.
  std::size_t best = options.budgets.size() - 1;
  double best_distance = std::numeric_limits<double>::infinity();
  for (std::size_t level = 0; level < options.budgets.size(); ++level) {
    const double distance = std::abs(std::log(budget / ((1 - options.gamma) * options.budgets[level])));
    if (distance < best_distance) {
      best_distance = distance;
      best = level;
    }
  }
  return ldp::Level{static_cast<std::uint32_t>(best) + 1};
}

}  // namespace ppgnn::study
