// Campaigns whose devices decide (simulate/home.cpp).
#include <gtest/gtest.h>

#include <algorithm>

#include "ppgnn/graph/generator.hpp"
#include "ppgnn/simulate/campaign.hpp"

namespace ppgnn::simulate {
namespace {

graph::Dataset home_network(std::size_t nodes = 2000) {
  graph::SocialOptions options;
  options.nodes = nodes;
  options.attributes = 64;
  options.signal = .6;
  return graph::generate_social(options).value();
}

CampaignStart home_start(const graph::Dataset& dataset) {
  teach::StructureOptions options;
  options.training.epochs = 50;
  return start_campaign(dataset, server::Problem::make(dataset).value(), {}, options, 5, 0).value();
}

double home_loss(const graph::Dataset& dataset, const CampaignStart& start, const teach::Beliefs& beliefs) {
  return teach::quality_of(beliefs, dataset.labels.span(), start.split.test).log_loss;
}

CampaignConfig at_home() {
  CampaignConfig config;
  config.at_home = true;
  return config;
}

TEST(Home, DevicesDecideBetterThanTheServerDoes) {
  const graph::Dataset dataset = home_network();
  const CampaignStart start = home_start(dataset);
  CampaignConfig config = at_home();
  const auto home = play_campaign(dataset, config, start, population::Content::features);
  ASSERT_TRUE(home) << home.error().message;
  config.at_home = false;
  const auto asked = play_campaign(dataset, config, start, population::Content::features);
  ASSERT_TRUE(asked);
  EXPECT_LT(home_loss(dataset, start, home->beliefs), home_loss(dataset, start, asked->beliefs) - .05);
  EXPECT_GT(home->home->calibration.lift, 0);
  EXPECT_FALSE(home->home->withdrawn);
  for (std::size_t person = 0; person < dataset.num_nodes(); ++person) {
    const auto own = home->beliefs.of(person);
    float sum = 0;
    for (const float one : own) sum += one;
    EXPECT_EQ(sum, 1.F);
  }
}

// Everybody sends one report, pilots or teachers; nobody spends more than the budget.
TEST(Home, OneReportPerPersonWithinTheBudget) {
  const graph::Dataset dataset = home_network(800);
  const CampaignStart start = home_start(dataset);
  for (const auto secrecy : {ldp::LevelSecrecy::public_level, ldp::LevelSecrecy::protected_level}) {
    CampaignConfig config = at_home();
    config.secrecy = secrecy;
    const auto home = play_campaign(dataset, config, start, population::Content::features);
    ASSERT_TRUE(home) << home.error().message;
    EXPECT_EQ(home->answered, start.split.validation.size() / 5);
    EXPECT_EQ(home->teachers + home->answered, dataset.num_nodes());
    for (std::size_t person = 0; person < dataset.num_nodes(); ++person) {
      EXPECT_GT(home->spent[person], 0);
      EXPECT_LE(home->spent[person], config.budgets[static_cast<std::uint32_t>(start.levels[person]) - 1]);
    }
  }
}

// A device decides by its own features whether or not it reported.
TEST(Home, PeopleWhoSendNothingGetTheirDecisionToo) {
  const graph::Dataset dataset = home_network();
  const CampaignStart start = home_start(dataset);
  CampaignConfig config = at_home();
  config.response = .5;
  const auto home = play_campaign(dataset, config, start, population::Content::features);
  ASSERT_TRUE(home) << home.error().message;
  std::vector<std::uint32_t> silent;
  for (const graph::NodeId person : start.split.test) {
    if (home->spent[person] == 0) silent.push_back(person);
  }
  ASSERT_GT(silent.size(), 100U);
  const auto labels = dataset.labels.span();
  EXPECT_LT(teach::quality_of(home->beliefs, labels, silent).log_loss,
            teach::quality_of(start.structure, labels, silent).log_loss - .05);
}

TEST(Home, HintsOfDevicesThatHoldNothingAreTheGraphAlone) {
  const graph::Dataset dataset = home_network(800);
  const CampaignStart start = home_start(dataset);
  CampaignConfig config = at_home();
  config.hint = ldp::HintKind::full;
  const auto home = play_campaign(dataset, config, start, population::Content::nothing);
  ASSERT_TRUE(home) << home.error().message;
  EXPECT_EQ(std::count(home->spent.begin(), home->spent.end(), 0.0), 800);
  EXPECT_NEAR(home_loss(dataset, start, home->beliefs), home_loss(dataset, start, start.structure), .02);
}

// Features that say nothing of anybody are not believed, though few pilots could tell.
TEST(Home, ShuffledFeaturesDoNoHarm) {
  const graph::Dataset dataset = home_network(1000);
  const CampaignStart start = home_start(dataset);
  CampaignConfig config = at_home();
  config.hint = ldp::HintKind::full;
  const auto nothing = play_campaign(dataset, config, start, population::Content::nothing);
  const auto shuffled = play_campaign(dataset, config, start, population::Content::shuffled);
  ASSERT_TRUE(shuffled) << shuffled.error().message;
  EXPECT_LT(shuffled->home->calibration.weight, .1);
  EXPECT_NE(shuffled->beliefs.values, nothing->beliefs.values);
  EXPECT_NEAR(home_loss(dataset, start, shuffled->beliefs), home_loss(dataset, start, nothing->beliefs), .005);
}

TEST(Home, PeopleWithFewLabelledFriendsAreToldNothingOfThemselves) {
  const graph::Dataset dataset = home_network(800);
  const CampaignStart start = home_start(dataset);
  CampaignConfig config = at_home();
  std::size_t before = 0;
  for (const std::size_t friends : {0U, 1U, 3U, 1000U}) {
    config.hint_friends = friends;
    const auto home = play_campaign(dataset, config, start, population::Content::nothing);
    ASSERT_TRUE(home) << home.error().message;
    if (friends > 0) {
      EXPECT_GT(home->home->impersonal, before);
    }
    before = home->home->impersonal;
  }
  EXPECT_EQ(before, 800U);
}

}  // namespace
}  // namespace ppgnn::simulate
