#include "teach/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "ppgnn/ldp/bucket_response.hpp"
#include "teach/odds.hpp"

namespace ppgnn::teach {

namespace {

constexpr double kBeyondChance = 4;  // deviations beyond which nothing is chance
constexpr double kMostVariance = 1;  // of effects
constexpr std::size_t kFewestWords = 20;
constexpr double kNearby = 6;  // deviations
constexpr int kVarianceSteps = 64;

// How often something that each of `draws` sends with this chance at most may come before it is no chance.
double most_by_chance(double draws, double chance) {
  return draws * chance + kBeyondChance * (std::sqrt(draws * chance * (1 - chance)) + 1);
}

}  // namespace

Evidence gather(const ldp::Plan& plan, std::span<const ldp::NodeReport> reports, const graph::NodeNames& names,
                const Beliefs& believed) {
  const ldp::Estimator estimator(plan.tables());
  const Words words{&plan.schema()};
  std::vector<std::uint32_t> possible;
  for (std::uint32_t word = 0; word < words.count(); ++word) {
    if (words.possible(word)) possible.push_back(word);
  }
  Evidence evidence;
  std::vector<std::uint32_t> bucket(possible.size());
  for (const auto& [node, report] : reports) {
    const std::size_t one = estimator.case_of(report.reported_level);
    const ldp::Shape shape = estimator.shape(one);
    const ldp::WordBuckets buckets(plan.tables(), shape,
                                   {ldp::salt_of(plan.tables().campaign->name, names.name(node)), nullptr});
    for (std::size_t i = 0; i < possible.size(); ++i) {
      bucket[i] = buckets.bucket(possible[i] / kSides, possible[i] % kSides == 1);
    }
    const double odds = odds_of(estimator.gain(one), shape);
    const double share = static_cast<double>(shape.favoured) / shape.outcomes;
    for (const std::uint32_t& outcome : report.outcomes) {
      Sent sent{.believed = believed.of(node),
                .level_case = static_cast<std::uint32_t>(one),
                .outcome = outcome,
                .together = report.outcomes.size() - static_cast<std::size_t>(&outcome - report.outcomes.data()),
                .odds = odds,
                .rate = odds / (shape.outcomes * (1 + share * odds)),
                .first = evidence.words.size()};
      for (std::size_t i = 0; i < possible.size(); ++i) {
        if (bucket[i] == outcome) evidence.words.push_back(possible[i]);
      }
      sent.last = evidence.words.size();
      evidence.sent.push_back(sent);
      evidence.mean_share += shape.favoured / static_cast<double>(possible.size());
    }
  }
  evidence.mean_share /= std::max<double>(1, static_cast<double>(evidence.sent.size()));
  return evidence;
}

void hold_to_possible(const ldp::Estimator& estimator, std::size_t words, std::size_t classes, Evidence& evidence) {
  std::vector<double> of_word(words * classes);
  for (std::size_t one = 0; one < estimator.cases(); ++one) {
    const ldp::Shape& shape = estimator.shape(one);
    const double gain = estimator.gain(one);
    std::vector<double> of_outcome(shape.outcomes);
    std::vector<double> of_class(classes);
    std::fill(of_word.begin(), of_word.end(), 0);
    const auto each = [&](const auto& look) {
      for (Sent& sent : evidence.sent) {
        if (sent.level_case == one) look(sent, std::span(evidence.words).subspan(sent.first, sent.last - sent.first));
      }
    };
    each([&](const Sent& sent, std::span<const std::uint32_t> inside) {
      ++of_outcome[sent.outcome];
      for_each_class(sent, [&](std::size_t c, double belief) {
        of_class[c] += belief;
        for (const std::uint32_t word : inside) of_word[word * classes + c] += belief;
      });
    });
    const double all = std::accumulate(of_outcome.begin(), of_outcome.end(), 0.0);
    const double usual = most_by_chance(all, 1.0 / shape.outcomes);
    const double certain = gain + (1 - gain * shape.favoured) / shape.outcomes;  // chance of one favoured bucket
    each([&](Sent& sent, std::span<const std::uint32_t> inside) {
      double believable = 0;  // over the classes that the sender may be of
      for_each_class(sent, [&](std::size_t c, double belief) {
        const double most = most_by_chance(of_class[c], certain);
        double weight = 1;
        for (const std::uint32_t word : inside) weight = std::min(weight, most / of_word[word * classes + c]);
        believable += belief * weight;
      });
      sent.weight = std::min(usual / of_outcome[sent.outcome], believable);
    });
  }
}

namespace {

// Of one case: how far reports lean toward words, and together with classes.
struct Leaning {
  std::vector<double> own;         // by word, of the report that is added
  std::vector<double> sum;         // by word
  std::vector<double> squares;     // by word
  std::vector<double> with_class;  // by word and class: with what senders are believed to be
  std::vector<double> believed;    // by class
  std::vector<double> believed_squares;
  double reports = 0;

  Leaning(std::size_t words, std::size_t classes)
      : own(words),
        sum(words),
        squares(words),
        with_class(words * classes),
        believed(classes),
        believed_squares(classes) {}

  void add(const Evidence& evidence, std::span<const Sent> report, std::span<const double> shares) {
    const std::size_t classes = believed.size();
    ++reports;
    for_each_class(report.front(), [&](std::size_t c, double belief) {
      believed[c] += belief;
      believed_squares[c] += belief * belief;
    });
    for (const Sent& sent : report) {
      const auto inside = std::span(evidence.words).subspan(sent.first, sent.last - sent.first);
      double favoured = 0;
      for (const std::uint32_t word : inside) favoured += shares[word];
      const double scale = sent.weight * sent.odds / (1 + sent.odds * std::min(1.0, favoured));
      for (const std::uint32_t word : inside) {
        const double slope = scale * shares[word];
        // The square of all that one person sends: what was there before counts twice with what comes.
        squares[word] += slope * (2 * own[word] + slope);
        own[word] += slope;
        sum[word] += slope;
        for_each_class(sent, [&](std::size_t c, double belief) { with_class[word * classes + c] += slope * belief; });
      }
    }
    for (const Sent& sent : report) {
      for (std::size_t i = sent.first; i < sent.last; ++i) own[evidence.words[i]] = 0;
    }
  }
};

}  // namespace

namespace {

// How far effects lie apart, by reports: estimate and standard error.
struct Spread {
  double variance = 0;
  double error = 0;
  std::vector<double> by_chance;  // by word and class: the variance of the slope by an effect, without any
};

Spread spread_of(const Evidence& evidence, std::span<const double> shares, std::size_t classes) {
  std::uint32_t cases = 0;
  for (const Sent& sent : evidence.sent) cases = std::max(cases, sent.level_case + 1);
  std::vector<double> slopes(shares.size() * classes);
  Spread spread{0, 0, std::vector<double>(slopes.size())};
  for (std::uint32_t one = 0; one < cases; ++one) {
    Leaning leaning(shares.size(), classes);
    for (std::size_t i = 0; i < evidence.sent.size(); i += evidence.sent[i].together) {
      if (evidence.sent[i].level_case != one) continue;
      leaning.add(evidence, std::span(evidence.sent).subspan(i, evidence.sent[i].together), shares);
    }
    const double n = leaning.reports;
    if (n < 2) continue;
    for (std::size_t word = 0; word < shares.size(); ++word) {
      const double apart = leaning.squares[word] - leaning.sum[word] * leaning.sum[word] / n;
      for (std::size_t c = 0; c < classes; ++c) {
        const double of_class = leaning.believed[c];
        slopes[word * classes + c] += leaning.with_class[word * classes + c] - leaning.sum[word] * of_class / n;
        spread.by_chance[word * classes + c] +=
            apart * (leaning.believed_squares[c] - of_class * of_class / n) / (n - 1);
      }
    }
  }
  // Squares of slopes are larger than by chance by effects' variance times the square of what chance gives. A word counts
  // by how well it tells that, but none for more than one in kFewestWords: lies may be about one word.
  std::vector<double> precisions(shares.size());
  for (std::size_t i = 0; i < slopes.size(); ++i) precisions[i / classes] += spread.by_chance[i] * spread.by_chance[i];
  std::vector<double> sorted = precisions;
  const auto fewest = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(kFewestWords, (sorted.size() + 1) / 2) - 1);
  std::nth_element(sorted.begin(), fewest, sorted.end(), std::greater<>());
  double beyond = 0;
  double scatter = 0;
  double least = 0;
  double all = 0;
  for (std::size_t word = 0; word < shares.size(); ++word) {
    if (!(precisions[word] > 0)) continue;
    const double counts = std::min(*fewest, precisions[word]);
    double of_word = 0;
    for (std::size_t i = word * classes; i < (word + 1) * classes; ++i) {
      of_word += (slopes[i] * slopes[i] - spread.by_chance[i]) * counts / precisions[word];
    }
    beyond += of_word;
    scatter += of_word * of_word;
    least += 2 * counts * counts / precisions[word];
    all += counts;
  }
  if (!(all > 0)) return spread;
  spread.variance = beyond / all;
  spread.error = std::sqrt(std::max(scatter, least)) / all;
  return spread;
}

}  // namespace

double trust_of(const Evidence& evidence, std::span<const double> shares, std::size_t classes, double variance) {
  const Spread spread = spread_of(evidence, shares, classes);
  if (!(spread.error > 0)) return 0;
  // With information I and a prior of variance v an effect comes out as v I / (1 + v I) of what was seen, slope / I. The
  // regression of true effects on these, if the true ones have another variance; over words as usual as they are.
  const auto true_part = [&](double truth) {
    double both = 0;
    double own = 0;
    for (std::size_t i = 0; i < spread.by_chance.size(); ++i) {
      const double known = spread.by_chance[i];
      const double pulled = shares[i / classes] / (1 + variance * known);
      both += pulled * known * truth;
      own += pulled * variance / (1 + variance * known) * (known + known * known * truth);
    }
    return own > 0 ? std::min(1.0, both / own) : 0;
  };
  // As likely as not there is nothing to be told; else the variance may be anything up to kMostVariance.
  const double seen = std::clamp(spread.variance, -kNearby * spread.error, kMostVariance);
  const double low = std::max(0.0, seen - kNearby * spread.error);
  const double high = std::min(kMostVariance, seen + kNearby * spread.error);
  const auto likely = [&](double truth) {
    const double apart = (seen - truth) / spread.error;
    return std::exp(-apart * apart / 2);
  };
  double all = likely(0) * kMostVariance;
  double sum = 0;
  for (int i = 0; i < kVarianceSteps; ++i) {
    const double truth = low + (high - low) * (i + .5) / kVarianceSteps;
    const double share = likely(truth) * (high - low) / kVarianceSteps;
    all += share;
    sum += share * true_part(truth);
  }
  return sum / all;
}

}  // namespace ppgnn::teach
