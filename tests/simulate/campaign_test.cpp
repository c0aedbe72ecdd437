#include "ppgnn/simulate/campaign.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "ppgnn/graph/generator.hpp"

namespace ppgnn::simulate {
namespace {

// Attributes that tell much, so that a small network shows it.
graph::Dataset network(std::size_t nodes = 2000) {
  graph::SocialOptions options;
  options.nodes = nodes;
  options.attributes = 64;
  options.signal = .6;
  return graph::generate_social(options).value();
}

CampaignStart started(const graph::Dataset& dataset, std::size_t levels) {
  teach::StructureOptions options;
  options.training.epochs = 50;
  return start_campaign(dataset, server::Problem::make(dataset).value(), {}, options, levels, 0).value();
}

double loss(const graph::Dataset& dataset, const CampaignStart& start, const teach::Beliefs& beliefs) {
  return teach::quality_of(beliefs, dataset.labels.span(), start.split.test).log_loss;
}

TEST(Campaign, PrivateFeaturesHelpAndEmptyOnesDoNot) {
  const graph::Dataset dataset = network();
  CampaignConfig config;
  const CampaignStart start = started(dataset, config.budgets.size());
  const double alone = loss(dataset, start, start.structure);
  const auto campaign = play_campaign(dataset, config, start, population::Content::features);
  const auto control = play_campaign(dataset, config, start, population::Content::nothing);
  ASSERT_TRUE(campaign && control);
  EXPECT_TRUE(campaign->used);
  EXPECT_LT(loss(dataset, start, campaign->beliefs), alone - .05);
  EXPECT_NEAR(loss(dataset, start, control->beliefs), alone, .02);
}

// One report a person: what each spends is within the budget, teachers and answering people are different people, and
// the control spends nothing.
TEST(Campaign, NobodySpendsMoreThanTheBudget) {
  const graph::Dataset dataset = network(800);
  for (const ldp::LevelSecrecy secrecy : {ldp::LevelSecrecy::public_level, ldp::LevelSecrecy::protected_level}) {
    CampaignConfig config;
    config.secrecy = secrecy;
    const CampaignStart start = started(dataset, config.budgets.size());
    const auto campaign = play_campaign(dataset, config, start, population::Content::features);
    ASSERT_TRUE(campaign) << campaign.error().message;
    EXPECT_EQ(campaign->teachers, start.split.train.size());
    EXPECT_LE(campaign->teachers + campaign->answered, dataset.num_nodes());
    std::size_t reports = 0;
    for (std::size_t person = 0; person < dataset.num_nodes(); ++person) {
      const double budget = config.budgets[static_cast<std::uint32_t>(start.levels[person]) - 1];
      EXPECT_LE(campaign->spent[person], budget);
      reports += campaign->spent[person] > 0 ? 1U : 0U;
    }
    EXPECT_EQ(reports, campaign->teachers + campaign->answered);
  }
}

// Where answers help, it is the same whether the pilots answered before the others; where not, only they answered.
TEST(Campaign, PilotsFirstSparesTheOthersWhereAnswersDoNotHelp) {
  const graph::Dataset dataset = network(1200);
  for (const ldp::LevelSecrecy secrecy : {ldp::LevelSecrecy::public_level, ldp::LevelSecrecy::protected_level}) {
    CampaignConfig config;
    config.secrecy = secrecy;
    config.budgets = {4, 8};
    const CampaignStart start = started(dataset, config.budgets.size());
    const auto together = play_campaign(dataset, config, start, population::Content::features);
    config.pilots_first = true;
    const auto apart = play_campaign(dataset, config, start, population::Content::features);
    ASSERT_TRUE(together && apart);
    ASSERT_TRUE(together->used);
    EXPECT_TRUE(apart->used);
    EXPECT_EQ(apart->beliefs.values, together->beliefs.values);
    EXPECT_EQ(apart->spent, together->spent);
    EXPECT_EQ(apart->answered, together->answered);

    config.budgets = {.01, .02};
    const auto weak = play_campaign(dataset, config, start, population::Content::features);
    ASSERT_TRUE(weak);
    ASSERT_FALSE(weak->used);
    std::size_t pilots = 0;
    for (const std::uint32_t person : start.split.validation) pilots += weak->spent[person] > 0 ? 1U : 0U;
    EXPECT_GT(pilots, 0U);
    EXPECT_EQ(weak->answered, pilots);
    for (const std::uint32_t person : start.split.test) EXPECT_EQ(weak->spent[person], 0);
  }
}

TEST(Campaign, WhoDoesNotRespondIsHandled) {
  const graph::Dataset dataset = network(800);
  CampaignConfig config;
  config.response = .5;
  const CampaignStart start = started(dataset, config.budgets.size());
  const auto campaign = play_campaign(dataset, config, start, population::Content::features);
  ASSERT_TRUE(campaign) << campaign.error().message;
  const double teachers = static_cast<double>(start.split.train.size());
  EXPECT_NEAR(static_cast<double>(campaign->teachers) / teachers, .5, .12);  // 400 people: five standard errors
  config.response = 0;
  EXPECT_FALSE(play_campaign(dataset, config, start, population::Content::features));
}

// Whatever the labels of test people are, nothing but the judgement changes.
TEST(Campaign, TestLabelsPlayNoPart) {
  graph::Dataset dataset = network(800);
  const CampaignConfig config;
  const CampaignStart before = started(dataset, config.budgets.size());
  const auto first = play_campaign(dataset, config, before, population::Content::features);
  std::vector<std::int32_t> labels(dataset.labels.begin(), dataset.labels.end());
  for (const std::uint32_t person : before.split.test) labels[person] = (labels[person] + 1) % 4;
  dataset.labels = graph::SharedArray<std::int32_t>(labels);
  const CampaignStart after = started(dataset, config.budgets.size());
  const auto second = play_campaign(dataset, config, after, population::Content::features);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->beliefs.values, second->beliefs.values);
}

// Clean features of the same teachers teach more than one report of each: that is what a ceiling is.
TEST(Campaign, WhoTeachesWithCleanFeaturesTeachesMore) {
  const graph::Dataset dataset = network(800);
  CampaignConfig config;
  config.budgets = {.5, 1, 2};
  const CampaignStart start = started(dataset, config.budgets.size());
  const auto reports = play_campaign(dataset, config, start, population::Content::features);
  config.taught = Taught::clean;
  const auto clean = play_campaign(dataset, config, start, population::Content::features);
  ASSERT_TRUE(reports && clean);
  EXPECT_LT(loss(dataset, start, clean->beliefs), loss(dataset, start, reports->beliefs) - .005);
  EXPECT_EQ(clean->teachers, reports->teachers);
  EXPECT_EQ(clean->answered, reports->answered);
  EXPECT_EQ(play_campaign(dataset, config, start, population::Content::features)->beliefs.values,
            clean->beliefs.values);
  EXPECT_FALSE(play_campaign(dataset, config, start, population::Content::nothing));
}

// The oracle's figure is the best of those of its estimators, the teacher without an oracle among them.
TEST(Campaign, TheOracleTakesTheBestEstimator) {
  const graph::Dataset dataset = network(800);
  CampaignConfig config;
  const CampaignStart start = started(dataset, config.budgets.size());
  const auto reports = play_campaign(dataset, config, start, population::Content::features);
  config.taught = Taught::marked;
  const auto marked = play_campaign(dataset, config, start, population::Content::features);
  ASSERT_TRUE(reports && marked);
  EXPECT_TRUE(reports->tried.empty());
  EXPECT_EQ(reports->marked, 0u);
  EXPECT_GT(marked->marked, 100u);
  ASSERT_GT(marked->tried.size(), 5u);
  EXPECT_EQ(marked->tried.front().name, "reports");
  EXPECT_EQ(marked->tried.front().log_loss, loss(dataset, start, reports->beliefs));
  double least = marked->tried.front().log_loss;
  for (const Tried& one : marked->tried) least = std::min(least, one.log_loss);
  EXPECT_EQ(loss(dataset, start, marked->beliefs), least);
  EXPECT_EQ(play_campaign(dataset, config, start, population::Content::features)->beliefs.values,
            marked->beliefs.values);
  config.taught = Taught::counted;
  const auto counted = play_campaign(dataset, config, start, population::Content::features);
  ASSERT_TRUE(counted) << counted.error().message;
  EXPECT_GT(counted->marked, 2 * marked->marked);
  EXPECT_EQ(counted->tried.size(), marked->tried.size() - 1);  // without what reports taught
}

}  // namespace
}  // namespace ppgnn::simulate
