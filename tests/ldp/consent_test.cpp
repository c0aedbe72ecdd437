// What a device says about a question is what decides its answer: a column that it does not name changes no answer. Exactly, over
// every input of small models, from the words that people read.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ppgnn/ldp/answer_response.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "support/plans.hpp"

namespace ppgnn::ldp {
namespace {

const std::vector<std::string> kNames{"account", "illness", "rent"};

// Where the values of a column lie.
struct Side {
  double low;
  double high;
  double absent;
};
constexpr Side kSides[] = {{0, 1, 0}, {-1, 1, 0}, {0, 1, 1}};

struct Small {
  QuestionModel model{};
  std::vector<std::int16_t> odds{};
  Side side{};

  Small(std::vector<std::string> classes, const Side& where) : side(where) { model.classes = std::move(classes); }
};

struct Said {
  std::size_t named = 0;
  std::size_t silent = 0;   // columns that are not named
  std::size_t decided = 0;  // columns that change some answer
};

// Every input, and each again with another value in one column.
void expect_silent_columns_decide_nothing(const Small& small, std::uint32_t choices, std::uint64_t key, Said& said) {
  PlanTables tables;
  const std::size_t columns = small.model.weights.size() / small.model.classes.size();
  std::vector<ColumnGroup> groups;
  for (std::size_t i = 0; i < columns; ++i) {
    groups.push_back({kNames[i], 1, ColumnKind::number, small.side.low, small.side.high, small.side.absent});
  }
  tables.schema = Schema::make(groups).value();
  tables.model = small.model;
  std::vector<std::uint16_t> classes;
  for (std::size_t i = small.model.classes.size(); i-- > 0;) classes.push_back(static_cast<std::uint16_t>(i));
  const Question question = Question::make(small.model, classes, small.odds).value();
  const std::string words = words_of(tables, question, choices);
  const double step = (small.side.high - small.side.low) / 4;
  std::vector<std::size_t> strides(columns, 1);
  for (std::size_t i = 1; i < columns; ++i) strides[i] = 5 * strides[i - 1];
  std::vector<std::uint32_t> answers(5 * strides.back());
  for (std::size_t input = 0; input < answers.size(); ++input) {
    std::vector<float> row;
    for (const std::size_t stride : strides) {
      row.push_back(static_cast<float>(small.side.low + step * static_cast<double>(input / stride % 5)));
    }
    answers[input] = answer_of(small.model, question, choices, tables.schema, Row::dense(row), key);
  }
  for (std::size_t column = 0; column < columns; ++column) {
    bool decides = false;
    for (std::size_t input = 0; input < answers.size(); ++input) {
      const std::size_t without = input - input / strides[column] % 5 * strides[column];
      decides = decides || answers[input] != answers[without];
    }
    const bool named = words.find(kNames[column]) != std::string::npos;
    (named ? said.named : said.silent) += 1;
    said.decided += static_cast<std::size_t>(decides);
    ASSERT_TRUE(named || !decides) << kNames[column] << " decides: " << words;
  }
}

// Two columns, two classes: all weights and biases of -1, 0 and 1, odds that add to them or cancel them, leads, and columns that
// lie on one side of absent or on both.
TEST(Consent, AColumnThatIsNotNamedNeverChangesAnAnswer) {
  Said said;
  const auto digit = [](int number, int place) {
    return number / (place == 0 ? 1 : place == 1 ? 3 : place == 2 ? 9 : 27) % 3 - 1;
  };
  for (const Side& side : kSides) {
    for (int weights = 0; weights < 81; ++weights) {
      for (const int bias : {-1, 0, 1}) {
        for (const int odds : {-1, 0, 1, 2}) {  // 2: the plan is not fused
          for (std::uint32_t leads = 0; leads < 3; ++leads) {
            Small small({"red", "blue"}, side);
            small.model.biases = {0, bias};
            for (int i = 0; i < 4; ++i) small.model.weights.push_back(static_cast<std::int16_t>(digit(weights, i)));
            for (std::uint32_t i = 0; i < leads; ++i) small.model.confident.push_back(i + 1);
            if (odds < 2) {
              small.model.unit = 1;
              small.odds = {static_cast<std::int16_t>(256 * odds), 0};
            }
            for (const std::uint64_t key : {1u, 2u}) expect_silent_columns_decide_nothing(small, 2, key, said);
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
  // The test can fail, and naming every column would not be what it asks for.
  EXPECT_GT(said.silent, 500u);
  EXPECT_GT(said.decided, said.named / 2);
}

TEST(Consent, NorDoesItAmongThreeClassesAndThreeColumns) {
  seeded::SeededStream bits(30, seeded::Purpose::test, 0);
  const auto small_number = [&](std::uint64_t size) {
    return static_cast<int>(random::below(2 * size + 1, bits)) - static_cast<int>(size);
  };
  Said said;
  for (int trial = 0; trial < 3000; ++trial) {
    const Side& side = kSides[static_cast<std::size_t>(trial) % 3];
    Small small({"red", "blue", "green"}, side);
    const int bias = small_number(2);
    for (int i = 0; i < 3; ++i) {
      small.model.biases.push_back(trial % 2 == 0 ? bias : small_number(2));
      for (int column = 0; column < 3; ++column) {
        small.model.weights.push_back(static_cast<std::int16_t>(column == 1 ? 1 : small_number(3)));
      }
    }
    if (trial % 5 == 0) small.model.confident = {1 + static_cast<std::uint32_t>(random::below(3, bits))};
    if (trial % 7 == 0) {
      small.model.unit = 128;
      for (int i = 0; i < 3; ++i) small.odds.push_back(static_cast<std::int16_t>(small_number(4)));
    }
    for (const std::uint32_t choices : {2u, 3u}) expect_silent_columns_decide_nothing(small, choices, 5, said);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(said.silent, 500u);
}

std::string said_of(const std::vector<std::int16_t>& weights, const std::vector<std::int32_t>& biases,
                    const std::vector<std::uint32_t>& confident) {
  PlanRequest request = test::answer_request({1, 2}, 2, 2);
  request.columns = {{"account", 1, ColumnKind::binary, 0, 1, 0}, {"illness", 1, ColumnKind::binary, 0, 1, 0}};
  request.model->weights = weights;
  request.model->biases = biases;
  request.model->confident = confident;
  request.shape.outcomes = 2 * request.model->confidences();
  const Plan plan = test::plan_of(request);
  const std::string words = words_of(plan.tables(), Question::make(*plan.tables().model, {0, 1}).value(), 2);
  return words.substr(words.find("? ") + 2);
}

TEST(Consent, ABiasGivesEveryColumnWeightAndSoDoesALead) {
  // Who has an account answers "class 1", unless illness thins it out.
  EXPECT_EQ(said_of({0, 0, 100, 0}, {0, -60}, {}), "2 columns weigh in it: illness, account.");
  // Any column makes the lead that the biases have one that counts.
  EXPECT_EQ(said_of({0, 0, 0, 0}, {0, 10}, {5}), "2 columns weigh in it: account, illness.");
  EXPECT_EQ(said_of({0, 0, 100, 0}, {7, 7}, {5}), "2 columns weigh in it: account, illness.");
  EXPECT_EQ(said_of({0, 0, 100, 0}, {7, 7}, {}), "1 column weighs in it: account.");
  EXPECT_EQ(said_of({0, 0, 0, 0}, {7, 7}, {}), "No column weighs in it.");
}

}  // namespace
}  // namespace ppgnn::ldp
