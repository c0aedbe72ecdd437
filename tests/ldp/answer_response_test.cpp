#include "ppgnn/ldp/answer_response.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "support/plans.hpp"

namespace ppgnn::ldp {
namespace {

Question question_of(const Plan& plan, std::vector<std::uint16_t> classes, std::vector<std::int16_t> odds = {}) {
  return Question::make(*plan.tables().model, std::move(classes), std::move(odds)).value();
}

std::string problem(const Result<Question>& question) {
  return question ? std::string("accepted") : question.error().message;
}

// Scores worked out in floating point from the definition, for pure and fused questions and levels of confidence.
TEST(AnswerResponse, AnswersForTheClassThatTheFeaturesSpeakFor) {
  seeded::SeededStream bits(1, seeded::Purpose::test, 0);
  const auto below = [&](std::uint64_t bound) { return static_cast<std::uint32_t>(random::below(bound, bits)); };
  int confident = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    PlanRequest request = test::answer_request({1, 2}, 12, 5);
    QuestionModel& model = *request.model;
    model.width = trial % 2 == 0 ? 8 : 16;
    for (auto& weight : model.weights) weight = static_cast<std::int16_t>(static_cast<int>(below(255)) - 127);
    for (auto& bias : model.biases) bias = static_cast<std::int32_t>(below(101)) - 50;
    model.unit = trial % 3 == 0 ? 40 : 0;
    if (trial % 5 == 0) model.confident = {10, 30};
    request.shape.outcomes = 3 * model.confidences();
    const Plan plan = test::plan_of(request);
    const std::vector<std::uint16_t> asked{4, 1, 2, 0};
    std::vector<std::int16_t> odds;
    if (model.fused()) odds = {300, -200, 55, 9};
    const Question question = question_of(plan, asked, odds);
    std::vector<std::uint32_t> columns;
    for (std::uint32_t i = 0; i < 12; ++i) {
      if (below(2) == 0) columns.push_back(i);
    }
    double best = -1e300;
    double second = -1e300;
    std::uint32_t expected = 0;
    for (std::uint32_t i = 0; i < 3; ++i) {
      double score = 0;
      for (const std::uint32_t column : columns) score += plan.tables().model->weights_of(asked[i])[column];
      score = score / static_cast<double>(std::max<std::size_t>(columns.size(), 1)) + model.biases[asked[i]];
      if (model.fused()) score += odds[i] / 256.0 * model.unit;
      if (score > best) {
        second = best;
        best = score;
        expected = i;
      } else {
        second = std::max(second, score);
      }
    }
    if (best - second < 1e-9) continue;  // a tie
    if (!columns.empty()) {
      for (const std::uint32_t lead : model.confident) expected += best - second >= lead ? 3 : 0;
    }
    confident += expected >= 3 ? 1 : 0;
    std::uint32_t favoured = 0;
    AnswerResponse::choose(plan.tables(), plan.shape(0), {5, &question}, Row::ones(columns), {&favoured, 1});
    EXPECT_EQ(favoured, expected) << trial;
  }
  EXPECT_GT(confident, 100);
}

TEST(AnswerResponse, TiesGoBySaltNotByTheOrderOfClasses) {
  PlanRequest request = test::answer_request({1, 2}, 8, 4);
  request.model->biases.assign(4, 7);
  const Plan plan = test::plan_of(request);
  const Question question = question_of(plan, {2, 0, 3, 1});
  std::vector<int> answers(4, 0);
  constexpr int kPeople = 20000;
  for (int person = 0; person < kPeople; ++person) {
    std::uint32_t favoured = 0;
    AnswerResponse::choose(plan.tables(), plan.shape(0), {static_cast<std::uint64_t>(person), &question}, Row::ones({}),
                           {&favoured, 1});
    ++answers[favoured];
  }
  for (const int one : answers) EXPECT_NEAR(one, kPeople / 4, 400);  // six standard deviations are 370
}

TEST(Question, BytesAreTheDocumentedOnesAndNothingElseIsRead) {
  const Plan plan = test::plan_of(test::answer_request({1, 2}, 8, 4));
  const QuestionModel& model = *plan.tables().model;
  const Question question = question_of(plan, {2, 0, 3});
  EXPECT_EQ(to_hex(question.bytes()), "0102020003");
  EXPECT_EQ(Question::parse(model, question.bytes())->digest(), question.digest());
  for (std::size_t length = 0; length < question.bytes().size(); ++length) {
    EXPECT_FALSE(Question::parse(model, {question.bytes().data(), length}));
  }
  const auto read = [&](std::vector<std::uint8_t> bytes) { return problem(Question::parse(model, bytes)); };
  EXPECT_EQ(read({1, 1, 0, 1}), "accepted");
  EXPECT_EQ(read({2, 1, 0, 1}), "question: version: not 1");
  EXPECT_EQ(read({1, 1, 0, 1, 0}), "question: wrong length");
  EXPECT_EQ(read({1, 0, 0}), "question: there must be 2 to 4 classes");
  EXPECT_EQ(read({1, 4, 0, 1, 2, 3, 1}), "question: there must be 2 to 4 classes");
  EXPECT_EQ(read({1, 1, 0, 4}), "question: there is no such class");
  EXPECT_EQ(read({1, 2, 0, 1, 0}), "question: a class occurs twice");
  EXPECT_EQ(problem(Question::make(model, {0, 1}, {5, 6})), "question: odds do not fit the plan");
  QuestionModel fused = model;
  fused.unit = 10;
  const auto asked = Question::make(fused, {1, 0}, {256, -2});
  EXPECT_EQ(to_hex(asked->bytes()), "010101000100fffe");
  EXPECT_EQ(Question::parse(fused, asked->bytes())->odds(), (std::vector<std::int16_t>{256, -2}));
}

TEST(Question, TheDigestIsOfTheOddsToo) {
  QuestionModel fused = *test::plan_of(test::answer_request({1, 2}, 8, 4)).tables().model;
  fused.unit = 10;
  const Question question = Question::make(fused, {1, 0}, {256, -2}).value();
  EXPECT_EQ(question.digest(),
            sha256({reinterpret_cast<const char*>(question.bytes().data()), question.bytes().size()}));
  EXPECT_NE(question.digest(), Question::make(fused, {1, 0}, {256, -1})->digest());
  EXPECT_NE(question.digest(), Question::make(fused, {1, 0}, {-2, 256})->digest());
}

TEST(AnswerResponse, AReportCarriesItsQuestion) {
  const Plan plan = test::plan_of(test::answer_request({1, 2}, 8, 4));
  const Question one = question_of(plan, {2, 0, 3, 1});
  const Question other = question_of(plan, {2, 0, 1, 3});
  seeded::SeededStream bits(1, seeded::Purpose::test, 0);
  Report report;
  perturb(plan, Level{1}, Row::ones({}), {5, &one}, bits, report);
  EXPECT_TRUE(AnswerResponse::answers(report, one));
  EXPECT_FALSE(AnswerResponse::answers(report, other));
  std::vector<std::uint8_t> payload;
  AnswerResponse::encode(report, plan.shape(0), payload);
  EXPECT_EQ(payload.size(), 33u);
  Report read;
  EXPECT_EQ(AnswerResponse::decode(payload, plan.shape(0), read), "");
  EXPECT_EQ(read.question, one.digest());
  for (std::size_t length = 0; length < payload.size(); ++length) {
    Report cut;
    EXPECT_EQ(AnswerResponse::decode({payload.data(), length}, plan.shape(0), cut), "wrong length");
  }
}

TEST(AnswerResponse, SaysWhatItAsksAndWhatWeighsMost) {
  PlanRequest request = test::answer_request({1, 2}, 6, 3);
  request.columns[0].name = "hobby";
  request.model->classes = {"chess", "rowing", "dance"};
  request.model->weights[1] = 127;
  request.shape.outcomes = 2;
  const Plan plan = test::plan_of(request);
  EXPECT_EQ(
      words_of(plan.tables(), question_of(plan, {0, 2, 1}), 2),
      "Your device answers one question: do your features speak more for chess or for dance? 6 columns weigh in it: "
      "hobby.1, hobby.2, hobby.5, hobby.0, hobby.3, hobby.4.");
}

// A column that only the third class looks at is named all the same.
TEST(AnswerResponse, NoClassHidesAColumn) {
  PlanRequest request = test::answer_request({1, 2}, 20, 3);
  request.model->weights.assign(60, 0);
  request.model->biases.assign(3, 4);
  request.model->weights[2 * 20 + 13] = 1;
  const Plan plan = test::plan_of(request);
  const std::string words = words_of(plan.tables(), question_of(plan, {0, 1, 2}), 3);
  EXPECT_NE(words.find("1 column weighs in it: word.13."), std::string::npos) << words;
  EXPECT_NE(words_of(plan.tables(), question_of(plan, {0, 1, 2}), 2).find("No column weighs in it."),
            std::string::npos);
}

TEST(AnswerResponse, BiasesAndOddsDecideWhereNothingIsListed) {
  PlanRequest request = test::answer_request({1, 2}, 6, 3);
  request.model->biases = {5, 9, 2};
  for (const std::uint32_t unit : {0u, 10u}) {
    request.model->unit = unit;
    const Plan plan = test::plan_of(request);
    std::vector<std::int16_t> odds;
    if (unit > 0) odds = {0, 0, 256 * 3};  // three nats are 30 of weight
    const Question question = question_of(plan, {0, 1, 2}, odds);
    for (std::uint64_t salt = 0; salt < 50; ++salt) {
      std::uint32_t favoured = 0;
      AnswerResponse::choose(plan.tables(), plan.shape(0), {salt, &question}, Row::ones({}), {&favoured, 1});
      EXPECT_EQ(favoured, unit > 0 ? 2u : 1u);
    }
  }
}

TEST(AnswerResponse, RefusesModelsBeyondTheirBounds) {
  const auto message = [](auto&& change) {
    PlanRequest request = test::answer_request({1, 2}, 6, 3);
    change(*request.model);
    const auto plan = make_plan(request);
    return plan ? std::string("accepted") : plan.error().message;
  };
  EXPECT_EQ(message([](QuestionModel&) {}), "accepted");
  EXPECT_EQ(message([](QuestionModel& m) { m.width = 12; }), "question: weights: must have 8 or 16 bits");
  EXPECT_EQ(message([](QuestionModel& m) { m.weights[3] = 128; }), "question: weights: must be between -127 and 127");
  EXPECT_EQ(message([](QuestionModel& m) { m.weights.pop_back(); }),
            "question: weights: there must be one a column for each class");
  EXPECT_EQ(message([](QuestionModel& m) { m.biases[0] = kMaxBias + 1; }),
            "question: bias: must be at most 16777216 in size");
  EXPECT_EQ(message([](QuestionModel& m) {
              m.confident = {5, 5};
            }),
            "question: confident: leads must be above 0 and ascend");
  EXPECT_EQ(message([](QuestionModel& m) { m.classes[0] = m.classes[1]; }), "question: class: two have the same name");
  EXPECT_EQ(message([](QuestionModel& m) { m.confident = {1, 2, 3, 4, 5, 6, 7, 8, 9}; }),
            "question: confident: at most 8 levels");
  EXPECT_EQ(message([](QuestionModel& m) { m.unit = kMaxUnit + 1; }), "question: unit: must be at most 65536");
  EXPECT_EQ(message([](QuestionModel& m) { m.classes.resize(1); }), "question: classes: there must be 2 to 256");
  EXPECT_EQ(message([](QuestionModel& m) {
              m.classes.clear();
              for (int i = 0; i < 257; ++i) m.classes.push_back(std::to_string(i));
            }),
            "question: classes: there must be 2 to 256");
  PlanRequest large = test::answer_request({1, 2}, (1u << 20) / 16 + 1, 16);
  EXPECT_EQ(make_plan(large).error().message, "question: weights: must take at most 1048576 bytes");
  EXPECT_NE(message([](QuestionModel& m) { m.classes[0] = "a\nb"; }).find("question: class:"), std::string::npos);
}

}  // namespace
}  // namespace ppgnn::ldp
