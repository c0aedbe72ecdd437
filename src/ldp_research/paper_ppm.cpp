#include "ppgnn/ldp_research/paper_ppm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ldp_research/column_sampling.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/ldp/level_response.hpp"
#include "ppgnn/ldp_research/sampled_columns.hpp"

namespace ppgnn::ldp_research {

namespace {

using ldp::LevelResponse;

template <class Noise>
class PaperPpm final : public FeatureMechanism {
 public:
  PaperPpm(std::string name, Schema schema, PaperOptions options)
      : name_(std::move(name)), schema_(std::move(schema)), options_(std::move(options)) {
    const auto levels = static_cast<std::uint32_t>(options_.budgets.size());
    for (const double budget : options_.budgets) {
      responses_.push_back(LevelResponse::make(options_.gamma * budget, levels));
      feature_budgets_.push_back((1 - options_.gamma) * budget);
      sampled_.push_back(options_.sampled.value_or(paper_sampled(feature_budgets_.back(), schema_.dim())));
    }
  }

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] StatedBound bound(Level level) const override {
    return {feature_budgets_[index_of(level)], 0, "not protected: it can be read off the report", Noise::kExact};
  }

  void perturb(Level level, const Row& row, random::AnyBits bits, NoisyRow& out) const override {
    const std::size_t own = index_of(level);
    const std::int32_t drawn = responses_[own].perturb(static_cast<std::uint32_t>(level), bits);
    const std::size_t reported = clamped(drawn);
    out.reported_level = static_cast<std::int32_t>(reported) + 1;
    const std::uint32_t sampled = sampled_[reported];
    sample_columns(schema_.dim(), sampled, bits, out);
    const double factor = rescale(own, reported) * schema_.dim() / sampled;
    for (std::size_t i = 0; i < out.values.size(); ++i) {
      const double x = scaled_feature(schema_, row, column_at(out, i));
      out.values[i] = factor * Noise::perturb(x, feature_budgets_[own] / sampled, bits);
    }
  }
  void estimate(NoisyRow&) const override {}  // the device scales

  [[nodiscard]] double log_ratio(const NoisyRow& row, std::size_t index) const override {
    const auto sent = static_cast<double>(row.values.size());
    std::vector<double> budgets = feature_budgets_;
    for (double& budget : budgets) budget /= sent;
    return Noise::log_ratio(row.values[index] * sent / schema_.dim(), budgets);
  }

  [[nodiscard]] LevelGuess guess_level(const NoisyRow& sent, const Row& features,
                                       std::span<const double> shares) const override {
    if (Noise::kExact) return {read_off_size(sent), "read off the size of the values"};
    return {read_off_spread(sent, features, shares), "spread of the values and reported level, features known"};
  }

  [[nodiscard]] double mean(Level level, double x) const override {
    double sum = 0;
    for_each_report(
        level, [&](double chance, std::size_t own, std::size_t reported) { sum += chance * rescale(own, reported); });
    return sum * x;
  }
  [[nodiscard]] double variance(Level level, double x) const override {
    double square = 0;
    for_each_report(level, [&](double chance, std::size_t own, std::size_t reported) {
      const double spread = sampled_variance<Noise>(schema_.dim(), sampled_[reported], feature_budgets_[own], x);
      square += chance * rescale(own, reported) * rescale(own, reported) * (spread + x * x);
    });
    return square - mean(level, x) * mean(level, x);
  }

 private:
  // |value| = d / m * coth(budget / 2m), and m is the number of values: solve for the budget.
  [[nodiscard]] Level read_off_size(const NoisyRow& sent) const {
    const auto sampled = static_cast<double>(sent.values.size());
    const double budget = 2 * sampled * std::atanh(schema_.dim() / (sampled * std::abs(sent.values.front())));
    // A budget too large for doubles reads as infinite: the most relaxed level.
    if (!std::isfinite(budget)) return Level{static_cast<std::uint32_t>(feature_budgets_.size())};
    return most_probable(feature_budgets_.size(),
                         [&](std::size_t level) { return -std::abs(std::log(budget / feature_budgets_[level])); });
  }
  // From how far the values are off, and from the reported level.
  [[nodiscard]] Level read_off_spread(const NoisyRow& sent, const Row& features, std::span<const double> shares) const {
    const auto count = static_cast<double>(sent.values.size());
    double distance = 0;  // of all values together, in units of a feature
    for (std::size_t i = 0; i < sent.values.size(); ++i) {
      const double x = scaled_feature(schema_, features, column_at(sent, i));
      distance += std::abs(sent.values[i] * count / schema_.dim() - x);
    }
    return most_probable(feature_budgets_.size(), [&](std::size_t level) {
      const double rate = feature_budgets_[level] / (2 * count);
      return std::log(shares[level]) + std::log(chance_of(level, *sent.reported_level)) + count * std::log(rate) -
             rate * distance;
    });
  }
  // P(reported | level), where what lies beyond the ends was moved to the ends.
  [[nodiscard]] double chance_of(std::size_t level, std::int32_t reported) const {
    double sum = 0;
    for_each_report(Level{static_cast<std::uint32_t>(level) + 1}, [&](double chance, std::size_t, std::size_t drawn) {
      if (static_cast<std::int32_t>(drawn) + 1 == reported) sum += chance;
    });
    return sum;
  }
  static std::size_t index_of(Level level) noexcept { return static_cast<std::uint32_t>(level) - 1; }
  [[nodiscard]] std::size_t clamped(std::int32_t reported) const noexcept {
    return static_cast<std::size_t>(std::clamp<std::int32_t>(reported, 1, static_cast<std::int32_t>(sampled_.size()))) -
           1;
  }
  // Factor from the unbiased scale of the own level to the one that is used.
  [[nodiscard]] double rescale(std::size_t own, std::size_t reported) const noexcept {
    if (options_.scale == PaperScale::own_level || !Noise::kExact) return 1;
    const double sampled = sampled_[reported];
    return std::tanh(feature_budgets_[own] / (2 * sampled)) / std::tanh(feature_budgets_[reported] / (2 * sampled));
  }
  template <class Action>
  void for_each_report(Level level, Action&& action) const {
    const std::size_t own = index_of(level);
    const LevelResponse& response = responses_[own];
    for (std::int32_t drawn = response.first(); drawn <= response.last(); ++drawn) {
      action(response.probability(static_cast<std::uint32_t>(level), drawn), own, clamped(drawn));
    }
  }

  std::string name_;
  Schema schema_;
  PaperOptions options_;
  std::vector<LevelResponse> responses_;
  std::vector<double> feature_budgets_;
  std::vector<std::uint32_t> sampled_;
};

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

}  // namespace

Result<void> check_paper_options(const PaperOptions& options) {
  if (options.budgets.empty() || options.budgets.size() > ldp::kMaxLevels) {
    return Error{ErrorCode::invalid_argument, "budgets: there must be 1 to " + std::to_string(ldp::kMaxLevels)};
  }
  for (std::size_t i = 0; i < options.budgets.size(); ++i) {
    const std::string field = "budgets: level " + std::to_string(i + 1);
    if (Result<void> valid = check_budget(options.budgets[i], field.c_str()); !valid) return valid;
    if (i > 0 && !(options.budgets[i] > options.budgets[i - 1])) {
      return Error{ErrorCode::invalid_argument, field + ": must be above level " + std::to_string(i) + " (" +
                                                    format_number(options.budgets[i - 1]) + "), but is " +
                                                    format_number(options.budgets[i])};
    }
  }
  if (!(options.gamma > 0 && options.gamma < 1)) {
    return Error{ErrorCode::invalid_argument,
                 "gamma: must be above 0 and below 1 in the paper's protocol, but is " + format_number(options.gamma)};
  }
  return {};
}

Result<FeatureMechanismPtr> make_paper_ppm(Schema schema, PaperOptions options) {
  if (Result<void> valid = check_paper_options(options); !valid) return valid.error();
  if (Result<void> valid = check_sampled(options.sampled, schema.dim()); !valid) return valid.error();
  if (options.noise == PaperNoise::laplace) {
    return FeatureMechanismPtr(std::make_unique<PaperPpm<LaplaceNoise>>("ppm*", std::move(schema), std::move(options)));
  }
  return FeatureMechanismPtr(std::make_unique<PaperPpm<LocalRandomizer>>("ppm", std::move(schema), std::move(options)));
}

Result<PaperCertificate> certify_paper(std::uint32_t dim, const PaperOptions& options) {
  if (Result<void> valid = check_paper_options(options); !valid) return valid.error();
  PaperCertificate certificate;
  const std::size_t levels = options.budgets.size();
  const auto radius_of = [&](double budget) {
    return std::int64_t{LevelResponse::make(options.gamma * budget, static_cast<std::uint32_t>(levels)).radius};
  };
  std::vector<std::vector<double>> own;
  std::vector<std::vector<double>> unified;
  std::vector<std::vector<double>> clamped;
  const std::uint32_t sampled = options.sampled.value_or(paper_sampled((1 - options.gamma) * options.budgets[0], dim));
  for (std::size_t level = 0; level < levels; ++level) {
    const double budget = options.budgets[level];
    own.push_back(report_chances(level, levels, options.gamma * budget, radius_of(budget)));
    unified.push_back(report_chances(level, levels, options.gamma * budget, radius_of(options.budgets[0])));
    clamped.push_back(clamp_chances(own.back(), levels));
    certificate.features.push_back((1 - options.gamma) * budget);
    certificate.magnitudes.push_back(dim / (sampled * std::tanh((1 - options.gamma) * budget / (2.0 * sampled))));
  }
  certificate.level_from_report = worst_loss(own);
  certificate.level_from_report_unified = worst_loss(unified);
  certificate.level_from_report_clamped = worst_loss(clamped);
  // The strictest window is the widest: what lies beyond the most relaxed one, on both sides.
  const std::size_t beyond = (own.front().size() - own.back().size()) / 2;
  for (std::size_t i = 0; i < own.front().size(); ++i) {
    if (i < beyond || i >= own.front().size() - beyond)
      certificate.impossible_for_most_relaxed += std::exp(own.front()[i]);
  }
  return certificate;
}

}  // namespace ppgnn::ldp_research
