#include "ppgnn/collector/screens.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "collector/support.hpp"
#include "ppgnn/ldp/bucket_response.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/ldp/question.hpp"
#include "ppgnn/ldp/report.hpp"

namespace ppgnn::collector {
namespace {

const Screen& screen(const std::vector<Screen>& screens, std::string_view name) {
  return *std::find_if(screens.begin(), screens.end(), [&](const Screen& one) { return one.name == name; });
}

// Reports of honest devices, at both levels, through the client.
std::vector<ldp::Report> honest(const ldp::Plan& plan, int count, const std::vector<std::uint8_t>& question = {}) {
  auto device = client::Client::make(plan.text()).value();
  std::vector<ldp::Report> reports;
  for (int i = 0; i < count; ++i) {
    device.set_person("p" + std::to_string(i));
    if (!question.empty()) static_cast<void>(device.set_question(question));
    const std::vector<std::uint32_t> words{3, 17, 40};
    const auto bytes = device.report(ldp::Level{1 + (i % 4 == 0 ? 1U : 0U)}, ldp::Row::ones(words), 0).value();
    reports.push_back(wire::decode(plan, bytes).value());
  }
  return reports;
}

// A false alarm has a chance below 1e-9 for each screen.
TEST(Screens, HonestDevicesRaiseNoAlarm) {
  const ldp::Plan answering = test::answering_plan(ldp::LevelSecrecy::public_level);
  const auto question = ldp::Question::make(*answering.tables().model, {2, 0, 1}).value().bytes();
  for (const ldp::Plan& plan : {test::signs_plan(), test::signs_plan(.5), test::teaching_plan(), answering}) {
    Screens screens(plan);
    int person = 0;
    for (const ldp::Report& report : honest(plan, 4000, plan.tables().model ? question : std::vector<std::uint8_t>())) {
      screens.add(report, "p" + std::to_string(person++));
    }
    EXPECT_FALSE(screens.screens().empty());
    for (const Screen& one : screens.screens()) EXPECT_FALSE(one.alert) << one.name << ' ' << one.surprise;
  }
}

// Everybody's bucket of one word is another number: counted by outcome it looks like chance, counted by word it does not.
TEST(Screens, ACrowdThatClaimsOneWordIsSeen) {
  for (const ldp::LevelSecrecy secrecy : {ldp::LevelSecrecy::protected_level, ldp::LevelSecrecy::public_level}) {
    const ldp::Plan plan = test::teaching_plan(secrecy);
    Screens screens(plan);
    int person = 0;
    for (ldp::Report report : honest(plan, 4000)) {
      const std::string name = "p" + std::to_string(person++);
      if (person % 2 == 0) {
        if (report.reported_level) report.reported_level = 1;
        const ldp::WordBuckets buckets(plan.tables(), plan.shape(0), {ldp::salt_of("spring", name), nullptr});
        report.outcomes = {buckets.bucket(50, true)};
      }
      screens.add(report, name);
    }
    EXPECT_FALSE(screen(screens.screens(), "outcomes").alert);
    EXPECT_TRUE(screen(screens.screens(), "words").alert);
  }
}

TEST(Screens, WhoSendsOneOutcomeOnlyIsSeen) {
  const ldp::Plan plan = test::teaching_plan();
  Screens screens(plan);
  ldp::Report report;
  report.outcomes = {7};
  for (int i = 0; i < 300; ++i) screens.add(report, "p");
  EXPECT_TRUE(screen(screens.screens(), "outcomes").alert);
}

// A fifth of the crowd is enough.
TEST(Screens, ACrowdAmongHonestDevicesIsSeen) {
  const ldp::Plan plan = test::signs_plan();
  Screens columns(plan);
  Screens signs(plan);
  int i = 0;
  for (ldp::Report report : honest(plan, 4000)) {
    if (++i % 5 == 0) {
      report.columns = {59};
      report.signs = {1};
    }
    columns.add(report, "p");
    std::fill(report.signs.begin(), report.signs.end(), 1);
    signs.add(report, "p");
  }
  EXPECT_TRUE(screen(columns.screens(), "columns").alert);
  EXPECT_TRUE(screen(signs.screens(), "signs").alert);
}

TEST(Screens, LevelsThatNobodyCanReportSoOftenAreSeen) {
  const ldp::Plan plan = test::signs_plan(.5);
  Screens screens(plan);
  for (ldp::Report report : honest(plan, 3000)) {
    report.reported_level = plan.tables().level_response->first();
    screens.add(report, "p");
  }
  EXPECT_TRUE(screen(screens.screens(), "levels").alert);
}

TEST(Screens, FewReportsAreNothingUnusual) {
  const ldp::Plan plan = test::teaching_plan();
  Screens screens(plan);
  EXPECT_FALSE(screen(screens.screens(), "outcomes").alert);
  ldp::Report report;
  report.outcomes = {7};
  for (int i = 0; i < 3; ++i) screens.add(report, "p");
  EXPECT_FALSE(screen(screens.screens(), "outcomes").alert);
}

// Three of four are at level 1; the estimate of 20,000 randomised levels is within six standard deviations (about .05).
TEST(Screens, LevelsAreEstimatedFromWhatIsReported) {
  const ldp::Plan plan = test::signs_plan(.9);
  Screens screens(plan);
  EXPECT_FALSE(screens.levels());
  for (const ldp::Report& report : honest(plan, 20'000)) screens.add(report, "p");
  const auto levels = screens.levels();
  ASSERT_TRUE(levels);
  ASSERT_EQ(levels->size(), 2U);
  EXPECT_NEAR((*levels)[0], .75, .15);
  EXPECT_NEAR((*levels)[0] + (*levels)[1], 1, 1e-9);
  Screens stated(test::teaching_plan(ldp::LevelSecrecy::public_level));
  for (const ldp::Report& report : honest(test::teaching_plan(ldp::LevelSecrecy::public_level), 400))
    stated.add(report, "p");
  EXPECT_EQ(stated.levels(), (std::vector<double>{.75, .25}));
  Screens silent(test::teaching_plan());
  for (const ldp::Report& report : honest(test::teaching_plan(), 10)) silent.add(report, "p");
  EXPECT_FALSE(silent.levels());
}

// What a single report, whatever is in it, adds to an estimate is bounded by the plan alone: the server sets the scale.
TEST(Influence, OfOneReportIsBoundedByThePlan) {
  const ldp::Plan plan = test::signs_plan();
  const ldp::Estimator estimator(plan.tables());
  double largest = 0;
  std::vector<ldp::EstimateEntry> entries;
  ldp::Report report;
  for (std::uint32_t column = 0; column < plan.schema().dim(); ++column) {
    for (const std::int8_t sign : {std::int8_t{1}, std::int8_t{-1}}) {
      report.columns = {column};
      report.signs = {sign};
      ASSERT_TRUE(wire::decode(plan, wire::encode(plan, report)));
      estimator.estimate(report, entries);
      double norm = 0;
      for (const ldp::EstimateEntry& entry : entries) norm += entry.value * entry.value;
      largest = std::max(largest, std::sqrt(norm));
    }
  }
  const double bound = static_cast<double>(plan.schema().dim()) / plan.shape(0).sampled / estimator.gain(0);
  EXPECT_NEAR(largest, bound, 1e-9 * bound);
}

}  // namespace
}  // namespace ppgnn::collector
