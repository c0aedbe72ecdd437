#include "ppgnn/collector/screens.hpp"

#include <algorithm>
#include <cmath>

#include "ppgnn/ldp/bucket_response.hpp"
#include "ppgnn/ldp/question.hpp"

namespace ppgnn::collector {

namespace {

constexpr std::size_t kRanges = 256;
constexpr int kLevelSteps = 300;

// Minus the logarithm of Chernoff's bound on the chance of so many of `total` draws, each with a chance from `low` to
// `high`; 0 where the count is nothing unusual. Draws of one report that exclude each other only make it smaller.
double surprise(std::uint64_t count, std::uint64_t total, double low, double high) {
  if (total == 0) return 0;
  const double n = static_cast<double>(total);
  const double share = static_cast<double>(count) / n;
  const double chance = share > high ? high : share < low ? low : share;
  if (chance == share) return 0;
  const auto part = [](double p, double q) { return p == 0 ? 0 : p * std::log(p / q); };
  return n * (part(share, chance) + part(1 - share, 1 - chance));
}

// The most surprising of several counts, less what looking at so many of them costs.
class Worst {
 public:
  void add(double value) {
    worst_ = std::max(worst_, value);
    ++looks_;
  }
  [[nodiscard]] double value() const {
    return looks_ == 0 ? 0 : std::max(0.0, worst_ - std::log(2 * static_cast<double>(looks_)));
  }

 private:
  double worst_ = 0;
  std::size_t looks_ = 0;
};

}  // namespace

Screens::Screens(const ldp::Plan& plan)
    : estimator_(plan.tables()),
      level_response_(plan.tables().level_response),
      columns_(plan.schema().dim()),
      levels_(plan.levels().size()),
      samples_columns_(plan.outcomes() == 0) {
  if (plan.kind() == ldp::BucketResponse::kKind && plan.tables().campaign) buckets_ = plan.tables();
  cases_.resize(estimator_.cases());
  const std::vector<double>& losses = plan.certificate().features;
  const bool by_level = plan.tables().secrecy == ldp::LevelSecrecy::public_level;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    const double loss = by_level ? losses[i] : *std::max_element(losses.begin(), losses.end());
    cases_[i].loss = loss / estimator_.shape(i).sampled;
    sign_loss_ = std::max(sign_loss_, cases_[i].loss);
  }
  columns_in_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(columns_, kRanges)));
}

void Screens::add(const ldp::Report& report, std::string_view person) {
  const std::size_t index = estimator_.case_of(report.reported_level);
  std::optional<ldp::WordBuckets> words;
  if (buckets_) {
    words.emplace(*buckets_, estimator_.shape(index),
                  ldp::Asked{ldp::salt_of(buckets_->campaign->name, person), nullptr});
  }
  const std::lock_guard lock(mutex_);
  ++reports_;
  Case& one = cases_[index];
  ++one.reports;
  if (one.outcomes.empty() && !report.outcomes.empty()) one.outcomes.resize(estimator_.shape(index).outcomes);
  for (const std::uint32_t outcome : report.outcomes) {
    ++one.outcomes[outcome];
    ++one.draws;
    if (!words) continue;
    one.words.resize(words->words());
    words->for_each_word(outcome, [&](std::uint64_t word) { ++one.words[word]; });
  }
  for (const std::uint32_t column : report.columns) ++columns_in_[column * columns_in_.size() / columns_];
  for (const std::int8_t sign : report.signs) {
    ++signs_;
    if (sign > 0) ++plus_;
  }
}

double Screens::outcomes_surprise() const {
  Worst worst;
  for (const Case& one : cases_) {
    // Any two people's chances of an outcome differ by e^loss at most, and all chances of one sum to 1.
    const double odds = std::exp(one.loss);
    const double others = static_cast<double>(one.outcomes.size()) - 1;
    for (const std::uint64_t count : one.outcomes) {
      worst.add(surprise(count, one.draws, 1 / (1 + others * odds), odds / (odds + others)));
    }
  }
  return worst.value();
}

double Screens::words_surprise() const {
  Worst worst;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    // A bucket that holds a word is one of exactly K favoured ones, or not one of them.
    const ldp::Shape& shape = estimator_.shape(i);
    const double odds = std::exp(cases_[i].loss);
    const double all = shape.favoured * odds + shape.outcomes - shape.favoured;
    for (const std::uint64_t count : cases_[i].words) {
      worst.add(surprise(count, cases_[i].draws, 1 / all, odds / all));
    }
  }
  return worst.value();
}

double Screens::columns_surprise() const {
  Worst worst;
  std::uint64_t total = 0;
  for (const std::uint64_t count : columns_in_) total += count;
  const std::uint64_t ranges = columns_in_.size();
  const auto first = [&](std::uint64_t range) { return (range * columns_ + ranges - 1) / ranges; };
  for (std::uint64_t range = 0; range < ranges; ++range) {
    const double share = static_cast<double>(first(range + 1) - first(range)) / static_cast<double>(columns_);
    worst.add(surprise(columns_in_[range], total, share, share));
  }
  return worst.value();
}

double Screens::signs_surprise() const {
  Worst worst;
  const double odds = std::exp(sign_loss_);
  worst.add(surprise(plus_, signs_, 1 / (1 + odds), odds / (1 + odds)));
  return worst.value();
}

double Screens::levels_surprise() const {
  Worst worst;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    double low = 1;
    double high = 0;
    for (std::uint32_t level = 1; level <= levels_; ++level) {
      const double chance = level_response_->probability(level, *estimator_.reported_level(i));
      low = std::min(low, chance);
      high = std::max(high, chance);
    }
    worst.add(surprise(cases_[i].reports, reports_, low, high));
  }
  return worst.value();
}

std::vector<Screen> Screens::screens() const {
  const std::lock_guard lock(mutex_);
  std::vector<Screen> found;
  const auto add = [&](std::string_view name, double value) { found.push_back({name, value, value > kSurprise}); };
  if (samples_columns_) {
    add("columns", columns_surprise());
    add("signs", signs_surprise());
  } else {
    add("outcomes", outcomes_surprise());
    if (buckets_) add("words", words_surprise());
  }
  if (level_response_) add("levels", levels_surprise());
  return found;
}

std::optional<std::vector<double>> Screens::levels() const {
  const std::lock_guard lock(mutex_);
  if (reports_ == 0 || !estimator_.reported_level(0)) return std::nullopt;
  const double total = static_cast<double>(reports_);
  std::vector<double> shares(levels_, 1 / static_cast<double>(levels_));
  if (!level_response_) {
    for (std::size_t i = 0; i < levels_; ++i) shares[i] = static_cast<double>(cases_[i].reports) / total;
    return shares;
  }
  // Expectation and maximisation: the likelihood only rises.
  for (int step = 0; step < kLevelSteps; ++step) {
    std::vector<double> next(levels_, 0);
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const auto chance = [&](std::size_t level) {
        return shares[level] *
               level_response_->probability(static_cast<std::uint32_t>(level + 1), *estimator_.reported_level(i));
      };
      double sum = 0;
      for (std::size_t level = 0; level < levels_; ++level) sum += chance(level);
      for (std::size_t level = 0; level < levels_; ++level) {
        next[level] += static_cast<double>(cases_[i].reports) / total * chance(level) / sum;
      }
    }
    shares = std::move(next);
  }
  return shares;
}

}  // namespace ppgnn::collector
