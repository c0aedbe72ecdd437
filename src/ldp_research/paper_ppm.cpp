#include "ppgnn/ldp_research/paper_ppm.hpp"

#include <algorithm>
#include <cmath>

#include "ldp_research/column_sampling.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/ldp/sign_bits.hpp"
#include "ppgnn/ldp_research/sampled_columns.hpp"

namespace ppgnn::ldp_research {

namespace {

using ldp::LevelResponse;

template <class Noise>
class PaperPpm final : public FeatureMechanism {
 public:
  PaperPpm(std::string name, Schema schema, PaperOptions options)
      : name_(std::move(name)), schema_(std::move(schema)), options_(std::move(options)) {
    for (const double budget : options_.budgets) {
      responses_.push_back(level_response(options_, budget));
      feature_budgets_.push_back((1 - options_.gamma) * budget);
      sampled_.push_back(sampled_for(options_, budget, schema_.dim()));
    }
  }

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] StatedBound bound(Level level) const override {
    return {feature_budgets_[index_of(level)], 0,
            sizes_tell() || !Noise::kExact ? "not protected: it can be read off the report"
                                           : "not protected: its own budget says how well it is hidden",
            Noise::kExact};
  }

  void perturb(Level level, const Row& row, random::AnyBits bits, NoisyRow& out) const override {
    const std::size_t own = index_of(level);
    const auto report = [&] { return clamped(responses_[own].perturb(static_cast<std::uint32_t>(level), bits)); };
    const std::size_t reported = report();
    out.reported_level = static_cast<std::int32_t>(reported) + 1;
    const std::uint32_t sampled = sampled_[own_sample() ? report() : reported];
    sample_columns(schema_.dim(), sampled, bits, out);
    const double factor = rescale(own, reported, sampled) * schema_.dim() / sampled;
    for (std::size_t i = 0; i < out.values.size(); ++i) {
      const double x = scaled_feature(schema_, row, column_at(out, i));
      out.values[i] = factor * Noise::perturb(x, feature_budgets_[own] / sampled, bits);
    }
  }
  void estimate(NoisyRow&) const override {}  // the device scales

  [[nodiscard]] double log_ratio(const NoisyRow& row, std::size_t index) const override {
    const auto sent = static_cast<double>(row.values.size());
    if (!sizes_tell() && Noise::kExact) {  // the sign alone says something: as much as the levels that may be behind it
      double mean = 0;
      double all = 0;
      for (std::size_t level = 0; level < feature_budgets_.size(); ++level) {
        const double chance = chance_of(level, row);
        all += chance;
        mean += chance * std::tanh(feature_budgets_[level] / (2 * sent));
      }
      return std::copysign(2 * std::atanh(std::min(mean / all, 1 - 1e-15)), row.values[index]);
    }
    std::vector<double> budgets = feature_budgets_;
    for (double& budget : budgets) budget /= sent;
    return Noise::log_ratio(row.values[index] * sent / schema_.dim(), budgets);
  }

  [[nodiscard]] LevelGuess guess_level(const NoisyRow& sent, const Row& features,
                                       std::span<const double> shares) const override {
    if (!Noise::kExact) {
      return {read_off_spread(sent, features, shares), "spread of the values and reported level, features known"};
    }
    if (sizes_tell()) return {read_off_size(sent), "read off the size of the values"};
    return {read_off_signs(sent, features, shares), "reported level, number and signs of the values, features known"};
  }

  [[nodiscard]] double mean(Level level, double x) const override {
    double sum = 0;
    for_each_report(level, [&](double chance, std::size_t own, std::size_t reported, std::uint32_t sampled) {
      sum += chance * rescale(own, reported, sampled);
    });
    return sum * x;
  }
  [[nodiscard]] double variance(Level level, double x) const override {
    double square = 0;
    for_each_report(level, [&](double chance, std::size_t own, std::size_t reported, std::uint32_t sampled) {
      const double spread = sampled_variance<Noise>(schema_.dim(), sampled, feature_budgets_[own], x);
      const double factor = rescale(own, reported, sampled);
      square += chance * factor * factor * (spread + x * x);
    });
    return square - mean(level, x) * mean(level, x);
  }

 private:
  // Whether the size of a value is that of the true level's budget.
  [[nodiscard]] bool sizes_tell() const noexcept { return options_.reading != PaperReading::authors; }
  // Whether the sample size has a report of its own.
  [[nodiscard]] bool own_sample() const noexcept { return options_.reading == PaperReading::authors; }

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
    return most_probable(feature_budgets_.size(), [&](std::size_t level) {
      double sum = std::log(shares[level]) + std::log(chance_of(level, sent));
      for (std::size_t i = 0; i < sent.values.size(); ++i) {
        const double x = scaled_feature(schema_, features, column_at(sent, i));
        if constexpr (!Noise::kExact) {
          sum += Noise::log_density(sent.values[i] * count / schema_.dim(), x, feature_budgets_[level] / count);
        }
      }
      return sum;
    });
  }
  // From how often the signs are those of the features.
  [[nodiscard]] Level read_off_signs(const NoisyRow& sent, const Row& features, std::span<const double> shares) const {
    const auto count = static_cast<double>(sent.values.size());
    return most_probable(feature_budgets_.size(), [&](std::size_t level) {
      const double gain = std::tanh(feature_budgets_[level] / (2 * count));
      double sum = std::log(shares[level]) + std::log(chance_of(level, sent));
      for (std::size_t i = 0; i < sent.values.size(); ++i) {
        const double x = scaled_feature(schema_, features, column_at(sent, i));
        sum += std::log1p(std::copysign(gain, sent.values[i]) * x);
      }
      return sum;
    });
  }
  // P(reported level and number of values | level), where what lies beyond the ends was moved to the ends.
  [[nodiscard]] double chance_of(std::size_t level, const NoisyRow& sent) const {
    double sum = 0;
    for_each_report(Level{static_cast<std::uint32_t>(level) + 1},
                    [&](double chance, std::size_t, std::size_t reported, std::uint32_t sampled) {
                      const bool same = static_cast<std::int32_t>(reported) + 1 == *sent.reported_level;
                      if (same && sampled == sent.values.size()) sum += chance;
                    });
    return sum;
  }
  static std::size_t index_of(Level level) noexcept { return static_cast<std::uint32_t>(level) - 1; }
  [[nodiscard]] std::size_t clamped(std::int32_t reported) const noexcept {
    return static_cast<std::size_t>(std::clamp<std::int32_t>(reported, 1, static_cast<std::int32_t>(sampled_.size()))) -
           1;
  }
  // Factor from the unbiased scale of the own level to the one that is used.
  [[nodiscard]] double rescale(std::size_t own, std::size_t reported, double sampled) const noexcept {
    if (sizes_tell() || !Noise::kExact) return 1;
    return std::tanh(feature_budgets_[own] / (2 * sampled)) / std::tanh(feature_budgets_[reported] / (2 * sampled));
  }
  // Every pair of reported level and sample size that somebody of this level may send, with its chance.
  template <class Action>
  void for_each_report(Level level, Action&& action) const {
    const std::size_t own = index_of(level);
    const LevelResponse& response = responses_[own];
    for (std::int32_t drawn = response.first(); drawn <= response.last(); ++drawn) {
      const double chance = response.probability(static_cast<std::uint32_t>(level), drawn);
      const std::size_t reported = clamped(drawn);
      if (!own_sample()) {
        action(chance, own, reported, sampled_[reported]);
        continue;
      }
      for (std::int32_t size = response.first(); size <= response.last(); ++size) {
        action(chance * response.probability(static_cast<std::uint32_t>(level), size), own, reported,
               sampled_[clamped(size)]);
      }
    }
  }

  std::string name_;
  Schema schema_;
  PaperOptions options_;
  std::vector<LevelResponse> responses_;
  std::vector<double> feature_budgets_;
  std::vector<std::uint32_t> sampled_;
};

template <class Noise>
FeatureMechanismPtr made(std::string name, Schema schema, PaperOptions options) {
  return std::make_unique<PaperPpm<Noise>>(std::move(name), std::move(schema), std::move(options));
}

}  // namespace

std::uint32_t sampled_for(const PaperOptions& options, double budget, std::uint32_t dim) noexcept {
  if (options.sampled) return *options.sampled;
  const double counted = options.reading == PaperReading::print ? budget : (1 - options.gamma) * budget;
  return options.best_sampled ? ldp::SignBits::best_sampled(counted, dim) : paper_sampled(counted, dim);
}

LevelResponse level_response(const PaperOptions& options, double budget) noexcept {
  const auto levels = static_cast<std::uint32_t>(options.budgets.size());
  const bool authors = options.reading == PaperReading::authors;
  LevelResponse response = LevelResponse::make(options.gamma * budget / (authors ? 2 : 1), levels);
  if (authors) response.radius = 0;
  return response;
}

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
  switch (options.noise) {
    case PaperNoise::laplace:
      return made<LaplaceNoise>("ppm*", std::move(schema), std::move(options));
    case PaperNoise::piecewise:
      return made<PiecewiseNoise>("ppm-pm", std::move(schema), std::move(options));
    case PaperNoise::local_randomizer:
      break;
  }
  return made<LocalRandomizer>("ppm", std::move(schema), std::move(options));
}

}  // namespace ppgnn::ldp_research
