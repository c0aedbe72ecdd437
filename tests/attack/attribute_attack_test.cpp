#include "ppgnn/attack/attribute_attack.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ppgnn/graph/generator.hpp"
#include "ppgnn/ldp/sign_bits.hpp"
#include "ppgnn/population/levels.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "support/dense_features.hpp"

namespace ppgnn::attack {
namespace {

using graph::Edge;
using ldp::Level;

constexpr std::uint64_t kAll = std::uint64_t{1} << 40;  // more targets than any data set here has

// People by the columns they have.
graph::Dataset dataset_of(const std::vector<std::vector<std::uint32_t>>& people, std::size_t columns,
                          std::vector<Edge> edges) {
  graph::FeaturesBuilder builder;
  for (const auto& person : people) {
    std::vector<graph::FeaturesBuilder::Entry> entries;
    for (const std::uint32_t column : person) entries.push_back({column, 1});
    EXPECT_TRUE(builder.add_row(entries));
  }
  graph::Dataset dataset;
  dataset.name = "test";
  dataset.features = std::move(builder).finish(columns, graph::SchemaOrigin::declared).value();
  dataset.graph = graph::build_graph(people.size(), std::move(edges)).value();
  return dataset;
}

// Couples of people with the same four attributes, a fair coin each; every couple is an edge.
graph::Dataset couples(std::size_t count, bool self_loops = false) {
  std::vector<std::vector<std::uint32_t>> people;
  std::vector<Edge> edges;
  for (std::uint32_t couple = 0; couple < count; ++couple) {
    seeded::SeededStream bits(3, seeded::Purpose::test, couple);
    std::vector<std::uint32_t> person;
    for (std::uint32_t column = 0; column < 4; ++column) {
      if (random::below(2, bits) == 1) person.push_back(column);
    }
    people.insert(people.end(), 2, person);
    edges.push_back({2 * couple, 2 * couple + 1});
    if (self_loops) edges.push_back({2 * couple, 2 * couple});
  }
  return dataset_of(people, 4, std::move(edges));
}

AttackResult attack_on(const graph::Dataset& dataset, const simulate::SourceConfig& config,
                       std::uint64_t targets = kAll, std::uint64_t run = 0, std::size_t threads = 1) {
  const simulate::Source source = simulate::Source::make(dataset, config).value();
  const auto levels =
      population::choose_levels(population::LevelChoice::uniform, dataset.num_nodes(), config.budgets.size(), 1, run);
  const population::Devices devices{&dataset.features, levels, 1, run, source.content()};
  return infer_attributes(dataset, source, devices, {.targets = targets, .threads = threads}).value();
}

simulate::SourceConfig clean() {
  simulate::SourceConfig config;
  config.mechanism.clear();
  return config;
}

// Multi-bit on every column: a sign is right with probability (1 + tanh(budget / 2)) / 2.
simulate::SourceConfig all_four_columns(double budget_per_column) {
  simulate::SourceConfig config;
  config.mechanism = "mb";
  config.sampled = 4;
  config.budgets = {4 * budget_per_column};
  return config;
}

// Six standard errors of a balanced accuracy or AUC over `score`'s targets.
double six_errors(const AttackScore& score) {
  return 6 * std::sqrt(.25 / static_cast<double>(std::min(score.ones, score.zeros)));
}

TEST(Auc, MatchesAHandCalculation) {
  // Of the six pairs of a one {3, 1} and a zero {2, 1, 0}: 3 wins three times, 1 loses, ties and wins.
  EXPECT_DOUBLE_EQ(auc({{0, true, 3}, {0, true, 1}, {0, false, 2}, {0, false, 1}, {0, false, 0}}), 4.5 / 6);
  EXPECT_DOUBLE_EQ(auc({{0, true, 1}, {0, true, 1}, {0, false, 1}}), .5);
  EXPECT_DOUBLE_EQ(auc({{0, true, -1}, {0, false, 1}}), 0);
  // Only pairs of the same column count: one lost, two won, and a column without zeros.
  EXPECT_DOUBLE_EQ(auc({{0, true, 5}, {0, false, 6}, {1, true, 1}, {1, true, 2}, {1, false, 0}, {2, true, 9}}),
                   2.0 / 3);
  EXPECT_EQ(auc({}), .5);
  EXPECT_EQ(auc({{0, true, 1}, {1, false, 0}}), .5);
}

TEST(AttributeAttack, CleanNeighboursOfAPerfectlyHomophilousGraphTellEverything) {
  const AttackResult result = attack_on(couples(50), clean());
  EXPECT_GT(result.homophily, .99);
  for (const View view : {View::own, View::neighbours, View::both}) {
    EXPECT_EQ(result.view(view).balanced_accuracy, 1) << to_text(view);
    EXPECT_EQ(result.view(view).auc, 1) << to_text(view);
    EXPECT_NEAR(result.view(view).accuracy, 1, 1e-12) << to_text(view);
  }
  EXPECT_EQ(result.majority.balanced_accuracy, 1);
  EXPECT_NEAR(result.majority.accuracy, 1, 1e-12);
  // Without any report: the prior, no more.
  EXPECT_EQ(result.view(View::none).balanced_accuracy, .5);
  EXPECT_EQ(result.view(View::none).auc, .5);
  EXPECT_EQ(result.view(View::none).advantage, 0);
  EXPECT_EQ(result.majority.ones + result.majority.zeros, 400u);
}

// Four people in a row, one column, bits 1 1 0 0. Votes: 1, 1 and 0, 1 and 0, 0: right, coin, coin, right.
TEST(AttributeAttack, MajorityVoteByHand) {
  const AttackResult path = attack_on(dataset_of({{0}, {0}, {}, {}}, 1, {{0, 1}, {1, 2}, {2, 3}}), clean());
  EXPECT_DOUBLE_EQ(path.majority.accuracy, .75);
  EXPECT_DOUBLE_EQ(path.majority.advantage, .25);
  EXPECT_DOUBLE_EQ(path.majority.balanced_accuracy, .75);
  EXPECT_DOUBLE_EQ(path.majority.auc, (1 + 1 + 1 + .5) / 4);
  // Shares 1/2, three edges: (1 - 1 + 1) / 3.
  EXPECT_NEAR(path.homophily, 1.0 / 3, 1e-12);
  // Nobody to vote: a coin for everybody.
  const AttackResult alone = attack_on(dataset_of({{0}, {}, {}, {}}, 1, {}), clean());
  EXPECT_DOUBLE_EQ(alone.majority.accuracy, .5);
  EXPECT_DOUBLE_EQ(alone.view(View::none).accuracy, .75);
  EXPECT_DOUBLE_EQ(alone.view(View::neighbours).accuracy, .75);
  EXPECT_EQ(alone.view(View::neighbours).auc, .5);
  EXPECT_EQ(alone.homophily, 0);
}

// Rare ones: the vote's accuracy is high and worth nothing, which accuracy alone does not show.
TEST(AttributeAttack, RareOnesMakeAccuracyHighAndWorthless) {
  std::vector<std::vector<std::uint32_t>> people(100);
  people[0] = {0};
  std::vector<Edge> ring;
  for (std::uint32_t i = 0; i < 100; ++i) ring.push_back({i, (i + 1) % 100});
  const AttackResult result = attack_on(dataset_of(people, 1, ring), clean());
  EXPECT_GT(result.majority.accuracy, .97);
  EXPECT_LT(result.majority.advantage, 0);
  EXPECT_LT(result.majority.balanced_accuracy, .5);
}

// Against every pair of person and column, written a second time on dense rows; and few targets agree on average.
TEST(AttributeAttack, FewTargetsEstimateWhatAllGive) {
  graph::SocialOptions options;
  options.nodes = 400;
  options.attributes = 64;
  const graph::Dataset data = graph::generate_social(options).value();
  const AttackResult all = attack_on(data, clean());
  const std::size_t columns = data.features.cols();
  const std::vector<float> dense = test::dense(data.features, graph::FeatureScale::raw);
  double voted_right = 0;
  double prior_right = 0;
  for (std::size_t column = 0; column < columns; ++column) {
    double ones = 0;
    for (std::size_t person = 0; person < data.features.rows(); ++person) {
      const auto bit = [&](std::size_t who) { return dense[who * columns + column] > .5F ? 1.0 : 0.0; };
      ones += bit(person);
      double mean = 0;
      double voters = 0;
      for (const graph::NodeId other : data.graph.row(person)) {
        if (other == person) continue;
        mean += bit(other);
        ++voters;
      }
      const double vote = 2 * mean == voters ? .5 : (2 * mean > voters ? 1.0 : 0.0);
      voted_right += 1 - std::abs(vote - bit(person));
    }
    prior_right += std::max(ones, static_cast<double>(data.features.rows()) - ones);
  }
  const auto pairs = static_cast<double>(data.features.rows() * columns);
  EXPECT_NEAR(all.majority.accuracy, voted_right / pairs, 1e-12);
  EXPECT_NEAR(all.view(View::none).accuracy, prior_right / pairs, 1e-12);
  EXPECT_NEAR(all.majority.advantage, (voted_right - prior_right) / pairs, 1e-12);

  constexpr int kRuns = 30;
  for (const char* metric : {"majority.accuracy", "neighbours.accuracy", "neighbours.auc_with_prior"}) {
    double sum = 0;
    double squares = 0;
    for (std::uint64_t run = 0; run < kRuns; ++run) {
      const AttackResult few = attack_on(data, clean(), 1000, run);
      EXPECT_EQ(few.majority.ones, 500u);
      EXPECT_EQ(few.majority.zeros, 500u);
      EXPECT_NEAR(few.view(View::own).accuracy, 1, 1e-12);  // every target's bit is what the draw says it is
      const double value = few.metrics().at(metric);
      sum += value;
      squares += value * value;
    }
    const double mean = sum / kRuns;
    const double error = std::sqrt((squares / kRuns - mean * mean) / (kRuns - 1));
    EXPECT_NEAR(mean, all.metrics().at(metric), 6 * error + 1e-12) << metric;  // z = 6
  }
}

// A report is right about a bit with a known probability: an attack that is blind, or sees more than the report,
// misses.
TEST(AttributeAttack, OwnAndNeighboursReportsGiveExactlyWhatTheirNoiseAllows) {
  const graph::Dataset data = couples(2000);
  for (const double budget : {.1, 1.0, 3.0}) {
    const AttackResult result = attack_on(data, all_four_columns(budget));
    const double right = (1 + std::tanh(budget / 2)) / 2;
    const double error = six_errors(result.view(View::own));
    EXPECT_NEAR(result.view(View::own).balanced_accuracy, right, error);
    EXPECT_NEAR(result.view(View::own).auc, right, error);
    // The partner has the same bits, so the partner's report is as good.
    EXPECT_NEAR(result.view(View::neighbours).balanced_accuracy, right, error);
    EXPECT_NEAR(result.majority.balanced_accuracy, right, error);
    // Two equal reports: a tie unless they agree. P(one above zero) = a + ties / 2 from (r^2, 2 r (1 - r), (1 - r)^2).
    const double r = right;
    const double wrong = 1 - right;
    const double above = r * r * (1 - wrong * wrong) + 2 * r * wrong * r * r;
    const double tied = 2 * r * r * wrong * wrong + 4 * r * r * wrong * wrong;
    EXPECT_NEAR(result.view(View::both).auc, above + tied / 2, error);
    EXPECT_TRUE(result.by_level.empty());
  }
  EXPECT_DOUBLE_EQ(attack_on(data, all_four_columns(100)).view(View::own).auc, 1);
}

TEST(AttributeAttack, StrictReportsStayBelowTheBoundOfTheirLevel) {
  const graph::Dataset data = couples(10000);
  for (const double epsilon : {.1, 1.0}) {
    simulate::SourceConfig config;
    config.budgets = {epsilon, 4 * epsilon};
    const ldp::Plan plan = simulate::plan_of(data, config).value();
    const AttackResult result = attack_on(data, config);
    ASSERT_EQ(result.by_level.size(), 2u);
    for (std::size_t level = 0; level < 2; ++level) {
      const LevelScores& scores = result.by_level[level];
      const ldp::PlanLevel& entry = plan.levels()[level];
      const AttackScore& own = scores.views[static_cast<std::size_t>(View::own)];
      const double gain = ldp::SignBits::gain(entry.entry, plan.tables().shape(entry));
      EXPECT_NEAR(own.balanced_accuracy, .5 + gain * entry.sampled / 4 / 2, six_errors(own)) << level;
      EXPECT_LE(own.balanced_accuracy, scores.own_bound + six_errors(own));
      EXPECT_NEAR(scores.own_bound, 1 / (1 + std::exp(-plan.certificate().features[level])), 1e-12);
      EXPECT_NEAR(static_cast<double>(own.ones + own.zeros), 40000, 6 * std::sqrt(20000 * .25) * 4);
    }
  }
}

TEST(AttributeAttack, ReportsOfTheControlTellNothing) {
  simulate::SourceConfig config;
  config.content = population::Content::nothing;
  config.sampled = 4;
  config.budgets = {16, 32};
  const AttackResult result = attack_on(couples(5000), config);
  for (const View view : kViews) {
    // Everybody's report is looked at twice, for the person and for the partner with the same bits.
    EXPECT_NEAR(result.view(view).auc, .5, 2 * six_errors(result.view(view))) << to_text(view);
    EXPECT_NEAR(result.view(view).balanced_accuracy, .5, 2 * six_errors(result.view(view))) << to_text(view);
  }
}

TEST(AttributeAttack, ASelfLoopDoesNotMakeAPersonTheirOwnNeighbour) {
  EXPECT_EQ(attack_on(couples(50, true), all_four_columns(1)).metrics(),
            attack_on(couples(50), all_four_columns(1)).metrics());
}

TEST(AttributeAttack, EveryMechanismGivesBitsAwayAtLargeBudgetsOnly) {
  const graph::Dataset data = couples(500);
  simulate::SourceConfig config;
  for (const char* mechanism : {"strict", "ppm", "ppm*", "mb", "1b", "lp", "gm"}) {
    config.mechanism = mechanism;
    config.sampled = 4;
    config.secrecy = ldp::LevelSecrecy::public_level;
    config.budgets = {200, 400};
    const AttackResult relaxed = attack_on(data, config);
    EXPECT_GT(relaxed.view(View::own).auc, .95) << mechanism;
    EXPECT_GT(relaxed.view(View::own).accuracy, .9) << mechanism;
    config.budgets = {.01, .02};
    const AttackResult strict = attack_on(data, config);
    EXPECT_NEAR(strict.view(View::both).auc, .5, 2 * six_errors(strict.view(View::both))) << mechanism;
    for (const auto& [name, value] : strict.metrics()) EXPECT_TRUE(std::isfinite(value)) << mechanism << " " << name;
  }
}

// Numbers: the attribute is being above the middle; an absent entry may stand for that too.
TEST(AttributeAttack, NumbersAreAboveOrBelowTheMiddle) {
  graph::FeatureSchema schema;
  schema.kinds = std::vector<std::uint8_t>(2, static_cast<std::uint8_t>(graph::ColumnKind::number));
  schema.low = std::vector<float>{-1, 0};
  schema.high = std::vector<float>{1, 10};
  schema.absent = std::vector<float>{.5F, 0};
  graph::Dataset data;
  // Column 0: absent (1), -1 (0), absent (1), .1 (1). Column 1: 5, the middle (0), 6 (1), absent (0), absent (0).
  data.features = graph::Features::make(graph::Csr::make(std::vector<std::uint64_t>{0, 1, 3, 3, 4},
                                                         std::vector<std::uint32_t>{1, 0, 1, 0}, 2)
                                            .value(),
                                        std::vector<float>{5, -1, 6, .1F}, schema)
                      .value();
  data.graph = graph::build_graph(4, {{0, 1}}).value();
  for (const std::uint64_t targets : {kAll, std::uint64_t{4}}) {
    const AttackResult result = attack_on(data, clean(), targets);
    EXPECT_EQ(result.majority.ones, targets == kAll ? 4u : 2u);
    EXPECT_EQ(result.majority.zeros, targets == kAll ? 4u : 2u);
    EXPECT_DOUBLE_EQ(result.ones_share, .5);
    if (targets == kAll) {
      EXPECT_DOUBLE_EQ(result.view(View::none).accuracy, .75);
    }
    EXPECT_EQ(result.view(View::own).auc_with_prior, 1);
    EXPECT_NEAR(result.view(View::own).accuracy, 1, 1e-12);
  }
}

TEST(AttributeAttack, SameFiguresForAnyNumberOfThreadsAndAnotherRunDiffers) {
  const graph::Dataset data = couples(800);
  const simulate::SourceConfig config;
  const auto one = attack_on(data, config, 2000, 0, 1).metrics();
  EXPECT_EQ(attack_on(data, config, 2000, 0, 7).metrics(), one);
  EXPECT_NE(attack_on(data, config, 2000, 1, 1).metrics(), one);
  for (const char* name : {"majority.accuracy", "none.auc", "own.auc", "neighbours.balanced_accuracy", "both.advantage",
                           "level1.own.auc", "level5.own_bound", "homophily", "ones_share"}) {
    EXPECT_TRUE(one.contains(name)) << name;
  }
}

TEST(AttributeAttack, RefusesWhatCannotWork) {
  const graph::Dataset data = couples(2);
  const simulate::Source source = simulate::Source::make(data, {}).value();
  const auto problem = [&](const graph::Dataset& dataset, std::vector<Level> levels, std::uint64_t targets) {
    const auto result =
        infer_attributes(dataset, source, {&dataset.features, levels, 0, 0, {}}, {.targets = targets, .threads = 1});
    return result ? std::string("accepted") : result.error().message;
  };
  EXPECT_EQ(problem(data, std::vector<Level>(4, Level{1}), 10), "accepted");
  EXPECT_EQ(problem(data, std::vector<Level>(3, Level{1}), 10), "levels: there must be one per person");
  EXPECT_EQ(problem(data, std::vector<Level>(4, Level{6}), 10), "levels: must be between 1 and 5");
  EXPECT_EQ(problem(data, std::vector<Level>(4, Level{1}), 1), "targets: must be at least 2, but is 1");
  EXPECT_EQ(problem(dataset_of({{}}, 0, {}), {Level{1}}, 10), "data: test has no features");
  EXPECT_EQ(problem(graph::Dataset{}, {}, 10), "data: there are no people");
}

}  // namespace
}  // namespace ppgnn::attack
