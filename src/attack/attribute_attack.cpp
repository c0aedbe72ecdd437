#include "ppgnn/attack/attribute_attack.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "attack/attributes.hpp"
#include "ppgnn/kernels/threads.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"

namespace ppgnn::attack {

namespace {

using graph::NodeId;
using ldp_research::FeatureMechanism;
using ldp_research::NoisyRow;

constexpr std::size_t kTargetsPerTask = 1024;
constexpr double kCertain = 1e9;   // evidence of what is seen in the clear: outweighs any neighbours
constexpr double kStrongest = 40;  // of what one noisy report says: beyond it doubles end

Error invalid(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message)};
}

// What one report says about one column: ln P(report | value at the top) / P(report | at the bottom); 0 if nothing.
double evidence_in(const FeatureMechanism& mechanism, const NoisyRow& row, std::uint32_t column) {
  std::size_t index = column;
  if (!row.columns.empty()) {
    const auto at = std::lower_bound(row.columns.begin(), row.columns.end(), column);
    if (at == row.columns.end() || *at != column) return 0;
    index = static_cast<std::size_t>(at - row.columns.begin());
  }
  return std::clamp(mechanism.log_ratio(row, index), -kStrongest, kStrongest);
}

struct Target {
  NodeId person = 0;
  std::uint32_t column = 0;
  bool one = false;
};

std::vector<Target> choose_targets(const Attributes& attributes, std::uint64_t targets, std::uint64_t seed,
                                   std::uint64_t run) {
  std::vector<Target> chosen;
  seeded::SeededStream bits(seed, seeded::Purpose::attack, run);
  for (const bool one : {true, false}) {
    const std::uint64_t total = attributes.total(one);
    const std::uint64_t wanted = std::min(total, std::max<std::uint64_t>(1, targets / 2));
    for (std::uint64_t i = 0; i < wanted; ++i) {
      const auto [person, column] = attributes.find(one, wanted == total ? i : random::below(total, bits));
      chosen.push_back({person, column, one});
    }
  }
  return chosen;
}

// What an attack says of the targets.
struct Opinion {
  std::vector<double> evidence;   // above 0: rather a one
  std::vector<double> posterior;  // with the prior
  std::vector<double> guess;      // 1, 0, or 1/2 for a coin toss
};

// All pairs of person and column, of everybody or of the people at one level.
struct Pairs {
  double ones = 0;
  double zeros = 0;

  [[nodiscard]] double share(bool one) const noexcept { return (one ? ones : zeros) / std::max(1.0, ones + zeros); }
};

double decision_of(double evidence) noexcept {
  if (evidence == 0) return .5;
  return evidence > 0 ? 1 : 0;
}

class Scorer {
 public:
  Scorer(std::span<const Target> targets, std::span<const double> prior_log_odds)
      : targets_(targets), prior_(prior_log_odds) {}

  [[nodiscard]] AttackScore score(const Opinion& opinion, std::span<const std::uint32_t> chosen,
                                  const Pairs& pairs) const {
    AttackScore score;
    score_accuracy(opinion, chosen, pairs, score);
    score_rates(opinion, chosen, score);
    std::vector<Judged> judged;
    judged.reserve(chosen.size());
    for (const std::uint32_t i : chosen) {
      judged.push_back({targets_[i].column, targets_[i].one, opinion.evidence[i]});
    }
    score.auc = auc(judged);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      judged[k].column = 0;
      judged[k].score = opinion.posterior[chosen[k]];
    }
    score.auc_with_prior = auc(std::move(judged));
    return score;
  }

 private:
  // Ones and zeros by their shares among all pairs; the advantage over the prior's guess at the same targets.
  void score_accuracy(const Opinion& opinion, std::span<const std::uint32_t> chosen, const Pairs& pairs,
                      AttackScore& score) const {
    for (const std::uint32_t i : chosen) ++(targets_[i].one ? score.ones : score.zeros);
    for (const std::uint32_t i : chosen) {
      const bool one = targets_[i].one;
      const double weight = pairs.share(one) / static_cast<double>(one ? score.ones : score.zeros);
      const double prior_guess = prior_[targets_[i].column] > 0 ? 1 : 0;
      score.accuracy += weight * (one ? opinion.guess[i] : 1 - opinion.guess[i]);
      score.advantage += weight * (one ? opinion.guess[i] - prior_guess : prior_guess - opinion.guess[i]);
    }
  }

  // Rates within columns, a column weighing as much as it has pairs of a one and a zero: so a column's frequency, which
  // anybody knows, counts for nothing.
  void score_rates(const Opinion& opinion, std::span<const std::uint32_t> chosen, AttackScore& score) const {
    struct Column {
      double ones = 0, zeros = 0, ones_called_one = 0, zeros_called_one = 0;
    };
    std::vector<Column> columns(prior_.size());
    for (const std::uint32_t i : chosen) {
      Column& column = columns[targets_[i].column];
      const double decision = decision_of(opinion.evidence[i]);
      (targets_[i].one ? column.ones : column.zeros) += 1;
      (targets_[i].one ? column.ones_called_one : column.zeros_called_one) += decision;
    }
    double weights = 0;
    double true_positives = 0;
    double false_positives = 0;
    for (const Column& column : columns) {
      weights += column.ones * column.zeros;
      true_positives += column.zeros * column.ones_called_one;
      false_positives += column.ones * column.zeros_called_one;
    }
    if (weights == 0) return;
    score.true_positive_rate = true_positives / weights;
    score.false_positive_rate = false_positives / weights;
    score.balanced_accuracy = (1 + score.true_positive_rate - score.false_positive_rate) / 2;
  }

  std::span<const Target> targets_;
  std::span<const double> prior_;
};

// ln P(report | target is 1) / P(report | target is 0) of a neighbour's report whose own ratio is e^own: the neighbour
// has the target's bit with probability `homophily`, else one of its own by the column's share.
double through_edge(double own, double share, double homophily) noexcept {
  if (own == 0) return 0;
  const double if_one = homophily + (1 - homophily) * share;
  const double if_zero = (1 - homophily) * share;
  const double odds = std::exp(std::clamp(own, -kStrongest, kStrongest));
  return std::log((if_one * odds + 1 - if_one) / (if_zero * odds + 1 - if_zero));
}

// What the attacker is granted.
struct Granted {
  std::span<const double> shares;  // of ones, by column
  std::span<const double> prior;   // log-odds of a one, by column
  double homophily = 0;
};

struct Opinions {
  std::array<Opinion, kViews.size()> views;
  Opinion vote;
};

template <class EvidenceOf>
Opinions form_opinions(const graph::Csr& graph, std::span<const Target> targets, const Granted& granted,
                       const EvidenceOf& evidence_of, const kernels::Threads& threads) {
  Opinions opinions;
  const auto resize = [&](Opinion& opinion) {
    for (auto* values : {&opinion.evidence, &opinion.posterior, &opinion.guess}) values->resize(targets.size());
  };
  for (Opinion& opinion : opinions.views) resize(opinion);
  resize(opinions.vote);
  threads.for_each(kernels::tasks_of(targets.size(), kTargetsPerTask), [&](std::size_t task) {
    const std::size_t end = std::min(targets.size(), (task + 1) * kTargetsPerTask);
    for (std::size_t i = task * kTargetsPerTask; i < end; ++i) {
      const auto [person, column, one] = targets[i];
      double votes = 0;
      double neighbours = 0;
      for (const NodeId other : graph.row(person)) {
        if (other == person) continue;
        const double said = evidence_of(other, column);
        if (said != 0) votes += said > 0 ? 1 : -1;
        if (granted.homophily > 0) neighbours += through_edge(said, granted.shares[column], granted.homophily);
      }
      const double own = evidence_of(person, column);
      const std::array seen{0.0, own, neighbours, own + neighbours};
      for (std::size_t view = 0; view < seen.size(); ++view) {
        Opinion& opinion = opinions.views[view];
        opinion.evidence[i] = seen[view];
        opinion.posterior[i] = granted.prior[column] + seen[view];
        opinion.guess[i] = opinion.posterior[i] > 0 ? 1 : 0;
      }
      opinions.vote.evidence[i] = opinions.vote.posterior[i] = votes;
      opinions.vote.guess[i] = decision_of(votes);
    }
  });
  return opinions;
}

// Scores of the chosen targets, into an AttackResult or a LevelScores.
template <class Scores>
void score_all(const Scorer& scorer, const Opinions& opinions, std::span<const std::uint32_t> chosen, const Pairs& all,
               Scores& into) {
  into.majority = scorer.score(opinions.vote, chosen, all);
  for (std::size_t view = 0; view < kViews.size(); ++view) {
    into.views[view] = scorer.score(opinions.views[view], chosen, all);
  }
}

// Entry 0: everybody; then one a level.
std::vector<Pairs> count_pairs(const Attributes& attributes, std::span<const ldp::Level> levels,
                               std::size_t num_levels) {
  std::vector<Pairs> pairs(num_levels + 1);
  std::vector<double> ones(attributes.people(), 0);
  double absent_ones = 0;
  for (std::size_t column = 0; column < attributes.columns(); ++column) {
    absent_ones += attributes.absent(column) ? 1 : 0;
    for (const NodeId person : attributes.marked(column)) ones[person] += attributes.absent(column) ? -1 : 1;
  }
  const auto columns = static_cast<double>(attributes.columns());
  for (std::size_t person = 0; person < ones.size(); ++person) {
    for (Pairs* group : {pairs.data(), &pairs[static_cast<std::uint32_t>(levels[person])]}) {
      group->ones += absent_ones + ones[person];
      group->zeros += columns - absent_ones - ones[person];
    }
  }
  return pairs;
}

void add_metrics(const std::string& prefix, const AttackScore& score, std::map<std::string, double>& metrics) {
  metrics[prefix + "accuracy"] = score.accuracy;
  metrics[prefix + "advantage"] = score.advantage;
  metrics[prefix + "balanced_accuracy"] = score.balanced_accuracy;
  metrics[prefix + "true_positive_rate"] = score.true_positive_rate;
  metrics[prefix + "false_positive_rate"] = score.false_positive_rate;
  metrics[prefix + "auc"] = score.auc;
  metrics[prefix + "auc_with_prior"] = score.auc_with_prior;
}

Result<void> check_input(const graph::Dataset& dataset, const simulate::Source& source,
                         const population::Devices& devices, const AttackOptions& options) {
  if (dataset.num_nodes() == 0) return invalid("data: there are no people");
  if (dataset.features.cols() == 0) return invalid("data: " + dataset.name + " has no features");
  if (options.targets < 2) return invalid("targets: must be at least 2, but is " + std::to_string(options.targets));
  if (devices.levels.size() != dataset.num_nodes() || devices.features->rows() != dataset.num_nodes()) {
    return Error{ErrorCode::mismatch, "levels: there must be one per person"};
  }
  for (const ldp::Level level : devices.levels) {
    if (static_cast<std::uint32_t>(level) - 1 >= source.budgets().size()) {
      return Error{ErrorCode::mismatch, "levels: must be between 1 and " + std::to_string(source.budgets().size())};
    }
  }
  return {};
}

}  // namespace

std::string_view to_text(View view) noexcept {
  switch (view) {
    case View::none:
      return "none";
    case View::own:
      return "own";
    case View::neighbours:
      return "neighbours";
    case View::both:
      break;
  }
  return "both";
}

std::map<std::string, double> AttackResult::metrics() const {
  std::map<std::string, double> metrics{{"ones_share", ones_share}, {"homophily", homophily}};
  const auto add = [&](const std::string& prefix, const AttackScore& vote, const auto& seen) {
    add_metrics(prefix + "majority.", vote, metrics);
    for (const View view : kViews) {
      add_metrics(prefix + std::string(to_text(view)) + ".", seen[static_cast<std::size_t>(view)], metrics);
    }
  };
  add("", majority, views);
  for (std::size_t i = 0; i < by_level.size(); ++i) {
    if (by_level[i].majority.ones + by_level[i].majority.zeros == 0) continue;  // nobody is at this level
    const std::string prefix = "level" + std::to_string(i + 1) + ".";
    add(prefix, by_level[i].majority, by_level[i].views);
    metrics[prefix + "own_bound"] = by_level[i].own_bound;
  }
  return metrics;
}

double auc(std::vector<Judged> judged) {
  std::sort(judged.begin(), judged.end(), [](const Judged& a, const Judged& b) {
    return a.column != b.column ? a.column < b.column : a.score < b.score;
  });
  double pairs = 0;
  double won = 0;
  for (std::size_t begin = 0; begin < judged.size();) {
    const std::uint32_t column = judged[begin].column;
    double ones = 0;
    double zeros = 0;  // so far, in this column
    std::size_t at = begin;
    while (at < judged.size() && judged[at].column == column) {
      double tied_ones = 0;
      double tied_zeros = 0;
      const double score = judged[at].score;
      for (; at < judged.size() && judged[at].column == column && judged[at].score == score; ++at) {
        (judged[at].one ? tied_ones : tied_zeros) += 1;
      }
      won += tied_ones * (zeros + tied_zeros / 2);
      ones += tied_ones;
      zeros += tied_zeros;
    }
    pairs += ones * zeros;
    begin = at;
  }
  return pairs > 0 ? won / pairs : .5;
}

Result<AttackResult> infer_attributes(const graph::Dataset& dataset, const simulate::Source& source,
                                      const population::Devices& devices, const AttackOptions& options) {
  if (Result<void> valid = check_input(dataset, source, devices, options); !valid) return valid.error();
  const kernels::Threads threads(options.threads);
  const Attributes attributes(*devices.features);
  AttackResult result;
  result.homophily = homophily_of(dataset.graph, attributes);
  std::vector<double> shares(attributes.columns());
  std::vector<double> prior(attributes.columns());
  for (std::size_t column = 0; column < shares.size(); ++column) {
    // Half a person more on either side: nobody is certain of somebody from a column of equal values.
    shares[column] =
        (static_cast<double>(attributes.count(column, true)) + .5) / (static_cast<double>(attributes.people()) + 1);
    prior[column] = std::log(shares[column] / (1 - shares[column]));
  }

  const std::vector<Target> targets = choose_targets(attributes, options.targets, devices.seed, devices.run);
  const FeatureMechanism* mechanism = source.perturbation();
  const std::vector<NoisyRow> rows =
      mechanism != nullptr ? simulate::simulate_rows(*mechanism, devices, threads) : std::vector<NoisyRow>{};
  const auto evidence_of = [&](NodeId person, std::uint32_t column) {
    if (mechanism == nullptr) return attributes.bit(person, column) ? kCertain : -kCertain;
    return evidence_in(*mechanism, rows[person], column);
  };
  const Opinions opinions =
      form_opinions(dataset.graph, targets, {shares, prior, result.homophily}, evidence_of, threads);

  const std::size_t num_levels = source.budgets().size();
  const std::vector<Pairs> pairs = count_pairs(attributes, devices.levels, num_levels);
  result.ones_share = pairs[0].share(true);
  const Scorer scorer(targets, prior);
  std::vector<std::uint32_t> everybody(targets.size());
  std::iota(everybody.begin(), everybody.end(), 0U);
  score_all(scorer, opinions, everybody, pairs[0], result);
  if (mechanism == nullptr || mechanism->bound(ldp::Level{1}).level.empty()) return result;
  std::vector<std::vector<std::uint32_t>> at_level(num_levels);
  for (const std::uint32_t i : everybody) {
    at_level[static_cast<std::uint32_t>(devices.levels[targets[i].person]) - 1].push_back(i);
  }
  for (std::size_t level = 0; level < num_levels; ++level) {
    LevelScores& scores = result.by_level.emplace_back();
    const ldp_research::StatedBound bound = mechanism->bound(ldp::Level{static_cast<std::uint32_t>(level) + 1});
    scores.own_bound = 1 / (1 + std::exp(-bound.epsilon));
    score_all(scorer, opinions, at_level[level], pairs[level + 1], scores);
  }
  return result;
}

}  // namespace ppgnn::attack
