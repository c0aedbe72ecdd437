#include "ppgnn/ldp_research/error_bound.hpp"

#include <algorithm>
#include <cmath>

namespace ppgnn::ldp_research {

Result<ErrorBound> paper_error_bound(const Schema& schema, const PaperOptions& options, Level level,
                                     std::uint64_t neighbours, double failure) {
  const auto refuse = [](const char* message) { return Error{ErrorCode::invalid_argument, message}; };
  const auto number = static_cast<std::uint32_t>(level);
  if (options.reading == PaperReading::authors) return refuse("reading: values of the authors' way are biased");
  if (options.noise != PaperNoise::local_randomizer) return refuse("noise: must be the local randomizer");
  if (number < 1 || number > options.budgets.size()) return refuse("level: there is no such level");
  if (neighbours == 0) return refuse("neighbours: there must be at least one");
  if (!(failure > 0 && failure < 1)) return refuse("failure: must be above 0 and below 1");
  const Result<FeatureMechanismPtr> mechanism = make_paper_ppm(schema, options);
  if (!mechanism) return mechanism.error();
  const double budget = options.budgets[number - 1];
  const double spent = (1 - options.gamma) * budget;
  const double columns = schema.dim();
  const auto people = static_cast<double>(neighbours);
  ErrorBound bound;
  bound.sampling = std::sqrt(columns * std::log(columns / failure)) / (spent * std::sqrt(people));
  bound.level = 1 / (options.gamma * budget);
  double largest = 0;  // of what can be sent, over all sample sizes
  for (const double reported : options.budgets) {
    const double sampled = sampled_for(options, reported, schema.dim());
    largest = std::max(largest, columns / sampled / std::tanh(spent / (2 * sampled)));
  }
  const double logarithm = std::log(2 * columns / failure);
  const double linear = (largest + 1) * logarithm / (3 * people);
  // A variance is largest where the feature is 0.
  const double square = 2 * (*mechanism)->variance(level, 0) * logarithm / people;
  bound.certain = linear + std::sqrt(linear * linear + square);
  return bound;
}

}  // namespace ppgnn::ldp_research
