#include "ppgnn/simulate/liars.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "ppgnn/graph/generator.hpp"
#include "ppgnn/ldp/bucket_response.hpp"
#include "ppgnn/simulate/campaign.hpp"
#include "ppgnn/teach/rounds.hpp"

namespace ppgnn::simulate {
namespace {

// Columns that tell nearly all of the class, in a graph that tells little.
graph::Dataset telling(std::size_t nodes) {
  graph::SocialOptions options;
  options.nodes = nodes;
  options.attributes = 64;
  options.homophily = .4;
  options.signal = .6;
  return graph::generate_social(options).value();
}

ldp::Plan teaching(const graph::Dataset& dataset) {
  ldp::PlanRequest request;
  request.columns = population::columns_of(dataset.features.schema()).value();
  request.budgets = {1, 2, 4, 8, 16};
  request.secrecy = ldp::LevelSecrecy::public_level;
  return teach::teaching_plan(request, kSimulatedCampaign, {}).value();
}

// What everybody sends at the last level, with liars among them.
std::vector<wire::EncodedReport> sent(const graph::Dataset& dataset, const ldp::Plan& plan, const Liars& liars) {
  const std::vector<ldp::Level> levels(dataset.num_nodes(), ldp::Level{5});
  const population::Asking asking(plan, dataset.nodes);
  const population::Devices devices{
      .features = &dataset.features, .levels = levels, .seed = 1, .run = 0, .asking = &asking};
  std::vector<wire::EncodedReport> reports = population::seeded_reports(plan, devices, kernels::Threads(1));
  EXPECT_TRUE(liars.tell(plan, {}, reports));
  return reports;
}

TEST(Liars, AreThoseOfALargerShareToo) {
  const graph::Dataset dataset = telling(2000);
  const Liars few(dataset, .05, Lie::one_word, 3, 1);
  const Liars many(dataset, .2, Lie::one_word, 3, 1);
  const auto count = [](const Liars& liars) { return std::count(liars.all().begin(), liars.all().end(), true); };
  EXPECT_NEAR(static_cast<double>(count(few)), 100, 60);  // six standard deviations
  EXPECT_NEAR(static_cast<double>(count(many)), 400, 108);
  for (std::size_t i = 0; i < dataset.num_nodes(); ++i) EXPECT_TRUE(!few.all()[i] || many.all()[i]);
}

TEST(Liars, ClaimTheSameWordWhateverTheBucket) {
  const graph::Dataset dataset = telling(500);
  const ldp::Plan plan = teaching(dataset);
  const Liars liars(dataset, .3, Lie::one_word, 3, 1);
  const std::vector<wire::EncodedReport> honest = sent(dataset, plan, Liars());
  const std::vector<wire::EncodedReport> told = sent(dataset, plan, liars);
  std::vector<bool> common(dataset.features.cols(), true);  // columns that every lie may be about
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (!liars.all()[told[i].node]) {
      EXPECT_EQ(told[i].bytes, honest[i].bytes);
      continue;
    }
    const ldp::Report report = wire::decode(plan, told[i].bytes).value();
    const ldp::WordBuckets buckets(plan.tables(), plan.shape(4),
                                   {ldp::salt_of(kSimulatedCampaign, dataset.nodes.name(told[i].node)), nullptr});
    for (std::uint32_t column = 0; column < common.size(); ++column) {
      for (const std::uint32_t outcome : report.outcomes) {
        if (buckets.bucket(column, true) != outcome) common[column] = false;
      }
    }
  }
  EXPECT_EQ(std::count(common.begin(), common.end(), true), 1);
}

TEST(Liars, SendTheSameBytes) {
  const graph::Dataset dataset = telling(300);
  const Liars liars(dataset, 1, Lie::constant, 3, 1);
  const std::vector<wire::EncodedReport> told = sent(dataset, teaching(dataset), liars);
  for (const wire::EncodedReport& report : told) EXPECT_EQ(report.bytes, told.front().bytes);
}

// Whoever lies declares the last level, in the round where the lie is told; the others keep their own.
TEST(Liars, DeclareTheLastLevelWhereTheyLie) {
  const graph::Dataset dataset = telling(300);
  std::vector<graph::NodeId> teachers(150);
  for (std::uint32_t i = 0; i < 150; ++i) teachers[i] = i;
  const auto declared = [&](Lie lie) {
    std::vector<ldp::Level> levels(300, ldp::Level{1});
    Liars(dataset, 1, lie, 3, 1).declare(teachers, levels, 5);
    return std::pair(levels.front() == ldp::Level{5}, levels.back() == ldp::Level{5});
  };
  EXPECT_EQ(declared(Lie::one_word), std::pair(true, false));
  EXPECT_EQ(declared(Lie::next_class), std::pair(true, false));
  EXPECT_EQ(declared(Lie::one_class), std::pair(false, true));
  EXPECT_EQ(declared(Lie::constant), std::pair(true, true));
  EXPECT_EQ(declared(Lie::both), std::pair(true, true));
}

TEST(Liars, SpoilWhatTheyTeach) {
  const graph::Dataset dataset = telling(3000);
  CampaignConfig config;
  teach::StructureOptions options;
  options.training.epochs = 50;
  const CampaignStart start =
      start_campaign(dataset, server::Problem::make(dataset).value(), {}, options, config.budgets.size(), 0).value();
  const auto accuracy = [&] {
    const auto played = play_campaign(dataset, config, start, population::Content::features);
    EXPECT_TRUE(played);
    return teach::quality_of(played->beliefs, dataset.labels.span(), start.split.test).accuracy;
  };
  const double honest = accuracy();
  config.liars = .4;
  config.lie = Lie::both;
  EXPECT_LT(accuracy(), honest - .1);
}

}  // namespace
}  // namespace ppgnn::simulate
