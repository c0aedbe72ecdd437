#include "ppgnn/teach/home.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "ppgnn/graph/generator.hpp"
#include "ppgnn/ldp/decide.hpp"
#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"

namespace ppgnn::teach {
namespace {

constexpr double kMostEvidence = 2;  // of the features below, in nats at weight 1

// One column: its sign says which of two classes features speak for, its size how much.
ldp::Plan one_column_plan(std::vector<double> budgets, ldp::LevelSecrecy secrecy) {
  ldp::PlanRequest request;
  request.columns = {{"lean", 1, ldp::ColumnKind::number, -1, 1, 0}};
  request.budgets = std::move(budgets);
  request.secrecy = secrecy;
  return teaching_plan(request, "spring", {}).value();
}

HomeModel one_column_model() {
  HomeModel home;
  home.model.width = 16;
  home.model.classes = {"a", "b"};
  home.model.biases = {0, 0};
  home.model.weights = {16384, -16384};
  home.model.length = 1 << 15;  // a column at its end
  home.nats = kMostEvidence / 32768;
  home.unit = 16384;  // one nat
  return home;
}

double evenly(seeded::SeededStream& bits) {
  return std::ldexp(static_cast<double>(bits.next() >> 11), -53);
}

struct Played {
  Calibration calibration;
  double true_lift = 0;  // of the pilots at the weight found
  std::uint32_t outcomes = 0;
};

// Pilots whose labels follow graph and features at weight `truth`, with privacy.
Played play(double truth, std::size_t people, std::vector<double> budgets, ldp::LevelSecrecy secrecy,
            ldp::HintKind kind, std::uint64_t seed) {
  const std::size_t levels = budgets.size();
  const ldp::Plan teaching = one_column_plan(std::move(budgets), secrecy);
  const HomeModel home = one_column_model();
  Beliefs beliefs{2, {}};
  std::vector<std::int32_t> labels;
  std::vector<float> features;
  std::vector<double> odds;
  std::vector<graph::NodeId> pilots(people);
  std::iota(pilots.begin(), pilots.end(), 0U);
  seeded::SeededStream bits(seed, seeded::Purpose::imagine, 1);
  for (std::size_t i = 0; i < people; ++i) {
    const double lead = 2 * evenly(bits);
    const double lean = 2 * evenly(bits) - 1;
    const double evidence = (lean > 0 ? 1 : -1) * kMostEvidence * std::sqrt(std::abs(lean));
    const double chance = 1 / (1 + std::exp(-lead - truth * evidence));
    labels.push_back(evenly(bits) < chance ? 0 : 1);
    beliefs.values.push_back(static_cast<float>(1 / (1 + std::exp(-lead))));
    beliefs.values.push_back(1 - beliefs.values.back());
    features.push_back(static_cast<float>(lean));
    odds.push_back(lead);
  }
  const Asking asking = ask_home_pilots(home, teaching, beliefs, pilots).value();
  std::vector<ldp::NodeReport> reports(people);
  for (std::uint32_t i = 0; i < people; ++i) {
    reports[i].node = i;
    const ldp::Asked asked{i, &*asking.questions[i]};
    ldp::perturb(asking.plan, ldp::Level{1 + i % static_cast<std::uint32_t>(levels)},
                 ldp::Row::dense(std::span(features).subspan(i, 1)), asked, bits, reports[i].report);
  }
  const ldp::PublishedModel draft = publish(home, 0, teaching, beliefs, kind).value();
  std::vector<std::optional<ldp::Hint>> hints;
  for (std::size_t i = 0; i < people; ++i) hints.emplace_back(hint_for(draft, beliefs.of(i)));
  Played played{calibrate_home(home, draft, asking, reports, hints, labels), 0, asking.plan.outcomes()};
  const ldp::PublishedModel model = publish(home, played.calibration.weight, teaching, beliefs, kind).value();
  std::array<std::uint32_t, 2> after{};
  std::array<std::uint32_t, 2> before{};
  for (std::size_t i = 0; i < people; ++i) {
    ldp::decide(model, *hints[i], ldp::Row::dense(std::span(features).subspan(i, 1)), after, {});
    ldp::decide(model, *hints[i], ldp::Row::ones({}), before, {});
    const auto own = static_cast<std::size_t>(labels[i]);
    played.true_lift += std::log(static_cast<double>(after[own]) / before[own]) / static_cast<double>(people);
  }
  return played;
}

constexpr auto kPublic = ldp::LevelSecrecy::public_level;
constexpr auto kProtected = ldp::LevelSecrecy::protected_level;

// Seeded; the tolerances are about four standard deviations over other seeds.
TEST(CalibrateHome, FindsTheWeightThatLabelsFollow) {
  for (const double truth : {.25, .6, 1.2}) {
    for (const auto kind : {ldp::HintKind::full, ldp::HintKind::coarse}) {
      const Played played = play(truth, 8000, {4}, kPublic, kind, 7);
      EXPECT_NEAR(std::log(played.calibration.weight), std::log(truth), .3) << truth;
      EXPECT_EQ(played.calibration.pilots, 8000U);
      EXPECT_FALSE(played.calibration.harmful());
    }
  }
}

TEST(CalibrateHome, SaysWhatFeaturesAddWithinItsInterval) {
  int inside = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Played played = play(.8, 1000, {1, 2, 4, 8, 16}, kPublic, ldp::HintKind::full, seed);
    inside += played.true_lift > played.calibration.low && played.true_lift < played.calibration.high ? 1 : 0;
    EXPECT_LT(played.calibration.high - played.calibration.low, .3);
  }
  EXPECT_GE(inside, 16);
}

// Where features say nothing the weight falls, and the lift is no more than chance.
TEST(CalibrateHome, GivesLittleWeightToFeaturesThatSayNothing) {
  const Played played = play(0, 8000, {4}, kPublic, ldp::HintKind::full, 3);
  EXPECT_LT(played.calibration.weight, .12);
  EXPECT_GT(played.true_lift, -.01);
}

TEST(CalibrateHome, StaysByThePriorWithoutReports) {
  HomeModel home = one_column_model();
  const ldp::Plan teaching = one_column_plan({1}, kPublic);
  const Beliefs beliefs{2, {.5F, .5F}};
  const std::vector<graph::NodeId> nobody;
  const Asking asking = ask_home_pilots(home, teaching, beliefs, nobody).value();
  const ldp::PublishedModel draft = publish(home, 0, teaching, beliefs, ldp::HintKind::full).value();
  const std::vector<std::optional<ldp::Hint>> hints(1);
  const std::vector<std::int32_t> labels{0};
  const Calibration found = calibrate_home(home, draft, asking, {}, hints, labels);
  EXPECT_NEAR(std::log(found.weight), -.5, .02);
  EXPECT_EQ(found.pilots, 0U);
  EXPECT_FALSE(found.harmful());
  home.trust = .25;  // what teaching reports say against it counts without pilots too
  EXPECT_DOUBLE_EQ(calibrate_home(home, draft, asking, {}, hints, labels).weight, found.weight / 4);
}

// How finely a pilot answers: little at small budgets, more at large ones, always within the certificate.
TEST(HomePilots, AnswerAsFinelyAsTheBudgetAllows) {
  const HomeModel home = one_column_model();
  const Beliefs beliefs{2, {.6F, .4F}};
  const std::vector<graph::NodeId> pilots{0};
  const auto outcomes = [&](std::vector<double> budgets, ldp::LevelSecrecy secrecy) {
    const ldp::Plan teaching = one_column_plan(std::move(budgets), secrecy);
    const Asking asking = ask_home_pilots(home, teaching, beliefs, pilots).value();
    EXPECT_TRUE(asking.plan.certificate().holds());
    EXPECT_EQ(asking.plan.tables().campaign->role, ldp::Role::pilot);
    EXPECT_EQ(asking.questions[0]->classes(), (std::vector<std::uint16_t>{0, 1}));
    return asking.plan.outcomes();
  };
  EXPECT_EQ(outcomes({.2}, kPublic), 2U);
  EXPECT_EQ(outcomes({2}, kPublic), 4U);
  EXPECT_EQ(outcomes({8}, kPublic), 8U);
  EXPECT_LE(outcomes({1, 2, 4, 8, 16}, kProtected), outcomes({1, 2, 4, 8, 16}, kPublic));
}

TEST(HomePilots, AreTheFifthThatTheGraphIsLeastSureOf) {
  Beliefs beliefs{2, {}};
  for (int i = 0; i < 20; ++i) {
    const float first = .5F + static_cast<float>((i * 7) % 20) / 50;
    beliefs.values.insert(beliefs.values.end(), {first, 1 - first});
  }
  std::vector<graph::NodeId> validation;
  for (graph::NodeId i = 0; i < 20; ++i) {
    if (i != 3) validation.push_back(i);  // 3 is among the least sure: 21 % 20 = 1
  }
  EXPECT_EQ(home_pilots(beliefs, validation), (std::vector<graph::NodeId>{0, 6, 9}));
}

TEST(TaughtAs, IsTheLabelOrTheBelief) {
  const Beliefs beliefs{2, {.7F, .3F, .7F, .3F, .7F, .3F}};
  const std::vector<std::int32_t> labels{1, 1, 1};
  const Beliefs as = taught_as(beliefs, labels, {{0}, {1}, {2}});
  EXPECT_EQ(as.values, (std::vector<float>{0, 1, 0, 1, .7F, .3F}));
}

// What coarse hints stand for is what people of their step are believed to be on average; full ones are exact.
TEST(HintFor, StandsForWhatIsBelieved) {
  Beliefs beliefs{4, {}};
  for (int i = 0; i < 100; ++i) beliefs.values.insert(beliefs.values.end(), {.1F, .6F, .25F, .05F});
  for (int i = 0; i < 100; ++i) beliefs.values.insert(beliefs.values.end(), {.0005F, .0005F, .001F, .998F});
  ldp::PlanRequest request;
  request.columns = {{"word", 2, ldp::ColumnKind::binary, 0, 1, 0}};
  request.budgets = {1};
  const ldp::Plan teaching = teaching_plan(request, "spring", {}).value();
  HomeModel home;
  home.model.width = 16;
  home.model.classes = {"a", "b", "c", "d"};
  home.model.biases.assign(4, 0);
  home.model.weights.assign(8, 1);
  std::vector<std::int32_t> odds(4);
  const ldp::PublishedModel coarse = publish(home, 1, teaching, beliefs, ldp::HintKind::coarse).value();
  EXPECT_EQ(hint_for(coarse, beliefs.of(0)).bytes(), (std::vector<std::uint8_t>{1, 1, 1, 2, 1}));
  EXPECT_EQ(hint_for(coarse, beliefs.of(100)).bytes(), (std::vector<std::uint8_t>{1, 1, 3, 2, 7}));
  hint_for(coarse, beliefs.of(0)).odds(coarse, odds);
  EXPECT_NEAR(odds[2], 256 * std::log(.25 / .6), 3);
  EXPECT_NEAR(odds[0], 256 * std::log(.075 / .6), 5);
  EXPECT_EQ(odds[0], odds[3]);
  const ldp::PublishedModel full = publish(home, 1, teaching, beliefs, ldp::HintKind::full).value();
  hint_for(full, beliefs.of(0)).odds(full, odds);
  EXPECT_EQ(odds[1], 0);
  EXPECT_NEAR(odds[3], 256 * std::log(.05 / .6), 1);
  ldp::Hint::usual().odds(full, odds);
  EXPECT_EQ(odds[3], 0);  // half of everybody
  EXPECT_NEAR(odds[1], 256 * std::log(.30025 / .524), 5);
}

// A report of somebody who is believed to be half of each class teaches half of each; certain ones as labels do.
TEST(LearnFromBeliefs, IsLearningFromLabelsWhereTheyAreCertain) {
  graph::SocialOptions social;
  social.nodes = 300;
  social.attributes = 20;
  const graph::Dataset dataset = graph::generate_social(social).value();
  ldp::PlanRequest request;
  request.columns = {{"interest", 20, ldp::ColumnKind::binary, 0, 1, 0}};
  request.budgets = {3};
  request.secrecy = kPublic;
  const ldp::Plan plan = teaching_plan(request, "spring", {}).value();
  std::vector<ldp::NodeReport> reports(300);
  seeded::SeededStream bits(1, seeded::Purpose::imagine, 1);
  for (std::uint32_t i = 0; i < 300; ++i) {
    const std::array<std::uint32_t, 2> words{i % 7, 7 + i % 13};
    reports[i].node = i;
    ldp::perturb(plan, ldp::Level{1}, ldp::Row::ones(words), {ldp::salt_of("spring", dataset.nodes.name(i)), nullptr},
                 bits, reports[i].report);
  }
  const std::size_t classes = dataset.num_classes();
  Beliefs certain{classes, std::vector<float>(300 * classes, 0)};
  Beliefs alike{classes, std::vector<float>(300 * classes, 1 / static_cast<float>(classes))};
  for (std::uint32_t i = 0; i < 300; ++i) certain.of(i)[static_cast<std::size_t>(dataset.labels.span()[i])] = 1;
  const TaughtModel labelled = learn(plan, reports, dataset.nodes, dataset.labels.span(), classes).value();
  const TaughtModel believed = learn(plan, reports, dataset.nodes, certain).value();
  EXPECT_EQ(labelled.effects, believed.effects);
  EXPECT_EQ(labelled.biases, believed.biases);
  const TaughtModel nothing = learn(plan, reports, dataset.nodes, alike).value();
  for (const double effect : nothing.effects) EXPECT_NEAR(effect, 0, 1e-9);
  EXPECT_FALSE(learn(plan, reports, dataset.nodes, Beliefs{classes, {}}));
}

}  // namespace
}  // namespace ppgnn::teach
