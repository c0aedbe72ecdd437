#include "ppgnn/teach/forecast.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ppgnn/ldp/planner.hpp"

namespace ppgnn::teach {
namespace {

ForecastRequest request_of(std::vector<double> budgets) {
  ForecastRequest request;
  request.columns = {ldp::ColumnGroup{.name = "word", .count = 256}};
  request.budgets = std::move(budgets);
  request.secrecy = ldp::LevelSecrecy::public_level;
  request.features.known = true;
  return request;
}

Beliefs people_right(double accuracy, std::size_t classes = 4) {
  const auto beliefs = imagined_beliefs(classes, accuracy);
  EXPECT_TRUE(beliefs) << (beliefs ? "" : beliefs.error().message);
  return *beliefs;
}

Forecaster forecaster_of(const ForecastRequest& request, const Beliefs& believed) {
  auto forecaster = Forecaster::make(request, believed);
  EXPECT_TRUE(forecaster) << (forecaster ? "" : forecaster.error().message);
  return *forecaster;
}

double sureness(const Beliefs& beliefs) {
  double sum = 0;
  for (std::size_t person = 0; person < beliefs.people(); ++person) {
    const auto row = beliefs.of(person);
    sum += static_cast<double>(*std::max_element(row.begin(), row.end()));
  }
  return sum / static_cast<double>(beliefs.people());
}

// Both lifts, and their intervals hold them.
void expect_less(const Forecast& less, const Forecast& more) {
  EXPECT_LT(less.points.value, more.points.value);
  EXPECT_LT(less.nats.value, more.nats.value);
  for (const Forecast* one : {&less, &more}) {
    EXPECT_LE(one->points.low, one->points.value);
    EXPECT_GE(one->points.high, one->points.value);
    EXPECT_LE(one->nats.low, one->nats.value);
    EXPECT_GE(one->nats.high, one->nats.value);
  }
}

TEST(Forecast, MorePeopleBudgetsAndAnswersGiveMore) {
  const Beliefs believed = people_right(.8);
  const ForecastRequest request = request_of({1, 2, 4});
  const Forecaster usual = forecaster_of(request, believed);
  for (double people = 500; people < 1e6; people *= 4) expect_less(usual.at(people), usual.at(4 * people));
  EXPECT_LT(usual.at(1000).taught, usual.at(4000).taught);

  ForecastRequest changed = request;
  changed.budgets = {1.5, 3, 6};
  expect_less(usual.at(20000), forecaster_of(changed, believed).at(20000));
  changed = request;
  changed.response = .5;
  expect_less(forecaster_of(changed, believed).at(20000), usual.at(20000));
  changed = request;
  changed.labelled = .2;
  expect_less(forecaster_of(changed, believed).at(20000), usual.at(20000));
  changed = request;
  changed.secrecy = ldp::LevelSecrecy::protected_level;
  expect_less(forecaster_of(changed, believed).at(20000), usual.at(20000));
  changed = request;
  changed.columns[0].count = 2560;
  expect_less(forecaster_of(changed, believed).at(20000), usual.at(20000));
}

TEST(Forecast, WithoutReportsOrBudgetsThereIsNoLift) {
  const Beliefs believed = people_right(.7);
  ForecastRequest request = request_of({1, 2});
  request.response = 0;
  const Forecast nobody = forecaster_of(request, believed).at(1e6);
  EXPECT_EQ(nobody.teachers, 0);
  EXPECT_EQ(nobody.points.value, 0);
  EXPECT_NEAR(nobody.nats.value, 0, 1e-12);
  EXPECT_NEAR(nobody.taught, .25, 1e-6);  // guessing

  request = request_of({ldp::kMinBudget, 2 * ldp::kMinBudget});
  const Forecaster hardly = forecaster_of(request, believed);
  EXPECT_NEAR(hardly.at(1e6).points.value, 0, 1e-3);
  EXPECT_NEAR(hardly.at(1e6).nats.value, 0, 1e-6);
  EXPECT_FALSE(hardly.people_for(.1));
}

// Words all as usual, two classes, everybody at 4 nats: what a report tells of a word's effect, by its definition, from
// how the chance of its bucket changes with the effect; then how often two normal scores are in the right order.
TEST(Forecast, TeachersTellWhatFishersInformationSays) {
  ForecastRequest request = request_of({4});
  request.features.popularity = 0;
  ldp::PlanRequest plan_request;
  plan_request.kind = ldp::ReportKind::buckets;
  plan_request.columns = request.columns;
  plan_request.budgets = request.budgets;
  plan_request.secrecy = request.secrecy;
  plan_request.campaign = ldp::Campaign{"test", ldp::Role::teach, "test", {}};
  const auto plan = ldp::make_plan(plan_request);
  ASSERT_TRUE(plan) << plan.error().message;
  const double buckets = plan->shape(0).outcomes;
  const double favoured = plan->shape(0).favoured;
  const double share = favoured / 256;
  const auto chance = [&](double effect) {
    const double is_favoured = share * std::exp(effect) + (favoured - share) / buckets;
    return (1 + std::expm1(4) * is_favoured) / (buckets + std::expm1(4) * favoured);
  };
  const double slope = (chance(1e-5) - chance(-1e-5)) / 2e-5;
  const double separability = request.features.separability;
  const double people = 3000;
  // Of more words than a report may speak of, each tells the less.
  for (const double words : {0.0, 4 * favoured}) {
    request.features.words = words;
    const double variance = separability * separability / (2 * std::max(favoured, words));
    const double known = people / 4 * slope * slope / chance(0) * variance;  // a quarter teaches one class
    const double apart = separability * std::sqrt(known / (1 + known));
    const Forecast forecast = forecaster_of(request, Beliefs{2, {.5F, .5F}}).at(people);
    EXPECT_GT(known, .05);
    EXPECT_NEAR(forecast.taught, std::erfc(-apart / 2 / std::sqrt(2)) / 2, 1e-4);
    EXPECT_NEAR(forecast.taught_clean, std::erfc(-separability / 2 / std::sqrt(2)) / 2, 1e-4);
  }
}

// Everybody undecided between two classes, and a model that is always right: an answer of a nats names the own class, in
// either confidence, with chance (e^a + 1) / (e^a + 3). As many people as there are teach all that clean features tell.
TEST(Forecast, AnswersOfAPerfectModelAreWorthWhatTheirNoiseLeaves) {
  ForecastRequest request = request_of({2});
  request.features.separability = 1000;
  const Forecast forecast = forecaster_of(request, Beliefs{2, {.5F, .5F}}).at(1e9);
  const double right = (std::exp(2) + 1) / (std::exp(2) + 3);
  EXPECT_NEAR(forecast.points.value, 100 * (right - .5), .01);
  EXPECT_EQ(forecast.control.accuracy, .5);
  EXPECT_NEAR(forecast.control.log_loss, std::log(2), 1e-6);
  EXPECT_NEAR(forecast.taught, 1, 1e-6);
  EXPECT_EQ(forecast.asked, 1);
  // ln 2 minus what is left to guess: the outcome of the own class and confidence is e^2 times as likely as others.
  const double all = std::exp(2) + 3;
  const double left = -(std::exp(2) / all * std::log(std::exp(2) / (std::exp(2) + 1)) +
                        1 / all * std::log(1 / (std::exp(2) + 1)) + 2 / all * std::log(.5));
  EXPECT_NEAR(forecast.nats.value, std::log(2) - left, 1e-4);
}

TEST(Forecast, WhoCannotBeMovedIsNotAsked) {
  ForecastRequest request = request_of({1, 8});
  request.features.separability = 8;
  const Beliefs believed{2, {.95F, .05F}};  // odds of e^2.9: half of the levels could change them
  const Forecast forecast = forecaster_of(request, believed).at(1e6);
  EXPECT_DOUBLE_EQ(forecast.asked, .5);
  EXPECT_GT(forecast.points.value, .1);
  request.budgets = {1, 2};
  EXPECT_EQ(forecaster_of(request, believed).at(1e6).points.value, 0);
}

TEST(Forecast, WhatGraphAndFeaturesShareIsNotCountedTwice) {
  const Beliefs believed = people_right(.9);
  ForecastRequest request = request_of({1, 2, 4});
  const Forecast usual = forecaster_of(request, believed).at(20000);
  request.features.surprise = std::numeric_limits<double>::infinity();
  const Forecast apart = forecaster_of(request, believed).at(20000);
  expect_less(usual, apart);
  EXPECT_EQ(usual.taught, apart.taught);
}

// Of 16 draws of somebody of one of 4 classes, .475 come from its columns, .175 of somebody of another.
TEST(Forecast, GeneratedNetworksSayHowFarApartTheirClassesAre) {
  const graph::SocialOptions options;
  const FeatureAssumptions features = FeatureAssumptions::generated(options);
  EXPECT_NEAR(features.separability, 2 * 4 * .3 / std::sqrt(.475 + .175 - .09), 1e-9);
  EXPECT_EQ(features.words, 16);
  graph::SocialOptions silent = options;
  silent.signal = 0;
  ForecastRequest request = request_of({1, 16});
  request.features = FeatureAssumptions::generated(silent);
  EXPECT_NEAR(forecaster_of(request, people_right(.8)).at(1e6).points.value, 0, 1e-6);
}

TEST(Forecast, PeopleNeededGiveTheLift) {
  const Forecaster forecaster = forecaster_of(request_of({1, 2, 4, 8, 16}), people_right(.8));
  const auto needed = forecaster.people_for(1);
  ASSERT_TRUE(needed);
  EXPECT_NEAR(forecaster.at(*needed).points.value, 1, 1e-6);
  EXPECT_FALSE(forecaster.people_for(forecaster.most_points() + .01));
  EXPECT_LT(forecaster.most_points(), 20);
}

TEST(Forecast, FewPeopleAreJudgedByChance) {
  const Forecaster forecaster = forecaster_of(request_of({8}), people_right(.8));
  const Expected few = forecaster.at(200).points;
  const Expected many = forecaster.at(1e8).points;
  EXPECT_LT(few.low, 0);
  EXPECT_GT(many.low, 0);
}

// Devices that decide: two classes, everybody undecided, features that tell them so many deviations apart.
TEST(Forecast, DecisionsAtHomeAreWhatScoresSay) {
  ForecastRequest request = request_of({64});
  request.at_home = true;
  request.features.separability = 2;
  request.features.surprise = std::numeric_limits<double>::infinity();
  const Beliefs undecided{2, {.5F, .5F}};
  const Forecast forecast = forecaster_of(request, undecided).at(1e9);
  EXPECT_EQ(forecast.asked, 1);
  EXPECT_NEAR(forecast.points.value, 100 * (std::erfc(-1 / std::sqrt(2)) / 2 - .5), 1);
  EXPECT_LT(forecaster_of(request, undecided).at(200).points.value, forecast.points.value);
  request.response = 0;
  EXPECT_NEAR(forecaster_of(request, undecided).at(1e9).points.value, 0, .01);
  // Everybody teaches but the pilots, as far as their class is known.
  request = request_of({1, 2, 4, 8, 16});
  const Forecast answers = forecaster_of(request, people_right(.8)).at(20000);
  request.at_home = true;
  const Forecast home = forecaster_of(request, people_right(.8)).at(20000);
  EXPECT_NEAR(home.teachers, 20000 * (1 - .75 / 15), 1e-6);
  expect_less(answers, home);
  EXPECT_DOUBLE_EQ(known_by(Beliefs{2, {1, 0, 0, 1}}, .3), 1);
  EXPECT_DOUBLE_EQ(known_by(Beliefs{2, {.5F, .5F, .5F, .5F}}, .3), .3);
}

// Where nobody knows what features are worth: from nothing to more than any network studied had.
TEST(Forecast, WithoutKnowledgeOfFeaturesItIsARange) {
  ForecastRequest request = request_of({1, 2, 4, 8, 16});
  for (const bool at_home : {false, true}) {
    request.at_home = at_home;
    request.features.known = true;
    const Forecast known = forecaster_of(request, people_right(.8)).at(50000);
    request.features.known = false;
    const Forecaster forecaster = forecaster_of(request, people_right(.8));
    const Forecast unknown = forecaster.at(50000);
    EXPECT_LE(unknown.points.low, 0);
    EXPECT_GT(unknown.points.high, known.points.high);
    EXPECT_LE(unknown.nats.low, 0);
    EXPECT_GE(forecaster.most_points(), unknown.points.high - .5);
  }
}

// What features of a known worth give pilots says what they are worth.
TEST(Forecast, PilotsSayWhatFeaturesAreWorth) {
  ForecastRequest request = request_of({4});
  request.at_home = true;
  const Beliefs believed = people_right(.8, 2);
  const Forecaster forecaster = forecaster_of(request, believed);
  const FeatureAssumptions none = forecaster.as_pilots_say(20000, {0, -.1, .2});
  EXPECT_LT(none.separability, .2);
  const FeatureAssumptions some = forecaster.as_pilots_say(20000, {.1, .02, .2});
  EXPECT_TRUE(some.known);
  EXPECT_LT((*some.between)[0], some.separability);
  EXPECT_GT((*some.between)[1], some.separability);
  request.features = some;
  const Forecast updated = forecaster_of(request, believed).at(20000);
  EXPECT_GT(updated.nats.value, .01);  // of everybody, less than of the people whom the graph is least sure of
  EXPECT_LT(updated.nats.value, .1);
  EXPECT_GT(updated.nats.low, 0);
  EXPECT_LT(updated.nats.high, .2);
}

TEST(Forecast, FeatureAccuracyIsWhatCleanFeaturesTeach) {
  for (const std::size_t classes : {2u, 7u}) {
    const auto features = FeatureAssumptions().right_about(.7, classes);
    ASSERT_TRUE(features);
    ForecastRequest request = request_of({1});
    request.features = *features;
    EXPECT_NEAR(forecaster_of(request, people_right(.8, classes)).at(1000).taught_clean, .7, 1e-4);
  }
  EXPECT_EQ(FeatureAssumptions().right_about(.2, 4).error().message,
            "feature accuracy: must be above 0.25 (guessing) and below 1, but is 0.2");
}

TEST(Forecast, ImaginedBeliefsAreAsSureAsTheyAreRight) {
  for (const double accuracy : {.4, .6, .9, .99}) EXPECT_NEAR(sureness(people_right(accuracy, 3)), accuracy, 1e-4);
  for (const double accuracy : {.33, 1.0, std::nan("")}) EXPECT_FALSE(imagined_beliefs(3, accuracy));
}

// Sure by 99% of the first class, and right about half: people without a label are believed with one half too.
TEST(Forecast, BeliefsToAskAreAsSureAsThePilotsSay) {
  Beliefs structure{2, {}};
  std::vector<std::int32_t> labels;
  graph::Split split;
  for (std::uint32_t person = 0; person < 30; ++person) {
    structure.values.insert(structure.values.end(), {.99F, .01F});
    labels.push_back(person % 4 == 0 ? 1 : 0);
    (person < 10 ? split.train : person < 18 ? split.validation : split.test).push_back(person);
  }
  structure.values[0] = .5F;  // somebody who teaches: not among those asked
  const Beliefs asked = beliefs_to_ask(structure, labels, split);
  EXPECT_EQ(asked.people(), 12);
  for (std::size_t person = 0; person < asked.people(); ++person) EXPECT_NEAR(asked.of(person)[0], .75, 1e-4);
}

TEST(Forecast, RefusesWhatIsNoCampaign) {
  const Beliefs believed{2, {.5F, .5F}};
  const auto message = [&](const ForecastRequest& request, const Beliefs& beliefs) {
    const auto made = Forecaster::make(request, beliefs);
    return made ? std::string("accepted") : made.error().message;
  };
  ForecastRequest request = request_of({1});
  EXPECT_EQ(message(request, believed), "accepted");
  EXPECT_EQ(message(request, Beliefs{2, {}}), "graph: there is nobody to ask");
  request.labelled = 1;
  EXPECT_EQ(message(request, believed), "labelled: must be above 0 and below 1, but is 1");
  request = request_of({1});
  request.response = 1.5;
  EXPECT_EQ(message(request, believed), "response: must be between 0 and 1, but is 1.5");
  EXPECT_NE(message(request_of({2, 1}), believed), "accepted");
  request = request_of({1});
  request.features.separability = -1;
  EXPECT_EQ(message(request, believed), "separability: must be above 0");
}

}  // namespace
}  // namespace ppgnn::teach
