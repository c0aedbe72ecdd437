#include "ppgnn/teach/home.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "ppgnn/ldp/answer_response.hpp"
#include "ppgnn/ldp/estimate.hpp"
#include "teach/direction_teacher.hpp"
#include "teach/home_bins.hpp"

namespace ppgnn::teach {

namespace {

constexpr std::size_t kPilotShare = 5;  // one in so many of the validation people
constexpr double kNat = 256;            // of odds
constexpr double kLeastOdds = -32767;
constexpr double kStepWidth = .625;  // in nats of the lead that coarse hints tell apart
constexpr const char* kEverybodyTeaches =
    "everybody but the people who calibrate: who has no label teaches as what the graph says of them, and devices "
    "decide";
constexpr const char* kCalibrates =
    "people whose class is known and of whom the graph is least sure: their reports show what features are worth";

double logarithm(float probability) noexcept {
  return std::log(std::max(1e-7, static_cast<double>(probability)));
}

// The two likeliest classes, the likeliest first, of equals the first.
std::pair<std::uint16_t, std::uint16_t> top_two(std::span<const float> believed) {
  std::size_t first = 0;
  std::size_t second = 1;
  for (std::size_t c = 1; c < believed.size(); ++c) {
    if (believed[c] > believed[first]) {
      second = std::exchange(first, c);
    } else if (c == 1 || believed[c] > believed[second]) {
      second = c;
    }
  }
  return {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(second)};
}

double lead_of(std::span<const float> believed) {
  const auto [first, second] = top_two(believed);
  return logarithm(believed[first]) - logarithm(believed[second]);
}

std::size_t step_at(double lead) {
  return std::min(ldp::kHintSteps - 1, static_cast<std::size_t>(std::max(0.0, lead) / kStepWidth));
}

std::int16_t odds_in_units(double nats) {
  return static_cast<std::int16_t>(std::clamp(std::round(kNat * nats), kLeastOdds, 0.0));
}

// What the people of a step are believed to be on average.
void set_steps(const Beliefs& beliefs, ldp::DecisionScale& scale) {
  struct Mean {
    double first, second, others;
  };
  std::array<Mean, ldp::kHintSteps> means{};
  for (std::size_t i = 0; i < means.size(); ++i) {  // a person or so, where there is nobody
    const double second = std::exp(-(static_cast<double>(i) + .5) * kStepWidth);
    means[i] = {1, second, .1 * second};
  }
  for (std::size_t person = 0; person < beliefs.people(); ++person) {
    const auto own = beliefs.of(person);
    const auto [first, second] = top_two(own);
    Mean& mean = means[step_at(logarithm(own[first]) - logarithm(own[second]))];
    mean.first += static_cast<double>(own[first]);
    mean.second += static_cast<double>(own[second]);
    mean.others += std::max(0.0, 1 - static_cast<double>(own[first]) - static_cast<double>(own[second]));
  }
  const double others = std::max<double>(1, static_cast<double>(beliefs.classes) - 2);
  for (std::size_t i = 0; i < means.size(); ++i) {
    scale.second[i] = odds_in_units(std::log(means[i].second / means[i].first));
    scale.others[i] = odds_in_units(std::log(std::max(1e-7, means[i].others / others / means[i].first)));
  }
}

std::vector<std::int16_t> usual_of(const Beliefs& beliefs) {
  std::vector<double> shares(beliefs.classes, 1);
  for (std::size_t person = 0; person < beliefs.people(); ++person) {
    for (std::size_t c = 0; c < beliefs.classes; ++c) shares[c] += static_cast<double>(beliefs.of(person)[c]);
  }
  const double most = *std::max_element(shares.begin(), shares.end());
  std::vector<std::int16_t> usual;
  usual.reserve(shares.size());
  for (const double share : shares) usual.push_back(odds_in_units(std::log(share / most)));
  return usual;
}

// What a report of the plan tells, in nats, over levels.
double information_of(const ldp::Plan& plan) {
  const ldp::Estimator estimator(plan.tables());
  double all = 0;
  for (std::size_t i = 0; i < estimator.cases(); ++i) {
    all += estimator.probability(i) * ldp::AnswerResponse::information(estimator.gain(i), estimator.shape(i));
  }
  return all;
}

}  // namespace

std::vector<graph::NodeId> home_pilots(const Beliefs& beliefs, std::span<const graph::NodeId> validation) {
  std::vector<std::pair<double, graph::NodeId>> by_lead;
  for (const graph::NodeId person : validation) by_lead.emplace_back(lead_of(beliefs.of(person)), person);
  std::sort(by_lead.begin(), by_lead.end());
  std::vector<graph::NodeId> pilots;
  for (std::size_t i = 0; i < by_lead.size() / kPilotShare; ++i) pilots.push_back(by_lead[i].second);
  std::sort(pilots.begin(), pilots.end());
  return pilots;
}

Result<ldp::Plan> home_teaching_plan(ldp::PlanRequest request, const std::string& campaign) {
  const Result<ldp::Plan> plan = teaching_plan(std::move(request), campaign, {});
  if (!plan) return plan.error();
  ldp::PlanTables tables = plan->tables();
  tables.campaign->rule = kEverybodyTeaches;
  return ldp::Plan::make(std::move(tables));
}

bool decides_at_home(const ldp::Plan& teaching) noexcept {
  const auto& campaign = teaching.tables().campaign;
  return campaign && campaign->role == ldp::Role::teach && campaign->rule == kEverybodyTeaches;
}

std::vector<std::uint8_t> befriended(const graph::Dataset& dataset, const graph::Split& split, bool all_labels,
                                     std::size_t least) {
  std::vector<std::uint8_t> known(dataset.num_nodes(), 0);
  for (const graph::NodeId person : split.train) known[person] = 1;
  if (all_labels) {
    for (const graph::NodeId person : split.validation) known[person] = 1;
  }
  std::vector<std::uint8_t> enough(dataset.num_nodes(), 0);
  for (std::size_t person = 0; person < dataset.num_nodes(); ++person) {
    const auto row = dataset.graph.row(person);
    const auto friends =
        std::count_if(row.begin(), row.end(), [&](graph::NodeId one) { return one != person && known[one] != 0; });
    enough[person] = static_cast<std::uint8_t>(static_cast<std::size_t>(friends) >= least);
  }
  return enough;
}

Beliefs taught_as(const Beliefs& beliefs, std::span<const std::int32_t> labels, const graph::Split& split) {
  Beliefs as = beliefs;
  for (const auto* part : {&split.train, &split.validation}) {
    for (const graph::NodeId person : *part) {
      const auto own = as.of(person);
      std::fill(own.begin(), own.end(), 0.F);
      own[static_cast<std::size_t>(labels[person])] = 1;
    }
  }
  return as;
}

HomeModel home_model(const TaughtModel& taught, const graph::StringList& class_names, std::size_t words,
                     std::uint64_t length, std::uint64_t seed) {
  HomeModel home{question_model(taught, class_names, words, seed), 0, 0, taught.trust};
  home.unit = kUsualLeads * static_cast<double>(home.model.confident.front());
  home.model.confident.clear();
  double largest = 0;
  for (const double effect : taught.effects) largest = std::max(largest, std::abs(effect));
  const bool directions = taught.shares.empty();
  const double columns = static_cast<double>(taught.columns());
  home.nats = largest / 32767 * (directions ? columns * longer(taught.columns()) : static_cast<double>(words));
  home.model.length = directions ? 0 : std::min(length, ldp::kMaxLength);
  return home;
}

Result<Asking> ask_home_pilots(const HomeModel& home, const ldp::Plan& teaching, const Beliefs& beliefs,
                               std::span<const graph::NodeId> pilots) {
  const ldp::PlanTables& before = teaching.tables();
  ldp::PlanRequest request;
  request.columns = before.schema.groups();
  request.kind = ldp::AnswerResponse::kKind;
  for (const ldp::PlanLevel& level : before.levels) {
    request.budgets.push_back(level.budget);
    request.prior.push_back(level.prior);
  }
  request.secrecy = before.secrecy;
  if (before.secrecy == ldp::LevelSecrecy::protected_level) request.level_budget = before.level_budget;
  request.campaign = ldp::Campaign{before.campaign->name, ldp::Role::pilot, kCalibrates, {}};
  std::optional<ldp::Plan> best;
  for (const std::size_t confidences : kPilotConfidences) {
    request.model = home.model;
    for (const double edge : edges_of(confidences)) {
      const auto lead = static_cast<std::uint32_t>(std::max(1.0, std::round(edge * home.unit)));
      if (request.model->confident.empty() || lead > request.model->confident.back()) {
        request.model->confident.push_back(lead);
      }
    }
    if (request.model->confidences() != confidences) continue;  // leads of a weight or two
    request.shape.outcomes = static_cast<std::uint32_t>(2 * confidences);
    Result<ldp::Plan> plan = ldp::make_plan(request);
    if (!plan) return plan.error();
    if (!best || information_of(*plan) > information_of(*best)) best = std::move(plan).value();
  }
  Asking asking{std::move(*best), ldp::Questions(beliefs.people())};
  for (const graph::NodeId person : pilots) {
    const auto [first, second] = top_two(beliefs.of(person));
    Result<ldp::Question> question = ldp::Question::make(*asking.plan.tables().model, {first, second});
    if (!question) return question.error();
    asking.questions[person] = std::move(question).value();
  }
  return asking;
}

Result<ldp::PublishedModel> publish(const HomeModel& home, double weight, const ldp::Plan& teaching,
                                    const Beliefs& beliefs, ldp::HintKind hint) {
  ldp::DecisionScale scale;
  scale.usual = usual_of(beliefs);
  scale.hint = hint;
  ldp::DecisionTables tables{std::move(scale), teaching.tables().campaign->name, teaching.schema(), home.model};
  constexpr double kMost = 4294967295.0;
  tables.evidence = static_cast<std::uint32_t>(std::clamp(std::round(std::ldexp(weight * home.nats, 32)), 0.0, kMost));
  if (hint == ldp::HintKind::coarse) set_steps(beliefs, tables);
  return ldp::PublishedModel::make(std::move(tables));
}

ldp::Hint hint_for(const ldp::PublishedModel& model, std::span<const float> believed) {
  const auto [first, second] = top_two(believed);
  if (model.tables().hint == ldp::HintKind::coarse) {
    const double lead = logarithm(believed[first]) - logarithm(believed[second]);
    return ldp::Hint::coarse(model, first, second, static_cast<std::uint8_t>(step_at(lead))).value();
  }
  std::vector<std::int16_t> odds;
  for (const float one : believed) odds.push_back(odds_in_units(logarithm(one) - logarithm(believed[first])));
  return ldp::Hint::full(model, odds).value();
}

}  // namespace ppgnn::teach
