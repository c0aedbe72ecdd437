#include "ppgnn/teach/asking.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "ppgnn/ldp/answer_response.hpp"
#include "teach/climber.hpp"
#include "teach/odds.hpp"

namespace ppgnn::teach {

namespace {

// Standard deviations of the priors: of how much likelier the own class is to be named, of each pair's own deviation
// from that, and of how usual each level of confidence is.
constexpr double kRight = 1;
constexpr double kPair = .3;
constexpr double kConfidence = 2;
constexpr int kDescentSteps = 300;
constexpr double kRate = .03;
constexpr double kLeastEdges = .5;

// The most that an answer may tell of somebody.
double most_told(const ldp::Plan& plan, const ldp::Level* level) {
  const std::vector<double>& losses = plan.certificate().features;
  if (plan.tables().secrecy == ldp::LevelSecrecy::public_level && level != nullptr) {
    return losses[static_cast<std::uint32_t>(*level) - 1];
  }
  return *std::max_element(losses.begin(), losses.end());
}

}  // namespace

Result<ldp::Questions> questions_for(const ldp::Plan& plan, const Beliefs& beliefs,
                                     std::span<const std::uint32_t> people, std::span<const ldp::Level> levels) {
  const auto mismatch = [](std::string message) { return Error{ErrorCode::mismatch, std::move(message)}; };
  if (!plan.tables().model) return mismatch("plan: asks no question");
  const ldp::QuestionModel& model = *plan.tables().model;
  if (model.classes.size() != beliefs.classes) return mismatch("plan: asks about other classes");
  std::uint32_t choices = 2;
  for (const ldp::PlanLevel& level : plan.levels()) choices = std::max(choices, level.outcomes / model.confidences());
  ldp::Questions questions(beliefs.people());
  std::vector<std::uint16_t> order(beliefs.classes);
  for (const std::uint32_t person : people) {
    const auto believed = beliefs.of(person);
    std::iota(order.begin(), order.end(), std::uint16_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint16_t a, std::uint16_t b) { return believed[a] > believed[b]; });
    const double lead =
        std::log(static_cast<double>(believed[order[0]]) / std::max(1e-12, static_cast<double>(believed[order[1]])));
    if (lead > most_told(plan, levels.empty() ? nullptr : &levels[person])) continue;
    Result<ldp::Question> question = ldp::Question::make(model, {order.begin(), order.begin() + choices});
    if (!question) return question.error();
    questions[person] = std::move(question).value();
  }
  return questions;
}

AnswerModel::AnswerModel(const ldp::Plan& plan)
    : estimator_(plan.tables()),
      classes_(plan.tables().model->classes.size()),
      confidences_(plan.tables().model->confidences()),
      weights_(confidences_ * classes_ * classes_) {}

std::optional<AnswerModel::Answer> AnswerModel::answer(const ldp::Report& report,
                                                       const std::optional<ldp::Question>& question) const {
  if (!question || !ldp::AnswerResponse::answers(report, *question)) return std::nullopt;
  const std::size_t one = estimator_.case_of(report.reported_level);
  const std::size_t choices = estimator_.shape(one).outcomes / confidences_;
  return Answer{std::span(question->classes()).first(choices), report.outcomes.front(),
                odds_of(estimator_.gain(one), estimator_.shape(one))};
}

AnswerModel::Chance AnswerModel::chance(const Answer& answer, std::size_t own) const {
  Chance chance;
  for (std::size_t k = 0; k < confidences_; ++k) {
    for (std::size_t i = 0; i < answer.classes.size(); ++i) {
      const double one = weight(k, own, answer.classes[i]);
      chance.all += one;
      if (k * answer.classes.size() + i == answer.outcome) chance.sent = one;
    }
  }
  return chance;
}

void AnswerModel::add_gradient(const Answer& answer, std::size_t own, std::vector<double>& gradient) const {
  const Chance found = chance(answer, own);
  const double sent = found.sent / found.all;
  const double scale = answer.odds / (1 + answer.odds * sent);
  for (std::size_t k = 0; k < confidences_; ++k) {
    for (std::size_t i = 0; i < answer.classes.size(); ++i) {
      const double share = weight(k, own, answer.classes[i]) / found.all;
      const double is_sent = k * answer.classes.size() + i == answer.outcome ? 1 : 0;
      gradient[(k * classes_ + own) * classes_ + answer.classes[i]] += scale * share * (is_sent - sent);
    }
  }
}

AnswerModel AnswerModel::fit(const ldp::Plan& plan, const ldp::Questions& questions,
                             std::span<const ldp::NodeReport> answers, std::span<const std::int32_t> labels) {
  AnswerModel model(plan);
  const std::size_t pairs = model.weights_.size();
  const std::size_t levels = model.confidences_;
  std::vector<std::pair<Answer, std::size_t>> told;  // of people whose class is known
  for (const auto& [node, report] : answers) {
    if (labels[node] < 0) continue;
    const std::optional<Answer> given = model.answer(report, questions[node]);
    if (given) told.emplace_back(*given, static_cast<std::size_t>(labels[node]));
  }
  // First how likely the own class is and how usual each confidence, then what each pair differs by.
  std::vector<double> at(2 * levels + pairs);
  std::vector<double> gradient(at.size());
  std::vector<double> pair_gradient(pairs);
  Climber climber(at.size(), kRate);
  for (int step = 0; step < kDescentSteps; ++step) {
    for (std::size_t k = 0; k < levels; ++k) {
      for (std::size_t own = 0; own < model.classes_; ++own) {
        for (std::size_t named = 0; named < model.classes_; ++named) {
          const std::size_t pair = (k * model.classes_ + own) * model.classes_ + named;
          model.weights_[pair] = std::exp((own == named ? at[k] : 0) + at[levels + k] + at[2 * levels + pair]);
        }
      }
    }
    std::fill(pair_gradient.begin(), pair_gradient.end(), 0);
    for (const auto& [answer, own] : told) model.add_gradient(answer, own, pair_gradient);
    for (std::size_t k = 0; k < levels; ++k) {
      gradient[k] = -at[k] / (kRight * kRight);
      gradient[levels + k] = -at[levels + k] / (kConfidence * kConfidence);
      for (std::size_t own = 0; own < model.classes_; ++own) {
        for (std::size_t named = 0; named < model.classes_; ++named) {
          const double slope = pair_gradient[(k * model.classes_ + own) * model.classes_ + named];
          gradient[levels + k] += slope;
          if (own == named) gradient[k] += slope;
        }
      }
    }
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      gradient[2 * levels + pair] = pair_gradient[pair] - at[2 * levels + pair] / (kPair * kPair);
    }
    climber.step(gradient, at);
  }
  return model;
}

Beliefs AnswerModel::evidence(std::size_t people, const ldp::Questions& questions,
                              std::span<const ldp::NodeReport> answers) const {
  Beliefs evidence{classes_, std::vector<float>(people * classes_, 1 / static_cast<float>(classes_))};
  write_evidence(
      questions, answers, [](std::uint32_t) { return true; }, evidence);
  return evidence;
}

void AnswerModel::write_evidence(const ldp::Questions& questions, std::span<const ldp::NodeReport> answers,
                                 const std::function<bool(std::uint32_t person)>& only, Beliefs& into) const {
  std::vector<double> likelihood(classes_);
  for (const auto& [node, report] : answers) {
    if (!only(node)) continue;
    const std::optional<Answer> given = answer(report, questions[node]);
    if (!given) continue;
    for (std::size_t own = 0; own < classes_; ++own) {
      const Chance found = chance(*given, own);
      likelihood[own] = std::log1p(given->odds * (found.sent / found.all));
    }
    normalise(likelihood);
    std::copy(likelihood.begin(), likelihood.end(), into.of(node).begin());
  }
}

Beliefs spread_answers(const graph::Csr& graph, const Beliefs& beliefs, const Beliefs& evidence,
                       std::span<const std::int32_t> labels, std::span<const std::uint32_t> known) {
  const std::size_t classes = beliefs.classes;
  std::vector<bool> is_known(graph.rows(), false);
  for (const std::uint32_t person : known) is_known[person] = true;
  std::vector<double> shares(classes, 1);
  std::vector<double> pairs(classes * classes, kLeastEdges);  // of a class, how often neighbours are of each
  for (const std::uint32_t person : known) {
    const auto own = static_cast<std::size_t>(labels[person]);
    ++shares[own];
    for (const std::uint32_t neighbour : graph.row(person)) {
      if (is_known[neighbour] && neighbour != person)
        ++pairs[own * classes + static_cast<std::size_t>(labels[neighbour])];
    }
  }
  const double people = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (std::size_t own = 0; own < classes; ++own) {
    shares[own] /= people;
    const auto row = std::span(pairs).subspan(own * classes, classes);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    for (double& one : row) one /= sum;
  }
  // What each person says of a neighbour, as logarithms: the same to all of them.
  std::vector<double> tells(beliefs.values.size());
  for (std::size_t person = 0; person < graph.rows(); ++person) {
    if (is_known[person]) continue;
    for (std::size_t own = 0; own < classes; ++own) {
      double heard = 0;
      double all = 0;
      for (std::size_t c = 0; c < classes; ++c) {
        const double weight = static_cast<double>(beliefs.of(person)[c]) * pairs[own * classes + c] / shares[c];
        heard += weight * static_cast<double>(evidence.of(person)[c]);
        all += weight;
      }
      tells[person * classes + own] = std::log(std::max(1e-12, heard / all));
    }
  }
  Beliefs said{classes, std::vector<float>(beliefs.values.size())};
  std::vector<double> logarithms(classes);
  for (std::size_t person = 0; person < graph.rows(); ++person) {
    std::fill(logarithms.begin(), logarithms.end(), 0);
    for (const std::uint32_t neighbour : graph.row(person)) {
      if (is_known[neighbour] || neighbour == person) continue;  // stored self-loops are no neighbours
      for (std::size_t own = 0; own < classes; ++own) logarithms[own] += tells[neighbour * classes + own];
    }
    normalise(logarithms);
    std::copy(logarithms.begin(), logarithms.end(), said.of(person).begin());
  }
  return said;
}

}  // namespace ppgnn::teach
