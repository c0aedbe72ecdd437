#include "ppgnn/attack/level_attack.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "ppgnn/kernels/threads.hpp"
#include "ppgnn/ldp/level_response.hpp"
#include "ppgnn/ldp/mechanism.hpp"

namespace ppgnn::attack {

namespace {

constexpr double kAlpha = 1e-6;

// ln P(report | features, level) up to terms that all levels share.
double log_likelihood(const ldp::Plan& plan, std::size_t level, const ldp::Report& report, const ldp::Row& features,
                      const ldp::Asked& asked) {
  const ldp::PlanLevel& entry = plan.levels()[level];
  const ldp::Shape shape = plan.tables().shape(entry);
  const auto number = static_cast<std::uint32_t>(level) + 1;
  double sum = 0;
  if (const auto& response = plan.tables().level_response) {
    sum += std::log(response->probability(number, *report.reported_level));
  } else if (report.reported_level && *report.reported_level != static_cast<std::int32_t>(number)) {
    return -std::numeric_limits<double>::infinity();
  }
  return sum + ldp::with_mechanism(plan.kind(), [&](auto mechanism) {
           return decltype(mechanism)::log_likelihood(report, features, plan.tables(), asked, entry.entry, shape);
         });
}

}  // namespace

ldp::Level guess_level(const ldp::Plan& plan, const ldp::Report& report, const ldp::Row& features) {
  std::vector<double> shares;
  for (const ldp::PlanLevel& level : plan.levels()) shares.push_back(level.prior);
  return guess_level(plan, report, features, shares);
}

ldp::Level guess_level(const ldp::Plan& plan, const ldp::Report& report, const ldp::Row& features,
                       std::span<const double> shares, const ldp::Asked& asked) {
  return ldp_research::most_probable(plan.levels().size(), [&](std::size_t level) {
    return std::log(shares[level]) + log_likelihood(plan, level, report, features, asked);
  });
}

double guess_level_bound(const ldp::Plan& plan) noexcept {
  return guess_level_bound(plan, 1 / static_cast<double>(plan.levels().size()));
}

double guess_level_bound(const ldp::Plan& plan, double most) noexcept {
  return most / (most + (1 - most) * std::exp(-plan.certificate().level_given_features));
}

double LevelInference::success() const noexcept {
  return static_cast<double>(right) / static_cast<double>(std::max<std::uint64_t>(1, guesses));
}

double LevelInference::certain_success() const {
  if (right == 0) return 0;
  return boost::math::binomial_distribution<>::find_lower_bound_on_p(static_cast<double>(guesses),
                                                                     static_cast<double>(right), kAlpha);
}

std::map<std::string, double> LevelInference::metrics() const {
  if (!applies) return {};
  return {{"level.success", success()},
          {"level.prior", prior},
          {"level.bound", bound},
          {"level.certain_success", certain_success()}};
}

Result<LevelInference> infer_levels(const graph::Dataset& dataset, const simulate::Source& source,
                                    const population::Devices& devices) {
  const std::size_t levels = source.budgets().size();
  std::vector<double> shares(levels, 0);
  if (devices.levels.size() != dataset.num_nodes()) {
    return Error{ErrorCode::mismatch, "levels: there must be one per person"};
  }
  for (const ldp::Level level : devices.levels) {
    if (static_cast<std::uint32_t>(level) - 1 >= levels) {
      return Error{ErrorCode::mismatch, "levels: must be between 1 and " + std::to_string(levels)};
    }
    shares[static_cast<std::uint32_t>(level) - 1] += 1 / static_cast<double>(devices.levels.size());
  }
  LevelInference result;
  const ldp_research::FeatureMechanism* mechanism = source.perturbation();
  if (mechanism == nullptr || mechanism->bound(ldp::Level{1}).level.empty() || dataset.num_nodes() == 0) {
    result.how = mechanism == nullptr ? "nothing is sent" : "one budget for everybody";
    return result;
  }
  result.applies = true;
  result.guesses = dataset.num_nodes();
  result.prior = *std::max_element(shares.begin(), shares.end());
  const kernels::Threads one(1);
  const std::vector<float> midpoints(devices.content == population::Content::nothing ? dataset.features.cols() : 0,
                                     std::numeric_limits<float>::quiet_NaN());
  const auto held = [&](std::size_t person) {
    return devices.content == population::Content::nothing ? ldp::Row::dense(midpoints)
                                                           : population::row_of(*devices.features, person);
  };
  const auto count = [&](std::size_t person, ldp::Level guess) {
    if (guess == devices.levels[person]) ++result.right;
  };

  if (source.plan()) {
    const ldp::Plan& plan = *source.plan();
    const bool is_public = plan.tables().secrecy == ldp::LevelSecrecy::public_level;
    result.how = is_public ? "sent in the clear" : "most probable level of the report, features known";
    result.certified = !is_public;
    if (result.certified) result.bound = std::min(1.0, guess_level_bound(plan, result.prior));
    const std::vector<ldp::Report> reports = population::simulate_reports(plan, devices, one);
    for (std::size_t person = 0; person < reports.size(); ++person) {
      count(person, guess_level(plan, reports[person], held(person), shares));
    }
    return result;
  }
  const std::vector<ldp_research::NoisyRow> rows = simulate::simulate_rows(*mechanism, devices, one);
  for (std::size_t person = 0; person < rows.size(); ++person) {
    const ldp_research::LevelGuess guess = mechanism->guess_level(rows[person], held(person), shares);
    result.how = guess.how;
    count(person, guess.level);
  }
  return result;
}

LevelInference together(std::span<const LevelInference> runs) {
  LevelInference sum = runs.front();
  const auto count = static_cast<double>(runs.size());
  sum.guesses = sum.right = 0;
  sum.prior = sum.bound = 0;
  for (const LevelInference& run : runs) {
    sum.guesses += run.guesses;
    sum.right += run.right;
    sum.prior += run.prior / count;
    sum.bound += run.bound / count;
  }
  return sum;
}

}  // namespace ppgnn::attack
