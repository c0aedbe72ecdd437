#include <algorithm>
#include <cmath>
#include <limits>

#include "ppgnn/ldp_research/paper_ppm.hpp"

namespace ppgnn::ldp_research {

namespace {

// The paper's level report in real numbers, for budgets beyond what integer weights hold: natural logarithms of the
// chances of -radius .. levels-1+radius around a level counted from 0.
std::vector<double> report_chances(std::size_t level, std::size_t levels, double budget, std::int64_t radius) {
  const double others = static_cast<double>(levels) - 1;
  const double inside = -std::log(2 * static_cast<double>(radius) + 1 + others * std::exp(-budget));
  std::vector<double> chances;
  for (std::int64_t output = -radius; output < static_cast<std::int64_t>(levels) + radius; ++output) {
    const bool near = std::abs(output - static_cast<std::int64_t>(level)) <= radius;
    chances.push_back(near ? inside : inside - budget);
  }
  return chances;
}

// As above, with everything beyond the ends counted at the ends.
std::vector<double> clamp_chances(const std::vector<double>& chances, std::size_t levels) {
  const auto radius = static_cast<std::int64_t>(chances.size() - levels) / 2;
  std::vector<double> sums(levels, 0);
  for (std::size_t i = 0; i < chances.size(); ++i) {
    const auto output =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(i) - radius, 0, static_cast<std::int64_t>(levels) - 1);
    sums[static_cast<std::size_t>(output)] += std::exp(chances[i]);
  }
  for (double& sum : sums) sum = std::log(sum);
  return sums;
}

// Largest difference between two lists of log-chances centred on the same outputs; infinite where one is longer.
double worst_loss(const std::vector<std::vector<double>>& all) {
  double worst = 0;
  for (const auto& first : all) {
    for (const auto& second : all) {
      if (first.size() != second.size()) return std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < first.size(); ++i) worst = std::max(worst, first[i] - second[i]);
    }
  }
  return worst;
}

// What reported level, number of values and their signs say together: no value's size follows the true level. A sign
// says most of a feature at an end of its range.
double worst_of_all(std::uint32_t dim, const PaperOptions& options, const std::vector<std::vector<double>>& chances) {
  const std::size_t levels = chances.size();
  std::vector<double> sizes;
  for (const double budget : options.budgets) sizes.push_back(sampled_for(options, budget, dim));
  const auto chance_of_size = [&](std::size_t level, double size) {
    double sum = 0;
    for (std::size_t other = 0; other < levels; ++other)
      sum += sizes[other] == size ? std::exp(chances[level][other]) : 0;
    return std::log(sum);
  };
  double worst = 0;
  for (std::size_t first = 0; first < levels; ++first) {
    for (std::size_t second = 0; second < levels; ++second) {
      double reported = 0;
      for (std::size_t i = 0; i < levels; ++i) reported = std::max(reported, chances[first][i] - chances[second][i]);
      double rest = 0;
      for (const double size : sizes) {
        const auto gain = [&](std::size_t level) {
          return std::tanh((1 - options.gamma) * options.budgets[level] / (2 * size));
        };
        const double sign = std::max(std::log1p(gain(first)) - std::log1p(gain(second)),
                                     std::log1p(-gain(first)) - std::log1p(-gain(second)));
        rest = std::max(rest, chance_of_size(first, size) - chance_of_size(second, size) + size * sign);
      }
      worst = std::max(worst, reported + rest);
    }
  }
  return worst;
}

}  // namespace

Result<PaperCertificate> certify_paper(std::uint32_t dim, const PaperOptions& options) {
  if (Result<void> valid = check_paper_options(options); !valid) return valid.error();
  PaperCertificate certificate;
  const std::size_t levels = options.budgets.size();
  const bool authors = options.reading == PaperReading::authors;
  const double share = authors ? options.gamma / 2 : options.gamma;  // of a budget, for a level report
  const auto radius_of = [&](double budget) { return std::int64_t{level_response(options, budget).radius}; };
  std::vector<std::vector<double>> own;
  std::vector<std::vector<double>> unified;
  std::vector<std::vector<double>> clamped;
  const std::uint32_t sampled = sampled_for(options, options.budgets[0], dim);
  for (std::size_t level = 0; level < levels; ++level) {
    const double budget = options.budgets[level];
    own.push_back(report_chances(level, levels, share * budget, radius_of(budget)));
    unified.push_back(report_chances(level, levels, share * budget, radius_of(options.budgets[0])));
    clamped.push_back(clamp_chances(own.back(), levels));
    certificate.features.push_back((1 - options.gamma) * budget);
    certificate.magnitudes.push_back(dim / (sampled * std::tanh((1 - options.gamma) * budget / (2.0 * sampled))));
  }
  certificate.level_from_report = worst_loss(own);
  certificate.level_from_report_unified = worst_loss(unified);
  certificate.level_from_report_clamped = worst_loss(clamped);
  certificate.level = std::numeric_limits<double>::infinity();
  if (authors && options.noise == PaperNoise::local_randomizer) certificate.level = worst_of_all(dim, options, own);
  // The strictest window is the widest: what lies beyond the most relaxed one, on both sides.
  const std::size_t beyond = (own.front().size() - own.back().size()) / 2;
  for (std::size_t i = 0; i < own.front().size(); ++i) {
    if (i < beyond || i >= own.front().size() - beyond)
      certificate.impossible_for_most_relaxed += std::exp(own.front()[i]);
  }
  return certificate;
}

}  // namespace ppgnn::ldp_research
