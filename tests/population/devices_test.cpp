#include "ppgnn/population/devices.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "ppgnn/graph/features.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/wire/report_format.hpp"
#include "support/plans.hpp"

namespace ppgnn::population {
namespace {

ldp::Plan plan_with(double low, double high, double absent) {
  ldp::PlanRequest request;
  request.columns = {{"age", 1, ldp::ColumnKind::number, low, high, absent},
                     {"word", 2, ldp::ColumnKind::binary, 0, 1, 0}};
  request.budgets = {8};
  return ldp::make_plan(request).value();
}

// Three people: age 0, 100 and 50; the second has the last word.
graph::Features people() {
  graph::FeaturesBuilder builder;
  std::vector<graph::FeaturesBuilder::Entry> rows[] = {{}, {{0, 100}, {2, 1}}, {{0, 50}}};
  for (auto& row : rows) EXPECT_TRUE(builder.add_row(row));
  return std::move(builder).finish(3, graph::SchemaOrigin::declared).value();
}

TEST(PlanRows, ZerosOfTheDataAreNotThePlansAbsentValue) {
  const graph::Features features = people();
  std::vector<float> buffer;
  for (const double absent : {0.0, 35.5, 120.0}) {
    const ldp::Plan plan = plan_with(0, 120, absent);
    const PlanRows rows(features, plan);
    const std::vector<std::vector<double>> expected{{0, 0, 0}, {100, 0, 1}, {50, 0, 0}};
    for (std::size_t person = 0; person < 3; ++person) {
      const ldp::Row row = rows.row(person, buffer);
      for (std::uint32_t column = 0; column < 3; ++column) {
        EXPECT_EQ(row.value(column, plan.schema().group_of(column).absent), expected[person][column]) << absent;
      }
    }
  }
}

// As listed, and in full where the plan's absent value is not the data's: a device takes both.
TEST(PlanRows, AreRowsThatADeviceTakes) {
  const graph::Features features = people();
  const std::vector<ldp::Level> levels(3, ldp::Level{1});
  for (const double absent : {0.0, 35.5}) {
    const ldp::Plan plan = plan_with(0, 120, absent);
    const auto reports = device_reports(plan, PlanRows(features, plan), graph::NodeNames(3), levels);
    ASSERT_TRUE(reports) << reports.error().message;
    EXPECT_EQ(reports->size(), 3u);
  }
}

// The server works out the same buckets from the names, whoever made the reports; who has no question sends nothing.
TEST(Asking, SaltsAreThoseOfTheClientAndOnlyTheAskedReport) {
  const graph::Features features = people();
  const std::vector<ldp::Level> levels(3, ldp::Level{2});
  const std::vector<std::string> texts{"ana", "ben", "cai"};
  const auto names = graph::NodeNames::make(graph::StringList(texts)).value();
  ldp::PlanRequest request = test::answer_request({1, 500}, static_cast<std::uint32_t>(features.cols()), 3);
  request.secrecy = ldp::LevelSecrecy::public_level;
  const ldp::Plan plan = test::plan_of(request);
  ldp::Questions questions(3);
  questions[0] = ldp::Question::make(*plan.tables().model, {2, 0, 1}).value();
  questions[2] = ldp::Question::make(*plan.tables().model, {1, 2, 0}).value();
  const Asking asking(plan, names, questions);
  EXPECT_EQ(asking.asked(2).salt, ldp::salt_of("spring", "cai"));
  EXPECT_FALSE(asking.is_asked(1));
  const auto sent = device_reports(plan, PlanRows(features, plan), names, levels, questions);
  ASSERT_TRUE(sent) << sent.error().message;
  const auto seeded = seeded_reports(plan, {&features, levels, 1, 0, Content::features, &asking}, kernels::Threads(1));
  ASSERT_EQ(sent->size(), 2u);
  ASSERT_EQ(seeded.size(), 2u);
  // At 500 nats there is no noise left: both say the same.
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ((*sent)[i].node, i * 2);
    EXPECT_EQ(wire::decode(plan, (*sent)[i].bytes)->outcomes, wire::decode(plan, seeded[i].bytes)->outcomes);
  }
}

// Each row is held by one person, another in every run; what is sent is of the row that is held.
TEST(Devices, ShuffledFeaturesAreThoseOfOthers) {
  const auto held = holders(Content::shuffled, 1000, 7, 3);
  EXPECT_EQ(holders(Content::shuffled, 1000, 7, 3), held);
  EXPECT_NE(holders(Content::shuffled, 1000, 7, 4), held);
  std::vector<std::uint32_t> sorted = held;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(holders(Content::features, 1000, 7, 3), sorted);
  EXPECT_NE(sorted, held);
  std::vector<std::uint32_t> rows(1000);
  const graph::Features features = people();
  for (const auto content : {Content::shuffled, Content::features}) {
    const std::vector<ldp::Level> levels(3, ldp::Level{1});
    for_each_device(
        {.features = &features, .levels = levels, .seed = 7, .run = 3, .content = content}, kernels::Threads(1),
        [&](std::size_t row, std::vector<float>&) {
          rows[row] = static_cast<std::uint32_t>(row);
          return ldp::Row::ones(std::span(rows).subspan(row, 1));
        },
        [&](std::size_t person, const ldp::Row& row, seeded::SeededStream&) {
          const std::uint32_t of = holders(content, 3, 7, 3)[person];
          EXPECT_EQ(row.value(of, 0), 1);
        });
  }
}

TEST(PlanRows, NamesColumnsThatAreClamped) {
  const graph::Features features = people();
  EXPECT_TRUE(PlanRows(features, plan_with(0, 120, 0)).clamped_columns().empty());
  EXPECT_EQ(PlanRows(features, plan_with(0, 90, 0)).clamped_columns(), std::vector<std::uint32_t>{0});
  EXPECT_EQ(PlanRows(features, plan_with(10, 120, 10)).clamped_columns(), std::vector<std::uint32_t>{0});
}

}  // namespace
}  // namespace ppgnn::population
