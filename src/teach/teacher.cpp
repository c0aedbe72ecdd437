#include "ppgnn/teach/teacher.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>

#include "ppgnn/ldp/bucket_response.hpp"
#include "ppgnn/ldp/direction_response.hpp"
#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "teach/climber.hpp"
#include "teach/direction_teacher.hpp"
#include "teach/odds.hpp"

namespace ppgnn::teach {

namespace {

constexpr std::uint32_t kSides = 2;  // of an absent value
constexpr int kLargestWeight = 32767;
constexpr std::size_t kImaginedPeople = 2000;
constexpr double kTiniestShare = 1e-12;

// Words by number: a column above its absent value, or below it, where both can be.
struct Words {
  const ldp::Schema* schema;

  [[nodiscard]] std::uint32_t count() const noexcept { return schema->dim() * kSides; }
  [[nodiscard]] bool possible(std::uint32_t word) const noexcept {
    const ldp::ColumnGroup& group = schema->group_of(word / kSides);
    return word % kSides == 1 ? group.absent < group.high : group.absent > group.low;
  }
};

// One bucket that somebody sent, and the words in it.
struct Sent {
  std::uint32_t label = 0;
  double odds = 0;  // e^a - 1: how much more likely a bucket is for being favoured
  double rate = 0;  // of a word's share, at no effect: (e^a - 1) / (M (1 + h (e^a - 1)))
  std::size_t first = 0;
  std::size_t last = 0;
};

struct Evidence {
  std::vector<Sent> sent;
  std::vector<std::uint32_t> words;
  double mean_share = 0;  // of a word: K / words, over reports
};

Evidence gather(const ldp::Plan& plan, std::span<const ldp::NodeReport> reports, const graph::NodeNames& names,
                std::span<const std::int32_t> labels) {
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
    for (const std::uint32_t outcome : report.outcomes) {
      Sent sent{.label = static_cast<std::uint32_t>(labels[node]),
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

// The model while it is learned, word by word.
class Learner {
 public:
  Learner(const Evidence& evidence, std::size_t words, std::vector<double> class_shares, const TeachOptions& options)
      : evidence_(evidence),
        options_(options),
        class_shares_(std::move(class_shares)),
        classes_(class_shares_.size()),
        log_shares_(words, std::log(std::max(kTiniestShare, evidence.mean_share))),
        effects_(words * classes_),
        shares_in_class_(words * classes_),
        expected_(classes_),
        share_gradient_(words),
        effect_gradient_(words * classes_),
        share_climber_(words, options.rate),
        effect_climber_(words * classes_, options.rate) {
    for (const Sent& sent : evidence.sent) expected_[sent.label] += sent.rate;
  }

  void step() {
    spread_shares();
    std::fill(share_gradient_.begin(), share_gradient_.end(), 0);
    std::fill(effect_gradient_.begin(), effect_gradient_.end(), 0);
    for (const Sent& sent : evidence_.sent) add(sent);
    finish_gradient();
    share_climber_.step(share_gradient_, log_shares_);
    effect_climber_.step(effect_gradient_, effects_);
  }

  // Of a word: its share, and the logarithm of how much oftener a class has it than people do.
  [[nodiscard]] double share(std::size_t word) const { return std::exp(log_shares_[word]); }
  [[nodiscard]] double effect(std::size_t word, std::size_t one) const {
    return effects_[word * classes_ + one] - std::log(mean_of(word));
  }

 private:
  // Over classes, of how much oftener each has the word.
  [[nodiscard]] double mean_of(std::size_t word) const {
    double mean = 0;
    for (std::size_t c = 0; c < classes_; ++c) mean += class_shares_[c] * std::exp(effects_[word * classes_ + c]);
    return mean;
  }

  void spread_shares() {
    for (std::size_t word = 0; word < log_shares_.size(); ++word) {
      const double share = std::exp(log_shares_[word]) / mean_of(word);
      for (std::size_t c = 0; c < classes_; ++c) {
        shares_in_class_[word * classes_ + c] = share * std::exp(effects_[word * classes_ + c]);
      }
    }
  }

  void add(const Sent& sent) {
    const auto words = std::span(evidence_.words).subspan(sent.first, sent.last - sent.first);
    double favoured = 0;  // how likely the bucket is to be a favoured one, in this class
    for (const std::uint32_t word : words) favoured += shares_in_class_[word * classes_ + sent.label];
    const double scale = sent.odds / (1 + sent.odds * std::min(1.0, favoured));
    for (const std::uint32_t word : words) {
      const double slope = scale * shares_in_class_[word * classes_ + sent.label];
      share_gradient_[word] += slope;
      effect_gradient_[word * classes_ + sent.label] += slope;
    }
  }

  // Takes off what the sum of all probabilities adds, then the priors.
  void finish_gradient() {
    const double usual = std::log(std::max(kTiniestShare, evidence_.mean_share));
    for (std::size_t word = 0; word < log_shares_.size(); ++word) {
      double sum = 0;
      for (std::size_t c = 0; c < classes_; ++c) {
        const double expected = shares_in_class_[word * classes_ + c] * expected_[c];
        share_gradient_[word] -= expected;
        effect_gradient_[word * classes_ + c] -= expected;
        sum += effect_gradient_[word * classes_ + c];
      }
      const double mean = mean_of(word);
      for (std::size_t c = 0; c < classes_; ++c) {
        const double effect = effects_[word * classes_ + c];
        effect_gradient_[word * classes_ + c] -=
            class_shares_[c] * std::exp(effect) * sum / mean + effect / options_.effect_variance;
      }
      share_gradient_[word] -= (log_shares_[word] - usual) / options_.share_variance;
    }
  }

  const Evidence& evidence_;
  const TeachOptions& options_;
  std::vector<double> class_shares_;
  std::size_t classes_;
  std::vector<double> log_shares_;
  std::vector<double> effects_;          // before the mean is taken off
  std::vector<double> shares_in_class_;  // of people with the word among their favoured, by class
  std::vector<double> expected_;         // by class: sum of rates
  std::vector<double> share_gradient_;
  std::vector<double> effect_gradient_;
  Climber share_climber_;
  Climber effect_climber_;
};

std::vector<double> class_shares_of(std::span<const ldp::NodeReport> reports, std::span<const std::int32_t> labels,
                                    std::size_t classes) {
  std::vector<double> shares(classes, 1);
  for (const auto& [node, report] : reports) ++shares[static_cast<std::size_t>(labels[node])];
  for (double& share : shares) share /= static_cast<double>(reports.size() + classes);
  return shares;
}

// What a device makes of somebody imagined: of class `own`, with `words` columns drawn as the model says.
std::vector<double> scores_of_words(const TaughtModel& model, std::span<const double> sums, std::size_t own,
                                    std::size_t words, seeded::SeededStream& bits) {
  const auto uniform = [&] { return std::ldexp(static_cast<double>(bits.next() >> 11), -53); };
  std::vector<double> scores = model.biases;
  // The words of the class are as much likelier as the model says.
  for (std::size_t word = 0; word < words;) {
    const auto at = std::lower_bound(sums.begin(), sums.end(), uniform() * sums.back());
    const auto column = std::min(static_cast<std::size_t>(at - sums.begin()), model.columns() - 1);
    const double* effects = &model.effects[column * model.classes];
    const double most = *std::max_element(effects, effects + model.classes);
    if (uniform() > std::exp(effects[own] - most)) continue;
    for (std::size_t c = 0; c < model.classes; ++c) scores[c] += effects[c] / static_cast<double>(words);
    ++word;
  }
  return scores;
}

// The lead that half of some imagined people reach.
double usual_lead(const TaughtModel& model, std::size_t words, std::uint64_t seed) {
  std::vector<double> sums(model.shares.size());
  std::partial_sum(model.shares.begin(), model.shares.end(), sums.begin());
  std::vector<double> leads(kImaginedPeople);
  for (std::size_t person = 0; person < kImaginedPeople; ++person) {
    seeded::SeededStream bits(seed, seeded::Purpose::imagine, person);
    const auto own = static_cast<std::size_t>(random::below(model.classes, bits));
    std::vector<double> scores =
        sums.empty() ? imagined_scores(model, own, bits) : scores_of_words(model, sums, own, words, bits);
    std::nth_element(scores.begin(), scores.begin() + 1, scores.end(), std::greater<>());
    leads[person] = scores[0] - scores[1];
  }
  std::nth_element(leads.begin(), leads.begin() + kImaginedPeople / 2, leads.end());
  return leads[kImaginedPeople / 2];
}

}  // namespace

Result<TaughtModel> learn(const ldp::Plan& plan, std::span<const ldp::NodeReport> reports,
                          const graph::NodeNames& names, std::span<const std::int32_t> labels, std::size_t classes,
                          const TeachOptions& options) {
  const auto mismatch = [](std::string message) { return Error{ErrorCode::mismatch, std::move(message)}; };
  const bool directions = plan.kind() == ldp::DirectionResponse::kKind;
  if (!directions && plan.kind() != ldp::BucketResponse::kKind) return mismatch("plan: is not of teaching reports");
  for (const auto& [node, report] : reports) {
    if (node >= names.size()) return mismatch("reports: there is no node " + std::to_string(node));
    if (labels[node] < 0 || static_cast<std::size_t>(labels[node]) >= classes) {
      return mismatch("reports: node '" + names.name(node) + "' has no label to teach");
    }
  }
  if (directions) return learn_directions(plan, reports, labels, classes);
  const Words words{&plan.schema()};
  const Evidence evidence = gather(plan, reports, names, labels);
  Learner learner(evidence, words.count(), class_shares_of(reports, labels, classes), options);
  for (std::size_t step = 0; step < options.steps && !evidence.sent.empty(); ++step) learner.step();

  TaughtModel model{classes, {}, {}, std::vector<double>(classes)};
  double all = 0;
  for (std::uint32_t column = 0; column < plan.schema().dim(); ++column) {
    double share = 0;
    std::vector<double> effect(classes);
    double sides = 0;
    for (std::uint32_t side = 0; side < kSides; ++side) {
      const std::uint32_t word = column * kSides + side;
      if (!words.possible(word)) continue;
      ++sides;
      share += learner.share(word);
      // A column below its absent value speaks by a negative difference.
      for (std::size_t c = 0; c < classes; ++c) effect[c] += (side == 1 ? 1 : -1) * learner.effect(word, c);
    }
    for (std::size_t c = 0; c < classes; ++c) {
      model.effects.push_back(effect[c] / sides);
      model.biases[c] -= share * effect[c] / sides;
    }
    model.shares.push_back(share);
    all += share;
  }
  for (double& bias : model.biases) bias /= all;
  return model;
}

ldp::QuestionModel question_model(const TaughtModel& model, const graph::StringList& class_names, std::size_t words,
                                  std::uint64_t seed) {
  double largest = 0;
  for (const double effect : model.effects) largest = std::max(largest, std::abs(effect));
  const double scale = largest > 0 ? kLargestWeight / largest : 0;
  const auto rounded = [&](double value) { return std::llround(value * scale); };
  ldp::QuestionModel question;
  question.width = 16;
  for (std::size_t c = 0; c < model.classes; ++c) {
    question.classes.emplace_back(class_names[c]);
    question.biases.push_back(static_cast<std::int32_t>(rounded(model.biases[c])));
    for (std::size_t column = 0; column < model.columns(); ++column) {
      question.weights.push_back(static_cast<std::int16_t>(rounded(model.effects[column * model.classes + c])));
    }
  }
  const long long lead = largest > 0 ? rounded(usual_lead(model, words, seed)) : 1;
  question.confident.push_back(static_cast<std::uint32_t>(std::max(1LL, lead)));
  return question;
}

}  // namespace ppgnn::teach
