#include "ppgnn/teach/teacher.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "ppgnn/ldp/bucket_response.hpp"
#include "ppgnn/ldp/direction_response.hpp"
#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "teach/climber.hpp"
#include "teach/direction_teacher.hpp"
#include "teach/evidence.hpp"

namespace ppgnn::teach {

namespace {

constexpr int kLargestWeight = 32767;
constexpr std::size_t kImaginedPeople = 2000;
constexpr double kTiniestShare = 1e-12;

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
        effect_climber_(words * classes_, options.rate),
        total_(classes_),
        odds_(classes_) {}

  void step() {
    spread_shares();
    std::fill(share_gradient_.begin(), share_gradient_.end(), 0);
    std::fill(effect_gradient_.begin(), effect_gradient_.end(), 0);
    std::fill(expected_.begin(), expected_.end(), 0);
    const std::span<const Sent> sent = evidence_.sent;
    for (std::size_t first = 0; first < sent.size(); first += sent[first].together) {
      add(sent.subspan(first, sent[first].together));
    }
    finish_gradient();
    share_climber_.step(share_gradient_, log_shares_);
    effect_climber_.step(effect_gradient_, effects_);
  }

  // Of a word: its share, and the logarithm of how much oftener a class has it than people do.
  [[nodiscard]] double share(std::size_t word) const { return std::exp(log_shares_[word]); }
  [[nodiscard]] std::vector<double> shares() const {
    std::vector<double> shares(log_shares_.size());
    for (std::size_t word = 0; word < shares.size(); ++word) shares[word] = share(word);
    return shares;
  }
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
    std::fill(total_.begin(), total_.end(), 0);
    for (std::size_t word = 0; word < log_shares_.size(); ++word) {
      const double share = std::exp(log_shares_[word]) / mean_of(word);
      for (std::size_t c = 0; c < classes_; ++c) {
        shares_in_class_[word * classes_ + c] = share * std::exp(effects_[word * classes_ + c]);
        total_[c] += shares_in_class_[word * classes_ + c];
      }
    }
  }

  // One person's report: of the class that the person is believed to be of, or, should the person lie, of any other.
  void add(std::span<const Sent> report) {
    // One bucket fits another class better by a word at most, which honest people's do all the time.
    const double doubt = report.size() > 1 ? options_.liars : 0;
    favoured_.assign(report.size() * classes_, 0);  // how likely a bucket is to be a favoured one, by class
    if (doubt == 0) {
      for (std::size_t i = 0; i < report.size(); ++i) {
        for_each_class(report[i], [&](std::size_t c, double belief) {
          double& favoured = favoured_[i * classes_ + c];
          for (const std::uint32_t word : words_of(report[i])) favoured += shares_in_class_[word * classes_ + c];
          add(report[i], c, report[i].weight * belief, favoured);
        });
      }
      return;
    }
    for (std::size_t c = 0; c < classes_; ++c) {
      const auto belief = static_cast<double>(report.front().believed[c]);
      odds_[c] = std::log((1 - doubt) * belief + doubt * (1 - belief) / static_cast<double>(classes_ - 1));
    }
    for (std::size_t i = 0; i < report.size(); ++i) {
      double* favoured = &favoured_[i * classes_];
      for (const std::uint32_t word : words_of(report[i])) {
        for (std::size_t c = 0; c < classes_; ++c) favoured[c] += shares_in_class_[word * classes_ + c];
      }
      for (std::size_t c = 0; c < classes_; ++c) {
        odds_[c] += std::log1p(report[i].odds * std::min(1.0, favoured[c])) - report[i].rate * total_[c];
      }
    }
    const double most = *std::max_element(odds_.begin(), odds_.end());
    double sum = 0;
    for (double& odds : odds_) sum += odds = std::exp(odds - most);
    for (std::size_t i = 0; i < report.size(); ++i) {
      for (std::size_t c = 0; c < classes_; ++c) {
        add(report[i], c, report[i].weight * odds_[c] / sum, favoured_[i * classes_ + c]);
      }
    }
  }

  // One bucket, as far as its sender is of class `one`.
  void add(const Sent& sent, std::size_t one, double weight, double favoured) {
    expected_[one] += weight * sent.rate;
    if (favoured >= 1) return;  // no bucket is likelier than certain: more of these words explains nothing
    const double scale = weight * sent.odds / (1 + sent.odds * favoured);
    for (const std::uint32_t word : words_of(sent)) {
      const double slope = scale * shares_in_class_[word * classes_ + one];
      share_gradient_[word] += slope;
      effect_gradient_[word * classes_ + one] += slope;
    }
  }

  [[nodiscard]] std::span<const std::uint32_t> words_of(const Sent& sent) const {
    return std::span(evidence_.words).subspan(sent.first, sent.last - sent.first);
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
  std::vector<double> expected_;         // by class: sum of rates of people who may be of it
  std::vector<double> share_gradient_;
  std::vector<double> effect_gradient_;
  Climber share_climber_;
  Climber effect_climber_;
  std::vector<double> total_;     // by class: sum of shares
  std::vector<double> odds_;      // by class: that somebody is of it
  std::vector<double> favoured_;  // of one report: bucket by bucket, by class
};

// How many people have each word, learned without a look at who is of which class.
std::vector<double> usual_shares(Evidence& evidence, std::size_t words, TeachOptions options) {
  constexpr std::array<float, 1> kEverybody{1};
  std::vector<std::span<const float>> believed;
  for (Sent& sent : evidence.sent) believed.push_back(std::exchange(sent.believed, kEverybody));
  options.liars = 0;
  Learner learner(evidence, words, {1.0}, options);
  for (std::size_t step = 0; step < options.steps && !evidence.sent.empty(); ++step) learner.step();
  for (std::size_t i = 0; i < believed.size(); ++i) evidence.sent[i].believed = believed[i];
  return learner.shares();
}

std::vector<double> class_shares_of(std::span<const ldp::NodeReport> reports, const Beliefs& believed) {
  std::vector<double> shares(believed.classes, 1);
  for (const auto& [node, report] : reports) {
    for (std::size_t c = 0; c < believed.classes; ++c) shares[c] += static_cast<double>(believed.of(node)[c]);
  }
  for (double& share : shares) share /= static_cast<double>(reports.size() + believed.classes);
  return shares;
}

Error mismatch(std::string message) {
  return {ErrorCode::mismatch, std::move(message)};
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
  Beliefs certain{classes, std::vector<float>(names.size() * classes, 0)};
  for (const auto& [node, report] : reports) {
    if (node >= names.size()) return mismatch("reports: there is no node " + std::to_string(node));
    if (labels[node] < 0 || static_cast<std::size_t>(labels[node]) >= classes) {
      return mismatch("reports: node '" + names.name(node) + "' has no label to teach");
    }
    certain.of(node)[static_cast<std::size_t>(labels[node])] = 1;
  }
  return learn(plan, reports, names, certain, options);
}

Result<TaughtModel> learn(const ldp::Plan& plan, std::span<const ldp::NodeReport> reports,
                          const graph::NodeNames& names, const Beliefs& believed, const TeachOptions& options) {
  const bool directions = plan.kind() == ldp::DirectionResponse::kKind;
  if (!directions && plan.kind() != ldp::BucketResponse::kKind) return mismatch("plan: is not of teaching reports");
  if (believed.people() != names.size()) return mismatch("beliefs: are not of these people");
  for (const auto& [node, report] : reports) {
    if (node >= names.size()) return mismatch("reports: there is no node " + std::to_string(node));
  }
  if (directions) return learn_directions(plan, reports, believed);
  const std::size_t classes = believed.classes;
  const Words words{&plan.schema()};
  Evidence evidence = gather(plan, reports, names, believed);
  if (options.liars > 0) hold_to_possible(ldp::Estimator(plan.tables()), words.count(), classes, evidence);
  Learner learner(evidence, words.count(), class_shares_of(reports, believed), options);
  for (std::size_t step = 0; step < options.steps && !evidence.sent.empty(); ++step) learner.step();

  TaughtModel model{classes, {}, {}, std::vector<double>(classes)};
  model.trust = trust_of(evidence, usual_shares(evidence, words.count(), options), classes, options.effect_variance);
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
