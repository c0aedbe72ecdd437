#include "ppgnn/teach/forecast.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include "ppgnn/core/number.hpp"
#include "ppgnn/ldp/answer_response.hpp"
#include "ppgnn/ldp/bucket_response.hpp"
#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "teach/odds.hpp"
#include "teach/reached.hpp"

namespace ppgnn::teach {

namespace {

constexpr double kTeach = 2.0 / 3;        // of labelled people; the others are pilots
constexpr double kHomePilots = 1.0 / 15;  // of labelled people, where the others teach
constexpr std::size_t kConfidences = 2;   // of an answer
constexpr double kDeviations = 1.96;      // of nineteen in twenty
constexpr double kMostPeople = 1e9;
constexpr double kDoubtful = 4.5;       // so far apart, squared and halved, trust is one half
constexpr double kHomeDoubt = .15;      // of decisions at home, beside that about features
constexpr double kMostPlausible = .95;  // of a model taught by clean features: how often it is right
constexpr double kGeneratedPopularity = .5;
constexpr double kGeneratedDoubt = .05;
constexpr double kLeastSeparability = 1e-6;
constexpr std::size_t kMostBelieved = 4000;  // people over whom is averaged
constexpr std::size_t kImagined = 2000;
constexpr double kMisled = .25;  // of imagined people whom the graph is wrong about

Error invalid(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message)};
}

Result<void> check_accuracy(const std::string& name, double accuracy, std::size_t classes) {
  const double guess = 1 / static_cast<double>(classes);
  if (accuracy > guess && accuracy < 1) return {};
  return invalid(name + ": must be above " + format_number(guess) + " (guessing) and below 1, but is " +
                 format_number(accuracy));
}

double normal_density(double x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}

double normal_share(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}

// How scores come out on a device: of the own class around `lead`, of the others around 0, each with unit noise.
struct Scores {
  double lead;

  // The chance that one class of `choices` is the best, by `margin` or more. `own`: where the own class is.
  enum class Own { is_it, is_another, is_none };
  [[nodiscard]] double best(std::size_t choices, double margin, Own own) const {
    // Sums of smooth densities at even steps are exact to many digits.
    constexpr double kStep = .2;
    constexpr int kSteps = 40;  // on either side
    const double centre = own == Own::is_it ? lead : 0;
    const auto others = static_cast<double>(choices - (own == Own::is_another ? 2 : 1));
    double sum = 0;
    for (int step = -kSteps; step <= kSteps; ++step) {
      const double noise = kStep * step;
      const double score = noise + centre - margin;
      double below = std::pow(normal_share(score), others);
      if (own == Own::is_another) below *= normal_share(score - lead);
      sum += kStep * normal_density(noise) * below;
    }
    return sum;
  }

  // The margin that half of the people reach.
  [[nodiscard]] double usual_margin(std::size_t classes) const {
    return reached(.5, 0, 40, [&](double margin) {
      return 1 - best(classes, margin, Own::is_it) -
             static_cast<double>(classes - 1) * best(classes, margin, Own::is_another);
    });
  }
};

// Two classes' scores, the difference of two of them, are so many of its standard deviations apart.
Scores scores_at(double separability) {
  return {separability / std::numbers::sqrt2};
}

double right_share(double separability, std::size_t classes) {
  return scores_at(separability).best(classes, 0, Scores::Own::is_it);
}

// The chance of an outcome before noise: one class named, not surely and surely, by where the own class is.
struct Rates {
  std::array<std::array<double, kConfidences>, 3> named;

  Rates(const Scores& scores, std::size_t choices, double margin) : named() {
    for (const Scores::Own own : {Scores::Own::is_it, Scores::Own::is_another, Scores::Own::is_none}) {
      const double sure = scores.best(choices, margin, own);
      named[static_cast<std::size_t>(own)] = {scores.best(choices, 0, own) - sure, sure};
    }
  }
  [[nodiscard]] double chance(Scores::Own own, std::size_t sure) const {
    return named[static_cast<std::size_t>(own)][sure];
  }
};

// The plans that a campaign would have; dense columns too are forecast as if buckets taught. Columns do not count in the noise of an answer: one will do.
Result<ldp::Plan> plan_for(const ForecastRequest& request, std::size_t classes, ldp::Role role) {
  ldp::PlanRequest wanted;
  wanted.kind = ldp::BucketResponse::kKind;
  wanted.columns = request.columns;
  wanted.budgets = request.budgets;
  wanted.secrecy = request.secrecy;
  wanted.level_budget = request.level_budget;
  wanted.campaign = ldp::Campaign{"forecast", role, "a forecast", sha256("forecast")};
  if (role == ldp::Role::answer) {
    wanted.kind = ldp::AnswerResponse::kKind;
    wanted.columns = {ldp::ColumnGroup{.name = "any"}};
    ldp::QuestionModel model;
    for (std::size_t one = 0; one < classes; ++one) model.classes.push_back(std::to_string(one));
    model.biases.assign(classes, 0);
    model.weights.assign(classes, 1);
    model.confident = {1};
    wanted.model = std::move(model);
  }
  return ldp::make_plan(wanted);
}

// Of people with a word among `favoured`, the most usual word first; nobody has a word twice.
std::vector<double> word_shares(std::size_t words, double favoured, double popularity) {
  std::vector<double> shares(words);
  for (std::size_t i = 0; i < words; ++i) shares[i] = std::pow(static_cast<double>(i + 1), -popularity);
  // What a share of 1 cuts off goes to the others.
  double scale = 0;
  double cut = 0;
  double rest = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (const double share : shares) {
    scale = (favoured - cut) / rest;
    if (share * scale <= 1) break;
    ++cut;
    rest -= share;
  }
  for (double& share : shares) share = std::min(1.0, share * scale);
  return shares;
}

// How right beliefs are if they are as right as they are sure.
double sureness(const Beliefs& beliefs) {
  double sum = 0;
  for (std::size_t person = 0; person < beliefs.people(); ++person) {
    const auto row = beliefs.of(person);
    sum += static_cast<double>(*std::max_element(row.begin(), row.end()));
  }
  return sum / static_cast<double>(beliefs.people());
}

// Beliefs to the power that makes their mean of the largest so large; `measured` are those that it is measured by.
Beliefs as_sure_as(double accuracy, const Beliefs& measured, const Beliefs& beliefs) {
  const auto powered = [](const Beliefs& from, double power) {
    const std::array<const Beliefs*, 1> alone{&from};
    return Pool{{power}}.apply(alone);
  };
  constexpr double kMostPower = 10;
  const double power = reached(accuracy, 0, kMostPower, [&](double one) { return sureness(powered(measured, one)); });
  return powered(beliefs, power);
}

Beliefs rows_of(const Beliefs& beliefs, std::span<const std::uint32_t> people) {
  Beliefs rows{beliefs.classes, {}};
  for (const std::uint32_t person : people) {
    const auto row = beliefs.of(person);
    rows.values.insert(rows.values.end(), row.begin(), row.end());
  }
  return rows;
}

}  // namespace

FeatureAssumptions FeatureAssumptions::generated(const graph::SocialOptions& options) {
  // Of one draw: from the columns of a class, by somebody of it and by somebody of another.
  const auto classes = static_cast<double>(options.classes);
  const double own_draw = options.signal + (1 - options.signal) / classes;
  const double other_draw = (1 - options.signal) / classes;
  const double variance = own_draw + other_draw - options.signal * options.signal;
  const double separability = 2 * options.signal * std::sqrt(static_cast<double>(options.interests) / variance);
  return {.separability = std::max(kLeastSeparability, separability),
          .surprise = std::numeric_limits<double>::infinity(),
          .popularity = kGeneratedPopularity,
          .words = static_cast<double>(options.interests),
          .doubt = kGeneratedDoubt,
          .known = true,
          .between = {}};
}

Result<FeatureAssumptions> FeatureAssumptions::right_about(double accuracy, std::size_t classes) const {
  if (Result<void> checked = check_accuracy("feature accuracy", accuracy, classes); !checked) return checked.error();
  FeatureAssumptions changed = *this;
  changed.separability = reached(accuracy, 0, 40, [&](double one) { return right_share(one, classes); });
  changed.known = true;
  changed.between.reset();
  return changed;
}

Forecaster::Forecaster(const ForecastRequest& request, Beliefs believed)
    : request_(request), believed_(std::move(believed)) {
  control_.accuracy = sureness(believed_);
  for (const float one : believed_.values) {
    if (one > 0) control_.log_loss -= static_cast<double>(one) * std::log(static_cast<double>(one));
  }
  control_.log_loss /= static_cast<double>(believed_.people());
  // Nobody is wrong about people who are sure: nothing is left to say, however much features would.
  if (control_.accuracy < 1) own_ = std::min(1.0, request.features.surprise * std::sqrt(1 - control_.accuracy));
}

std::vector<Forecaster::Channel> Forecaster::channels_of(const ldp::Plan& plan) {
  const ldp::Estimator estimator(plan.tables());
  const std::vector<double>& losses = plan.certificate().features;
  const bool is_public = plan.tables().secrecy == ldp::LevelSecrecy::public_level;
  std::vector<Channel> channels;
  for (std::size_t one = 0; one < estimator.cases(); ++one) {
    const ldp::Shape shape = estimator.shape(one);
    channels.push_back({estimator.probability(one), odds_of(estimator.gain(one), shape),
                        is_public ? losses[one] : *std::max_element(losses.begin(), losses.end()), estimator.mass(one),
                        static_cast<double>(shape.sampled), static_cast<double>(shape.outcomes),
                        static_cast<double>(shape.favoured)});
  }
  return channels;
}

Result<Forecaster> Forecaster::make(const ForecastRequest& request, Beliefs believed) {
  if (believed.people() == 0) return invalid("graph: there is nobody to ask");
  if (!(request.labelled > 0 && request.labelled < 1)) {
    return invalid("labelled: must be above 0 and below 1, but is " + format_number(request.labelled));
  }
  if (!(request.response >= 0 && request.response <= 1)) {
    return invalid("response: must be between 0 and 1, but is " + format_number(request.response));
  }
  if (!(request.features.separability > 0)) return invalid("separability: must be above 0");
  Forecaster made(request, std::move(believed));
  const Result<ldp::Plan> teaching = plan_for(request, made.believed_.classes, ldp::Role::teach);
  if (!teaching) return teaching.error();
  const Result<ldp::Plan> asking = plan_for(request, made.believed_.classes, ldp::Role::answer);
  if (!asking) return asking.error();
  made.labels_ = request.at_home ? known_by(made.believed_, request.labelled) : 1;
  made.teaching_ = channels_of(*teaching);
  made.asking_ = channels_of(*asking);
  const double favoured = made.teaching_.front().favoured;
  const double words = request.features.words > 0 ? std::min(favoured, request.features.words) : favoured;
  made.shares_ = word_shares(teaching->schema().dim(), words, request.features.popularity);
  return made;
}

double Forecaster::teachers(double people) const {
  return people * (request_.at_home ? 1 - request_.labelled * kHomePilots : request_.labelled * kTeach) *
         request_.response;
}

double Forecaster::taught(double teachers, double separability) const {
  const double words = std::accumulate(shares_.begin(), shares_.end(), 0.0);
  // Effects of this variance, over all words of somebody, set the classes so far apart; a report speaks of some of them.
  const double variance = separability * separability / (2 * std::max(words, request_.features.words));
  const double of_class = teachers * labels_ / static_cast<double>(believed_.classes);
  double known = 0;
  double squares = 0;
  for (const double share : shares_) {
    // Fisher's, of one report about the effect of the word in its class; other words share its bucket.
    double information = 0;
    for (const Channel& one : teaching_) {
      const double in_bucket = std::min(1.0, share + (one.favoured - share) / one.outcomes);
      // A word's bucket may be favoured for another word of that person: then it tells nothing. Answers are forecast as
      // if that were not so, which is how their assumptions were fitted.
      const double alone = request_.at_home ? 1 - one.favoured / one.outcomes : 1;
      information += one.share * one.sampled * one.odds * one.odds * share * share * alone * alone /
                     ((one.outcomes + one.favoured * one.odds) * (1 + one.odds * in_bucket));
    }
    const double against_prior = of_class * information * variance;
    squares += against_prior * against_prior;
    known += share * against_prior / (1 + against_prior);
  }
  if (!request_.at_home) return separability * std::sqrt(known / words);
  // Words' effects, of all classes, lie so many standard errors farther apart than by chance. The fewer, the less are they
  // trusted (TaughtModel::trust), which costs the square of what is taken off.
  const double errors = std::sqrt(squares * static_cast<double>(believed_.classes) / 2);
  const double trust = 1 / (1 + std::exp(kDoubtful - errors * errors / 2));
  return separability * std::sqrt(known / words * trust * (2 - trust));
}

Forecaster::Change Forecaster::change(double separability) const {
  return request_.at_home ? change_at_home(believed_, separability) : change_by_answers(separability);
}

Forecaster::Change Forecaster::change_by_answers(double separability) const {
  using Own = Scores::Own;
  const Scores scores = scores_at(separability);
  const double margin = scores.usual_margin(believed_.classes);
  const double people = static_cast<double>(believed_.people());
  Change total;
  std::vector<double> belief(believed_.classes);
  for (const Channel& channel : asking_) {
    const std::size_t choices = static_cast<std::size_t>(channel.outcomes) / kConfidences;
    const Rates rates(scores, choices, margin);
    const auto likelihood = [&](Own own, std::size_t sure) {
      return (1 + channel.odds * rates.chance(own, sure)) / (channel.outcomes + channel.odds);
    };
    const double asked_share = channel.share / people;
    const double answered_share = request_.response * asked_share;
    for (std::size_t person = 0; person < believed_.people(); ++person) {
      const auto row = believed_.of(person);
      std::copy(row.begin(), row.end(), belief.begin());
      std::sort(belief.begin(), belief.end(), std::greater<>());
      if (std::log(belief[0] / std::max(1e-12, belief[1])) > channel.told) continue;
      total.asked += asked_share;
      const double asked = std::accumulate(belief.begin(), belief.begin() + static_cast<std::ptrdiff_t>(choices), 0.0);
      const double others = std::max(0.0, 1 - asked);
      const double best_other = choices < belief.size() ? belief[choices] : 0;
      total.right -= answered_share * belief[0];
      for (std::size_t sure = 0; sure < kConfidences; ++sure) {
        const double of_it = likelihood(Own::is_it, sure);
        const double of_another = likelihood(Own::is_another, sure);
        const double of_none = likelihood(Own::is_none, sure);
        for (std::size_t named = 0; named < choices; ++named) {
          const double rest = asked - belief[named];
          const double sent = of_it * belief[named] + of_another * rest + of_none * others;
          const double first = (named == 0 ? of_it : of_another) * belief[0];
          const double best =
              std::max({of_it * belief[named], of_another * belief[named == 0 ? 1 : 0], of_none * best_other});
          total.right += answered_share * best;
          total.changed += best > first ? answered_share * sent : 0;
          total.nats +=
              answered_share * (of_it * belief[named] * std::log(of_it) + of_another * rest * std::log(of_another) +
                                of_none * others * std::log(of_none) - sent * std::log(sent));
        }
      }
    }
  }
  return total;
}

Forecast Forecaster::at(double people) const {
  Forecast forecast;
  const FeatureAssumptions& features = request_.features;
  forecast.teachers = teachers(people);
  for (const Channel& one : teaching_) forecast.information += one.share * one.information;
  const auto changed_by = [&](double separability) { return change(own_ * taught(forecast.teachers, separability)); };
  forecast.taught = right_share(taught(forecast.teachers, features.separability), believed_.classes);
  forecast.taught_clean = right_share(features.separability, believed_.classes);
  forecast.control = control_;
  const double factor = std::exp(kDeviations * std::hypot(features.doubt, request_.at_home ? kHomeDoubt : 0));
  const std::array<double, 2> between =
      features.between.value_or(std::array{features.separability / factor, features.separability * factor});
  const Change middle = changed_by(features.separability);
  const auto most_plausible =
      reached(kMostPlausible, 0, 40, [&](double one) { return right_share(one, believed_.classes); });
  const Change less = features.known ? changed_by(between[0]) : Change{};
  const Change more = features.known ? changed_by(between[1]) : change(taught(forecast.teachers, most_plausible));
  forecast.asked = middle.asked;
  // Who is judged is chance too: who is of another class now, and what answers add to the log-loss.
  const double judged = std::max(1.0, people * (1 - request_.labelled));
  const auto expected = [&](double unit, double Change::*what, double variance) {
    const double chance = kDeviations * std::sqrt(variance / judged);
    const double value = middle.*what;
    return Expected{unit * value, unit * (value - std::hypot(value - less.*what, chance)),
                    unit * (value + std::hypot(more.*what - value, chance))};
  };
  forecast.points = expected(100, &Change::right, middle.changed);
  forecast.nats = expected(1, &Change::nats, 2 * middle.nats);
  return forecast;
}

double Forecaster::points_at(double people) const {
  return 100 * change(own_ * taught(teachers(people), request_.features.separability)).right;
}

double Forecaster::most_points() const {
  return request_.features.known ? points_at(kMostPeople) : at(kMostPeople).points.high;
}

std::optional<double> Forecaster::people_for(double points) const {
  if (most_points() < points) return std::nullopt;
  return std::exp(reached(points, 0, std::log(kMostPeople), [&](double one) { return points_at(std::exp(one)); }));
}

Beliefs beliefs_to_ask(const Beliefs& structure, std::span<const std::int32_t> labels, const graph::Split& split) {
  std::vector<bool> labelled(structure.people(), false);
  for (const std::uint32_t person : split.train) labelled[person] = true;
  for (const std::uint32_t person : split.validation) labelled[person] = true;
  std::vector<std::uint32_t> others;
  for (std::uint32_t person = 0; person < structure.people(); ++person) {
    if (!labelled[person]) others.push_back(person);
  }
  std::vector<std::uint32_t> some;
  const std::size_t count = std::min(kMostBelieved, others.size());
  for (std::size_t i = 0; i < count; ++i) some.push_back(others[i * others.size() / count]);
  const double accuracy = quality_of(structure, labels, split.validation).accuracy;
  return as_sure_as(accuracy, rows_of(structure, split.validation), rows_of(structure, some));
}

Result<Beliefs> imagined_beliefs(std::size_t classes, double accuracy) {
  if (Result<void> checked = check_accuracy("graph accuracy", accuracy, classes); !checked) return checked.error();
  // Scores of each class, of the own one higher, and some people about whom the graph misleads.
  std::vector<double> noise;
  for (std::size_t person = 0; person < kImagined; ++person) {
    seeded::SeededStream bits(0, seeded::Purpose::imagine, person);
    const auto uniform = [&] { return std::ldexp(static_cast<double>((bits.next() >> 11) + 1), -53); };
    for (std::size_t c = 0; c < classes; ++c) {
      const double length = std::sqrt(-2 * std::log(uniform()));
      noise.push_back(length * std::cos(2 * std::numbers::pi * uniform()));
    }
  }
  const double misled = kMisled * (1 - accuracy);
  std::vector<double> row(classes);
  const auto beliefs_at = [&](double lead) {
    Beliefs beliefs{classes, std::vector<float>(kImagined * classes)};
    for (std::size_t person = 0; person < kImagined; ++person) {
      for (std::size_t c = 0; c < classes; ++c) row[c] = lead * (noise[person * classes + c] + (c == 0 ? lead : 0));
      normalise(row);
      std::transform(row.begin(), row.end(), beliefs.of(person).begin(), [&](double one) {
        return static_cast<float>((1 - misled) * one + misled / static_cast<double>(classes));
      });
    }
    return beliefs;
  };
  return beliefs_at(reached(accuracy, 0, 100, [&](double lead) { return sureness(beliefs_at(lead)); }));
}

}  // namespace ppgnn::teach
