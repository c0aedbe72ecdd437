#include "ppgnn/ldp/decide.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "support/models.hpp"

namespace ppgnn::ldp {
namespace {

struct Expected {
  std::vector<long double> probabilities;
  std::vector<long double> scores;  // in nats
};

// The same by its definition in long double: hint, plus evidence * (mean weight + bias) * sqrt(total / length).
Expected expected_of(const PublishedModel& published, const Hint& hint, const Row& row) {
  const DecisionTables& tables = published.tables();
  const std::size_t classes = published.classes();
  std::vector<std::int32_t> odds(classes);
  hint.odds(published, odds);
  std::vector<long double> sums(classes, 0);
  long double total = 0;
  row.for_each(tables.schema.dim(), [&](std::uint32_t column, double value) {
    const auto step = static_cast<long double>(Schema::difference(tables.schema.group_of(column), value) / 32768);
    total += std::abs(step);
    for (std::size_t c = 0; c < classes; ++c) {
      sums[c] += step * static_cast<long double>(tables.model.weights_of(c)[column]);
    }
  });
  const long double length = static_cast<long double>(tables.model.length);
  const long double factor = length > 0 ? std::sqrt(total / length) : 1;
  Expected expected;
  for (std::size_t c = 0; c < classes; ++c) {
    const long double mean = total > 0 ? sums[c] / total + static_cast<long double>(tables.model.biases[c]) : 0;
    expected.scores.push_back(static_cast<long double>(odds[c]) / 256 +
                              std::ldexp(static_cast<long double>(tables.evidence), -32) * mean * factor);
  }
  const long double most = *std::max_element(expected.scores.begin(), expected.scores.end());
  long double all = 0;
  for (const long double score : expected.scores) {
    expected.probabilities.push_back(std::exp(score - most));
    all += expected.probabilities.back();
  }
  for (long double& one : expected.probabilities) one /= all;
  return expected;
}

// Every probability within `units` of 2^-16, and reasons that add up.
void check(const PublishedModel& published, const Hint& hint, const Row& row, double units = 6) {
  const std::size_t classes = published.classes();
  std::vector<std::uint32_t> probabilities(classes);
  std::vector<std::int32_t> groups(published.tables().schema.groups().size());
  const Decision decision = decide(published, hint, row, probabilities, groups);
  const Expected expected = expected_of(published, hint, row);
  EXPECT_EQ(std::accumulate(probabilities.begin(), probabilities.end(), 0u), kCertain);
  for (std::size_t c = 0; c < classes; ++c) {
    EXPECT_NEAR(probabilities[c], static_cast<double>(65536 * expected.probabilities[c]), units) << c;
    EXPECT_GE(probabilities[c], 1u);
    EXPECT_LE(probabilities[c], probabilities[decision.first]);
    if (c != decision.first) {
      EXPECT_LE(probabilities[c], probabilities[decision.second]);
    }
  }
  std::vector<std::int32_t> odds(classes);
  hint.odds(published, odds);
  EXPECT_NE(decision.first, decision.second);
  EXPECT_EQ(decision.graph, odds[decision.first] - odds[decision.second]);
  const double lead = static_cast<double>(expected.scores[decision.first] - expected.scores[decision.second]);
  EXPECT_NEAR(decision.graph + decision.features, 256 * lead, 1.5 + 1e-3 * std::abs(256 * lead));
  EXPECT_NEAR(std::accumulate(groups.begin(), groups.end(), 0), decision.features, static_cast<double>(groups.size()));
  // Without room for reasons the rest is the same.
  std::vector<std::uint32_t> again(classes);
  const Decision brief = decide(published, hint, row, again, {});
  EXPECT_EQ(again, probabilities);
  EXPECT_EQ(brief.features, decision.features);
}

TEST(Decide, VectorsAreAsDocumented) {
  const PublishedModel model = *PublishedModel::make(test::small_decisions());
  const std::array<std::uint32_t, 2> words{0, 2};
  std::array<std::uint32_t, 3> probabilities{};
  std::array<std::int32_t, 2> groups{};
  const Decision decision = decide(model, *Hint::coarse(model, 1, 0, 2), Row::ones(words), probabilities, groups);
  EXPECT_EQ(decision.first, 1);
  EXPECT_EQ(decision.second, 0);
  EXPECT_EQ(probabilities, (std::array<std::uint32_t, 3>{27679, 29010, 8847}));
  EXPECT_EQ(decision.graph, 400);
  EXPECT_EQ(decision.features, -388);
  EXPECT_EQ(groups, (std::array<std::int32_t, 2>{-388, 0}));
}

TEST(Decide, IsItsDefinitionForEveryRowOfSmallModels) {
  for (const std::uint32_t evidence : {0u, 1u, 1u << 20, 1u << 26, 1u << 28}) {
    for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{1} << 12, std::uint64_t{3} << 16, kMaxLength}) {
      const PublishedModel model = *PublishedModel::make(test::small_decisions(HintKind::coarse, evidence, length));
      for (unsigned set = 0; set < 8; ++set) {
        for (const float age : {0.F, 13.F, 50.F, 51.F, 100.F, 1e9F}) {
          const std::array<float, 4> values{static_cast<float>(set & 1), static_cast<float>(set >> 1 & 1),
                                            static_cast<float>(set >> 2 & 1), age};
          const double units = evidence >= 1u << 28 ? 40 : 12;  // the factor has 14 bits
          check(model, Hint::usual(), Row::dense(values), units);
          for (std::uint16_t first = 0; first < 3; ++first) {
            check(model,
                  *Hint::coarse(model, first, static_cast<std::uint16_t>((first + 1) % 3),
                                static_cast<std::uint8_t>(set)),
                  Row::dense(values), units);
          }
        }
      }
    }
  }
}

TEST(Decide, TakesRowsInAnyForm) {
  const PublishedModel model = *PublishedModel::make(test::small_decisions());
  const std::array<std::uint32_t, 2> columns{1, 3};
  const std::array<float, 2> listed{1, 80};
  const std::array<float, 4> dense{0, 1, 0, 80};
  std::array<std::uint32_t, 3> one{};
  std::array<std::uint32_t, 3> other{};
  std::array<std::int32_t, 2> why{};
  std::array<std::int32_t, 2> other_why{};
  decide(model, Hint::usual(), Row::sparse(columns, listed), one, why);
  decide(model, Hint::usual(), Row::dense(dense), other, other_why);
  EXPECT_EQ(one, other);
  EXPECT_EQ(why, other_why);
  EXPECT_NE(why[0], 0);
  EXPECT_NE(why[1], 0);
}

TEST(Decide, LetsTheHintDecideWhereThereIsNothingElse) {
  const PublishedModel model = *PublishedModel::make(test::small_decisions(HintKind::full));
  const std::array<std::int16_t, 3> odds{-256, -512, 0};
  std::array<std::uint32_t, 3> probabilities{};
  std::array<std::int32_t, 2> groups{7, 7};
  const Decision decision = decide(model, *Hint::full(model, odds), Row::ones({}), probabilities, groups);
  EXPECT_EQ(decision.first, 2);
  EXPECT_EQ(decision.second, 0);
  EXPECT_EQ(decision.graph, 256);
  EXPECT_EQ(decision.features, 0);
  EXPECT_EQ(groups, (std::array<std::int32_t, 2>{0, 0}));
  const double all = 1 + std::exp(-1) + std::exp(-2);
  EXPECT_NEAR(probabilities[2], 65536 / all, 3);
  EXPECT_NEAR(probabilities[1], 65536 * std::exp(-2) / all, 3);
}

// The largest of everything that a legal model may have: nothing overflows (sanitizers watch), and the lead has its sign.
TEST(Decide, StaysWithinBoundsForEveryLegalModel) {
  for (const int width : {8, 16}) {
    const std::uint32_t columns = width == 8 ? 1u << 19 : 1u << 18;
    for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{1}, kMaxLength}) {
      DecisionTables tables;
      tables.campaign = "most";
      tables.schema = *Schema::make(
          {{"a", columns / 2, ColumnKind::binary, 0, 1, 0}, {"b", columns / 2, ColumnKind::number, -1, 1, -1}});
      const auto most = static_cast<std::int16_t>(width == 8 ? 127 : 32767);
      tables.model.width = width;
      tables.model.classes = {"a", "b"};
      tables.model.biases = {kMaxBias, -kMaxBias};
      tables.model.weights.assign(std::size_t{2} * columns, most);
      std::fill(tables.model.weights.begin() + columns, tables.model.weights.end(), static_cast<std::int16_t>(-most));
      tables.model.length = length;
      tables.evidence = std::numeric_limits<std::uint32_t>::max();
      tables.usual = {-32767, 0};
      tables.hint = HintKind::full;
      const PublishedModel model = *PublishedModel::make(tables);
      const std::vector<float> ones(columns, 1.F);
      std::array<std::uint32_t, 2> probabilities{};
      std::array<std::int32_t, 2> groups{};
      const Decision decision = decide(model, Hint::usual(), Row::dense(ones), probabilities, groups);
      EXPECT_EQ(decision.first, 0);
      EXPECT_EQ(probabilities[0], kCertain - 1);
      EXPECT_EQ(decision.features, 1 << 24);
      EXPECT_EQ(groups[0], 1 << 24);
      EXPECT_EQ(groups[1], 1 << 24);
    }
  }
}

TEST(Decide, MakesManyClassesSumToOne) {
  DecisionTables tables = test::small_decisions(HintKind::full);
  tables.model.classes.clear();
  for (int c = 0; c < 256; ++c) tables.model.classes.push_back("c" + std::to_string(c));
  tables.model.biases.assign(256, 0);
  tables.model.weights.assign(std::size_t{256} * 4, 0);
  tables.usual.assign(256, 0);
  const PublishedModel model = *PublishedModel::make(tables);
  std::vector<std::uint32_t> probabilities(256);
  decide(model, Hint::usual(), Row::ones({}), probabilities, {});
  EXPECT_EQ(probabilities, std::vector<std::uint32_t>(256, 256));
  std::vector<std::int16_t> odds(256, -32768);
  odds[255] = 0;
  const Decision decision = decide(model, *Hint::full(model, odds), Row::ones({}), probabilities, {});
  EXPECT_EQ(decision.first, 255);
  EXPECT_EQ(decision.second, 0);  // of equals the first
  EXPECT_EQ(probabilities[255], kCertain - 255);
  EXPECT_EQ(probabilities[0], 1u);
}

TEST(LengthFactor, IsTheRootBelow) {
  QuestionModel model;
  EXPECT_EQ(length_factor(model, 12345), 1u << 14);
  for (const std::uint64_t length : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{1} << 17, kMaxLength}) {
    model.length = length;
    for (const std::uint64_t total : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{65536}, kMaxLength}) {
      const std::uint64_t square = (total << 28) / length;
      const std::uint64_t root = length_factor(model, total);
      EXPECT_LE(root * root, square);
      EXPECT_GT((root + 1) * (root + 1), square);
    }
  }
}

}  // namespace
}  // namespace ppgnn::ldp
