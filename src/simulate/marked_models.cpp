#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "ppgnn/core/number.hpp"
#include "ppgnn/simulate/oracle.hpp"
#include "ppgnn/simulate/softmax_regression.hpp"

namespace ppgnn::simulate {

namespace {

constexpr std::array kEffectVariances{.1, 1.};
constexpr std::array kWordPenalties{1., 10.};
constexpr std::array kPersonPenalties{10., 100.};
constexpr double kLeastWords = .5;       // that a column counts as having been sent for, at least
constexpr double kPeopleOfThePrior = 2;  // by whose words rates of a class are smoothed
constexpr int kNewtonSteps = 50;

// What was sent for each word, class by class.
struct Counts {
  std::size_t classes = 0;
  std::vector<double> words;         // column by column, one a class
  std::vector<double> reports;       // true ones, one a class; fillers too
  std::vector<double> class_shares;  // of true reports

  [[nodiscard]] std::size_t columns() const { return words.size() / classes; }
  [[nodiscard]] std::vector<double> of(std::size_t column) const {
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(column * classes);
    return {first, first + static_cast<std::ptrdiff_t>(classes)};
  }
};

Counts counts_of(const graph::Dataset& dataset, std::span<const MarkedReport> marked) {
  Counts counts{dataset.num_classes(), {}, {}, {}};
  counts.words.resize(dataset.features.cols() * counts.classes);
  counts.reports.resize(counts.classes);
  for (const MarkedReport& report : marked) {
    const auto label = static_cast<std::size_t>(dataset.labels[report.person]);
    ++counts.reports[label];
    if (report.column) ++counts.words[*report.column * counts.classes + label];
  }
  const double all = std::accumulate(counts.reports.begin(), counts.reports.end(), 0.0);
  for (const double reports : counts.reports) {
    counts.class_shares.push_back((reports + 1) / (all + static_cast<double>(counts.classes)));
  }
  return counts;
}

// Of people with the word among their favoured, as far as was sent.
std::vector<double> shares_of(const Counts& counts, double favoured) {
  const double all = std::accumulate(counts.reports.begin(), counts.reports.end(), 0.0);
  std::vector<double> shares(counts.columns());
  for (std::size_t column = 0; column < shares.size(); ++column) {
    const std::vector<double> words = counts.of(column);
    const double sent = std::accumulate(words.begin(), words.end(), kLeastWords);
    shares[column] = favoured * sent / std::max(1., all);
  }
  return shares;
}

// Effects of words as effects of columns, or back: a column below its absent value speaks by a negative difference.
std::vector<double> turned(std::vector<double> effects, std::size_t classes, const ldp::Schema& schema) {
  for (std::size_t i = 0; i < effects.size(); ++i) {
    const ldp::ColumnGroup& group = schema.group_of(static_cast<std::uint32_t>(i / classes));
    if (group.absent == group.high) effects[i] = -effects[i];
  }
  return effects;
}

// The model of words' effects, where an average person speaks for no class.
teach::TaughtModel model_of(std::size_t classes, std::vector<double> effects, std::vector<double> shares,
                            const ldp::Schema& schema) {
  teach::TaughtModel model{classes, std::move(effects), std::move(shares), std::vector<double>(classes)};
  const double all = std::accumulate(model.shares.begin(), model.shares.end(), 0.0);
  for (std::size_t i = 0; i < model.effects.size(); ++i) {
    model.biases[i % classes] -= model.shares[i / classes] * model.effects[i] / all;
  }
  model.effects = turned(std::move(model.effects), classes, schema);
  return model;
}

// How much oftener each class has a word: counts as Poisson's, effects normal around zero.
std::vector<double> frequency_effects(const Counts& counts, std::span<const double> shares, double favoured,
                                      double variance) {
  std::vector<double> effects(counts.words.size());
  for (std::size_t i = 0; i < effects.size(); ++i) {
    const double expected = counts.reports[i % counts.classes] * shares[i / counts.classes] / favoured;
    double& effect = effects[i];
    for (int step = 0; step < kNewtonSteps; ++step) {
      const double mean = expected * std::exp(effect);
      effect += std::clamp((counts.words[i] - mean - effect / variance) / (mean + 1 / variance), -1., 1.);
    }
  }
  return effects;
}

// Logistic regression of the class on the one word of a report; or, `together`, on all words of a person.
std::vector<double> regression_effects(const graph::Dataset& dataset, std::span<const MarkedReport> marked,
                                       double penalty, bool together) {
  LabelledRows rows;
  for (std::size_t i = 0; i < marked.size(); ++i) {
    if (marked[i].column) rows.add(*marked[i].column, 1);
    const bool ends =
        together ? i + 1 == marked.size() || marked[i + 1].person != marked[i].person : marked[i].column.has_value();
    if (ends) rows.end_row(static_cast<std::uint32_t>(dataset.labels[marked[i].person]));
  }
  SoftmaxModel model(dataset.features.cols(), dataset.num_classes());
  fit_softmax(rows, penalty, model);
  return model.weights;
}

// The true words: how often each class sends each, smoothed, and what each tells.
struct Truth {
  std::vector<std::size_t> columns;  // those that somebody has
  std::vector<double> rates;         // column by column, one a class
  std::vector<double> log_rates;
  std::vector<double> log_means;  // one a column
  std::vector<double> expected;   // true reports that are sent for it in all, one a column
};

Truth truth_of(const graph::Dataset& dataset, std::span<const double> rates, const Counts& counts) {
  const std::size_t classes = counts.classes;
  std::vector<double> people(classes);
  for (const std::int32_t label : dataset.labels.span()) {
    if (label >= 0) ++people[static_cast<std::size_t>(label)];
  }
  Truth truth{{},
              std::vector<double>(rates.size()),
              std::vector<double>(rates.size()),
              std::vector<double>(counts.columns()),
              std::vector<double>(counts.columns())};
  for (std::size_t column = 0; column < counts.columns(); ++column) {
    double mean = 0;
    for (std::size_t c = 0; c < classes; ++c) mean += counts.class_shares[c] * rates[column * classes + c];
    if (mean == 0) continue;
    truth.columns.push_back(column);
    truth.log_means[column] = std::log(mean);
    for (std::size_t c = 0; c < classes; ++c) {
      const std::size_t at = column * classes + c;
      const double rate = (rates[at] * people[c] + kPeopleOfThePrior * mean) / (people[c] + kPeopleOfThePrior);
      truth.rates[at] = rate;
      truth.log_rates[at] = std::log(rate);
      truth.expected[column] += counts.reports[c] * rate;
    }
  }
  return truth;
}

// How likely each of the true words but one would have been to be sent for as often as that one was. In the order of
// Truth::columns, the largest is 1.
std::vector<double> likenesses(const Truth& truth, const Counts& counts, std::size_t own) {
  std::vector<double> weights;
  double most = -std::numeric_limits<double>::infinity();
  for (const std::size_t column : truth.columns) {
    double logarithm = -truth.expected[column];
    for (std::size_t c = 0; c < counts.classes; ++c) {
      const double sent = counts.words[own * counts.classes + c];
      if (sent > 0) logarithm += sent * truth.log_rates[column * counts.classes + c];
    }
    // A word's own truth is what nobody can know.
    if (column == own) logarithm = -std::numeric_limits<double>::infinity();
    weights.push_back(logarithm);
    most = std::max(most, logarithm);
  }
  for (double& weight : weights) weight = std::exp(weight - most);
  return weights;
}

// For every word the means of true figures of the others by those weights: Bayes's estimate where the prior is what words
// really are like. `targets`: the figures, each column by column, one a class.
std::vector<std::vector<double>> compound_means(const Truth& truth, const Counts& counts,
                                                std::span<const std::vector<double>* const> targets) {
  const std::size_t classes = counts.classes;
  std::vector<std::vector<double>> means(targets.size(), std::vector<double>(counts.words.size()));
  if (truth.columns.size() < 2) return means;
  for (const std::size_t own : truth.columns) {
    const std::vector<double> weights = likenesses(truth, counts, own);
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] == 0) continue;
      for (std::size_t target = 0; target < targets.size(); ++target) {
        const double* theirs = &(*targets[target])[truth.columns[i] * classes];
        for (std::size_t c = 0; c < classes; ++c) means[target][own * classes + c] += weights[i] / sum * theirs[c];
      }
    }
  }
  return means;
}

// How much oftener each class has a word, from how often each is expected to send it.
std::vector<double> log_ratios(std::vector<double> rates, const Counts& counts) {
  for (std::size_t first = 0; first < rates.size(); first += counts.classes) {
    double mean = 0;
    for (std::size_t c = 0; c < counts.classes; ++c) mean += counts.class_shares[c] * rates[first + c];
    for (std::size_t c = 0; c < counts.classes; ++c) {
      rates[first + c] = mean > 0 ? std::log(rates[first + c] / mean) : 0;
    }
  }
  return rates;
}

}  // namespace

std::vector<NamedModel> marked_models(const graph::Dataset& dataset, const ldp::Plan& teaching,
                                      std::span<const ldp::Level> levels, std::span<const MarkedReport> marked,
                                      const teach::TaughtModel& clean) {
  const Counts counts = counts_of(dataset, marked);
  const double favoured = teaching.shape(0).favoured;
  const std::vector<double> shares = shares_of(counts, favoured);
  std::vector<NamedModel> models;
  const auto add = [&](std::string name, std::vector<double> effects, const std::vector<double>& own_shares) {
    models.push_back({std::move(name), model_of(counts.classes, std::move(effects), own_shares, teaching.schema())});
  };
  const Truth truth = truth_of(dataset, true_rates(dataset, teaching, levels), counts);
  std::vector<double> true_shares(counts.columns());
  for (const std::size_t column : truth.columns) true_shares[column] = favoured * std::exp(truth.log_means[column]);
  for (const double variance : kEffectVariances) {
    add("frequencies-" + format_number(variance), frequency_effects(counts, shares, favoured, variance), shares);
  }
  for (const double penalty : kWordPenalties) {
    add("regression-" + format_number(penalty), regression_effects(dataset, marked, penalty, false), shares);
  }
  for (const double penalty : kPersonPenalties) {
    add("together-" + format_number(penalty), regression_effects(dataset, marked, penalty, true), shares);
  }
  // How often each class has a word, and what the word tells beside the others.
  const std::vector<double> beside = turned(clean.effects, counts.classes, teaching.schema());
  const std::array<const std::vector<double>*, 2> targets{&truth.rates, &beside};
  std::vector<std::vector<double>> means = compound_means(truth, counts, targets);
  add("compound-rates", log_ratios(std::move(means[0]), counts), true_shares);
  add("compound-weights", std::move(means[1]), true_shares);
  return models;
}

}  // namespace ppgnn::simulate
