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
double log_likelihood(const ldp::Plan& plan, std::size_t level, const ldp::Report& report, const ldp::Row& features) {
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
           return decltype(mechanism)::log_likelihood(report, features, plan.schema(), entry.entry, shape);
         });
}

// The level, counted from 1, with the largest of these numbers.
template <class Weight>
ldp::Level most_probable(std::size_t levels, const Weight& log_weight) {
  std::size_t best = 0;
  double best_weight = -std::numeric_limits<double>::infinity();
  for (std::size_t level = 0; level < levels; ++level) {
    const double weight = log_weight(level);
    if (weight > best_weight) {
      best_weight = weight;
      best = level;
    }
  }
  return ldp::Level{static_cast<std::uint32_t>(best) + 1};
}

// The level behind a report of the paper's protocol with Laplace noise, for somebody who knows the features: from how
// far the values are off, and from the reported level.
class PaperLaplaceReader {
 public:
  PaperLaplaceReader(ldp::Schema schema, const simulate::Source& source) : schema_(std::move(schema)) {
    const auto levels = static_cast<std::uint32_t>(source.budgets().size());
    for (std::uint32_t level = 1; level <= levels; ++level) {
      budgets_.push_back(source.perturbation()->bound(ldp::Level{level}).epsilon);
      responses_.push_back(ldp::LevelResponse::make(source.budgets()[level - 1] - budgets_.back(), levels));
    }
  }

  [[nodiscard]] ldp::Level guess(const ldp_research::NoisyRow& sent, const ldp::Row& features,
                                 std::span<const double> shares) const {
    const auto count = static_cast<double>(sent.values.size());
    double distance = 0;  // of all values together, in units of a feature
    for (std::size_t i = 0; i < sent.values.size(); ++i) {
      const std::uint32_t column = sent.columns.empty() ? static_cast<std::uint32_t>(i) : sent.columns[i];
      const double x = ldp_research::scaled_feature(schema_, features, column);
      distance += std::abs(sent.values[i] * count / schema_.dim() - x);
    }
    return most_probable(budgets_.size(), [&](std::size_t level) {
      const double rate = budgets_[level] / (2 * count);
      return std::log(shares[level]) + std::log(chance(level, *sent.reported_level)) + count * std::log(rate) -
             rate * distance;
    });
  }

 private:
  // P(reported | level), where what lies beyond the ends was moved to the ends.
  [[nodiscard]] double chance(std::size_t level, std::int32_t reported) const noexcept {
    const ldp::LevelResponse& response = responses_[level];
    const auto last = static_cast<std::int32_t>(responses_.size());
    double sum = 0;
    for (std::int32_t drawn = response.first(); drawn <= response.last(); ++drawn) {
      if (std::clamp(drawn, 1, last) == reported) {
        sum += response.probability(static_cast<std::uint32_t>(level) + 1, drawn);
      }
    }
    return sum;
  }

  ldp::Schema schema_;
  std::vector<double> budgets_;
  std::vector<ldp::LevelResponse> responses_;
};

}  // namespace

ldp::Level guess_level(const ldp::Plan& plan, const ldp::Report& report, const ldp::Row& features) {
  std::vector<double> shares;
  for (const ldp::PlanLevel& level : plan.levels()) shares.push_back(level.prior);
  return guess_level(plan, report, features, shares);
}

ldp::Level guess_level(const ldp::Plan& plan, const ldp::Report& report, const ldp::Row& features,
                       std::span<const double> shares) {
  return most_probable(plan.levels().size(), [&](std::size_t level) {
    return std::log(shares[level]) + log_likelihood(plan, level, report, features);
  });
}

double guess_level_bound(const ldp::Plan& plan) noexcept {
  return guess_level_bound(plan, 1 / static_cast<double>(plan.levels().size()));
}

double guess_level_bound(const ldp::Plan& plan, double most) noexcept {
  return most / (most + (1 - most) * std::exp(-plan.certificate().level_given_features));
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
                                    const simulate::Devices& devices) {
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
  const std::vector<float> midpoints(devices.content == simulate::Content::nothing ? dataset.features.cols() : 0,
                                     std::numeric_limits<float>::quiet_NaN());
  const auto held = [&](std::size_t person) {
    return devices.content == simulate::Content::nothing ? ldp::Row::dense(midpoints)
                                                         : simulate::row_of(*devices.features, person);
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
    const std::vector<ldp::Report> reports = simulate::simulate_reports(plan, devices, one);
    for (std::size_t person = 0; person < reports.size(); ++person) {
      count(person, guess_level(plan, reports[person], held(person), shares));
    }
    return result;
  }
  const std::vector<ldp_research::NoisyRow> rows = simulate::simulate_rows(*mechanism, devices, one);
  if (mechanism->name() == "ppm") {
    result.how = "read off the size of the values";
    ldp_research::PaperOptions options;
    options.gamma = 0;  // the budgets are what is left for the features
    for (std::uint32_t level = 1; level <= levels; ++level) {
      options.budgets.push_back(mechanism->bound(ldp::Level{level}).epsilon);
    }
    const auto columns = static_cast<std::uint32_t>(dataset.features.cols());
    for (std::size_t person = 0; person < rows.size(); ++person) {
      count(person, read_paper_level(columns, options, rows[person]));
    }
    return result;
  }
  result.how = "spread of the values and reported level, features known";
  Result<std::vector<ldp::ColumnGroup>> groups = simulate::columns_of(dataset.features.schema());
  if (!groups) return groups.error();
  Result<ldp::Schema> schema = ldp::Schema::make(std::move(groups).value());
  if (!schema) return schema.error();
  const PaperLaplaceReader reader(std::move(schema).value(), source);
  for (std::size_t person = 0; person < rows.size(); ++person) {
    count(person, reader.guess(rows[person], held(person), shares));
  }
  return result;
}

}  // namespace ppgnn::attack
