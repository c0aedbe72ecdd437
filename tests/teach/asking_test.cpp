#include "ppgnn/teach/asking.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "support/plans.hpp"

namespace ppgnn::teach {
namespace {

ldp::Plan public_plan(std::vector<double> budgets, std::uint32_t classes) {
  ldp::PlanRequest request = test::answer_request(std::move(budgets), 6, classes);
  request.secrecy = ldp::LevelSecrecy::public_level;
  request.shape = {};
  return test::plan_of(request);
}

TEST(Asking, AsksAboutTheLikeliestClassesFirst) {
  const ldp::Plan plan = public_plan({1, 8}, 3);
  const Beliefs beliefs{3, {.2F, .3F, .5F, .4F, .35F, .25F}};
  const std::vector<std::uint32_t> people{0, 1};
  const std::vector<ldp::Level> levels{ldp::Level{2}, ldp::Level{1}};
  const auto questions = questions_for(plan, beliefs, people, levels);
  ASSERT_TRUE(questions) << questions.error().message;
  EXPECT_EQ(questions->at(0)->classes(), (std::vector<std::uint16_t>{2, 1, 0}));
  EXPECT_EQ(questions->at(1)->classes(), (std::vector<std::uint16_t>{0, 1, 2}));
}

// Odds of e^1.5: a person who spends 1 nat could not change them, one who spends 2 could.
TEST(Asking, WhoCannotBeMovedIsNotAsked) {
  const float sure = static_cast<float>(std::exp(1.5) / (1 + std::exp(1.5)));
  const Beliefs beliefs{2, {sure, 1 - sure, sure, 1 - sure, .5F, .5F}};
  const std::vector<std::uint32_t> people{0, 1, 2};
  const std::vector<ldp::Level> levels{ldp::Level{1}, ldp::Level{2}, ldp::Level{1}};
  const auto questions = questions_for(public_plan({1, 2}, 2), beliefs, people, levels);
  ASSERT_TRUE(questions) << questions.error().message;
  EXPECT_FALSE(questions->at(0));
  EXPECT_TRUE(questions->at(1));
  EXPECT_TRUE(questions->at(2));
}

// Where levels are protected, whether somebody is asked must not depend on the level, also if somebody passes them.
TEST(Asking, WithProtectedLevelsTheLevelDoesNotDecide) {
  const ldp::Plan plan = test::plan_of(test::answer_request({1, 2}, 6, 2));
  const float sure = static_cast<float>(std::exp(1.5) / (1 + std::exp(1.5)));
  const Beliefs beliefs{2, {sure, 1 - sure, sure, 1 - sure}};
  const std::vector<std::uint32_t> people{0, 1};
  const std::vector<ldp::Level> levels{ldp::Level{1}, ldp::Level{2}};
  const auto questions = questions_for(plan, beliefs, people, levels);
  ASSERT_TRUE(questions) << questions.error().message;
  EXPECT_TRUE(questions->at(0));
  EXPECT_TRUE(questions->at(1));
}

TEST(Asking, RefusesAPlanThatDoesNotFit) {
  const Beliefs beliefs{2, {.5F, .5F}};
  const std::vector<std::uint32_t> people{0};
  EXPECT_FALSE(questions_for(test::plan_of(test::signs_request({1}, 6)), beliefs, people, {}));
  EXPECT_FALSE(questions_for(public_plan({1}, 3), beliefs, people, {}));
}

// Answers of people whose device names the own class with probability 4/5, through the noise of every level.
struct Answered {
  std::vector<ldp::NodeReport> answers;
  std::vector<std::int32_t> labels;
  ldp::Questions questions;
  std::vector<std::uint32_t> everybody;

  Answered(const ldp::Plan& plan, std::uint32_t people, bool tell) {
    const ldp::Question question = ldp::Question::make(*plan.tables().model, {0, 1, 2}).value();
    for (std::uint32_t person = 0; person < people; ++person) {
      seeded::SeededStream bits(3, seeded::Purpose::test, person);
      labels.push_back(static_cast<std::int32_t>(random::below(3, bits)));
      auto speaks = static_cast<std::uint32_t>(tell ? labels.back() : 0);
      if (random::below(5, bits) == 0) speaks = (speaks + 1 + static_cast<std::uint32_t>(random::below(2, bits))) % 3;
      std::vector<float> row(6, 0);  // columns c and c + 3 speak for class c
      row[speaks] = row[speaks + 3] = 1;
      const ldp::Level level{static_cast<std::uint32_t>(random::below(plan.levels().size(), bits)) + 1};
      ldp::NodeReport report{person, {}};
      ldp::perturb(plan, level, ldp::Row::dense(row), {person, &question}, bits, report.report);
      answers.push_back(std::move(report));
      questions.emplace_back(question);
      everybody.push_back(person);
    }
  }
};

// What the evidence says of people must come true as often as it says, at every level of certainty.
TEST(AnswerModel, EvidenceIsCalibrated) {
  constexpr std::uint32_t kPeople = 10000;
  for (const bool is_public : {true, false}) {
    ldp::PlanRequest request = test::answer_request({1, 2, 4}, 6, 3);
    if (is_public) request.secrecy = ldp::LevelSecrecy::public_level;
    request.shape.outcomes = 3;
    const ldp::Plan plan = test::plan_of(request);
    const Answered answered(plan, kPeople, true);
    const AnswerModel model = AnswerModel::fit(plan, answered.questions, answered.answers, answered.labels);
    const Beliefs evidence = model.evidence(answered.labels.size(), answered.questions, answered.answers);
    double said = 0;
    double right = 0;
    for (std::size_t person = 0; person < answered.labels.size(); ++person) {
      const auto row = evidence.of(person);
      const auto best = std::max_element(row.begin(), row.end());
      said += static_cast<double>(*best);
      right += best - row.begin() == answered.labels[person] ? 1 : 0;
    }
    // Standard error of the mean .005.
    EXPECT_NEAR(said / kPeople, right / kPeople, .02) << is_public;
    EXPECT_GT(right / kPeople, is_public ? .55 : .5);
  }
}

TEST(AnswerModel, SaysNothingWhereAnswersSayNothing) {
  const ldp::Plan plan = public_plan({1, 2, 4}, 3);
  const Answered answered(plan, 3000, false);
  const AnswerModel model = AnswerModel::fit(plan, answered.questions, answered.answers, answered.labels);
  const Beliefs evidence = model.evidence(answered.labels.size(), answered.questions, answered.answers);
  // A third each is log-loss 1.0986.
  EXPECT_NEAR(quality_of(evidence, answered.labels, answered.everybody).log_loss, std::log(3), .01);
}

// The same words may be an answer to something else: the digest of the question tells.
TEST(AnswerModel, AnAnswerToAnotherQuestionCountsAsNone) {
  const ldp::Plan plan = public_plan({4}, 3);
  Answered answered(plan, 2000, true);
  const AnswerModel model = AnswerModel::fit(plan, answered.questions, answered.answers, answered.labels);
  const Beliefs before = model.evidence(2000, answered.questions, answered.answers);
  answered.questions[0] = ldp::Question::make(*plan.tables().model, {1, 0, 2}).value();
  const Beliefs after = model.evidence(2000, answered.questions, answered.answers);
  EXPECT_NE(before.of(0)[0], before.of(0)[1]);
  for (const float one : after.of(0)) EXPECT_EQ(one, 1.F / 3);
  EXPECT_EQ(after.of(1)[0], before.of(1)[0]);
}

TEST(AnswerModel, FewPeopleShowLittle) {
  const ldp::Plan plan = public_plan({1, 2, 4}, 3);
  const Answered answered(plan, 8, true);
  const AnswerModel model = AnswerModel::fit(plan, answered.questions, answered.answers, answered.labels);
  const Beliefs evidence = model.evidence(8, answered.questions, answered.answers);
  for (const float one : evidence.values) EXPECT_LT(one, .75F);
}

// 48 nats: the chance that noise replaces an answer is below what a double tells from 0.
TEST(AnswerModel, LargeBudgetsStayFinite) {
  const ldp::Plan plan = public_plan({48}, 3);
  const Answered answered(plan, 500, true);
  const AnswerModel model = AnswerModel::fit(plan, answered.questions, answered.answers, answered.labels);
  const Beliefs evidence = model.evidence(500, answered.questions, answered.answers);
  for (const float one : evidence.values) ASSERT_TRUE(std::isfinite(one));
  EXPECT_LT(quality_of(evidence, answered.labels, answered.everybody).log_loss, .8);
}

// A path a - b - c: a is known, b has answered. c hears of b, and b hears nothing but itself from nobody.
TEST(SpreadAnswers, NeighboursHearAndKnownPeopleSayNothing) {
  const graph::Csr path =
      graph::Csr::make(std::vector<std::uint64_t>{0, 1, 3, 4, 5, 6}, std::vector<std::uint32_t>{1, 0, 2, 1, 4, 3}, 5)
          .value();
  const Beliefs even{2, std::vector<float>(10, .5F)};
  Beliefs evidence = even;
  evidence.of(1)[0] = .9F;
  evidence.of(1)[1] = .1F;
  evidence.of(3)[0] = .9F;  // known: not heard
  evidence.of(3)[1] = .1F;
  const std::vector<std::int32_t> labels{0, 0, 0, 1, 1};
  const std::vector<std::uint32_t> known{3, 4, 0};
  const Beliefs heard = spread_answers(path, even, evidence, labels, known);
  EXPECT_GT(heard.of(2)[0], .51F);
  EXPECT_GT(heard.of(0)[0], .51F);
  EXPECT_NEAR(static_cast<double>(heard.of(1)[0]), .5, 1e-6);
  EXPECT_NEAR(static_cast<double>(heard.of(4)[0]), .5, 1e-6);
  // Nobody hears the own answer, though somebody may be stored as a neighbour of the own.
  const graph::Csr loop =
      graph::Csr::make(std::vector<std::uint64_t>{0, 0, 1, 1, 1, 1}, std::vector<std::uint32_t>{1}, 5).value();
  EXPECT_NEAR(static_cast<double>(spread_answers(loop, even, evidence, labels, known).of(1)[0]), .5, 1e-6);
}

}  // namespace
}  // namespace ppgnn::teach
