#include "ppgnn/ldp/subset_response.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "support/plans.hpp"
#include "support/scripted_bits.hpp"

namespace ppgnn::ldp {
namespace {

using test::expect_relative;

Shape shape_of(std::uint32_t outcomes, std::uint32_t favoured, std::uint32_t repeats = 1) {
  return {9, repeats, outcomes, favoured};
}

// To thirty digits, from the definitions in docs/proofs/subset_response.md.
TEST(SubsetResponse, CapsOfTheReview) {
  struct Row {
    Shape shape;
    double cap;
  };
  for (const Row& row : {Row{shape_of(2, 1), 2.20908045423191268}, Row{shape_of(3, 1), 2.38191552452210574},
                         Row{shape_of(4, 1), 2.52923461793854605}, Row{shape_of(7, 1), 2.87349385005081312},
                         Row{shape_of(10, 1), 2.73183586666260191}, Row{shape_of(500, 63), 2.96051597724889743},
                         Row{shape_of(126, 15), 2.99746204679711845}}) {
    EXPECT_NEAR(SubsetResponse::cap(1, 1, row.shape), row.cap, 1e-9);
  }
}

TEST(SubsetResponse, LossesOfTheReview) {
  struct Row {
    Shape shape;
    double first, second, level, pair, inside;
  };
  for (const Row& row :
       {Row{shape_of(6, 2), 1, 2.5, 1.10056367045908391, 2.10056367045908391, 0.576116884765829110},
        Row{shape_of(5, 1), .5, 3, 1.45018233690598871, 1.95018233690598871, 0.291875132740578320},
        Row{shape_of(256, 32), 1, 2.96, 0.995482980419372066, 1.99548298041937207, 0.279708067376562459}}) {
    const std::uint64_t strict = SubsetResponse::quantise(row.first, row.shape);
    const std::uint64_t relaxed = SubsetResponse::quantise(row.second, row.shape);
    EXPECT_NEAR(std::ldexp(static_cast<double>(strict), -62), row.inside, 1e-9);
    const auto level = [&](auto a, auto b) { return SubsetResponse::level_loss(a, b, row.shape); };
    const auto pair = [&](auto a, auto b) { return SubsetResponse::pair_loss(a, b, row.shape); };
    EXPECT_NEAR(std::max(level(strict, relaxed), level(relaxed, strict)), row.level, 1e-9);
    EXPECT_NEAR(std::max(pair(strict, relaxed), pair(relaxed, strict)), row.pair, 1e-9);
    EXPECT_NEAR(SubsetResponse::features_loss(strict, row.shape), row.first, 1e-9);
    EXPECT_LE(SubsetResponse::features_loss(strict, row.shape), row.first);
  }
}

// The largest log-ratio over every pair of sets with K members and every outcome, for every small M and K.
TEST(SubsetResponse, LossesAreTheLargestThereAre) {
  for (std::uint32_t outcomes = 2; outcomes <= 6; ++outcomes) {
    for (std::uint32_t favoured = 1; favoured <= std::min(outcomes - 1, 3u); ++favoured) {
      for (const std::uint32_t repeats : {1u, 3u, 64u}) {
        const Shape shape = shape_of(outcomes, favoured, repeats);
        const std::uint64_t entries[] = {SubsetResponse::quantise(.3, shape), SubsetResponse::quantise(2, shape),
                                         SubsetResponse::quantise(7, shape)};
        const auto chance = [&](std::uint64_t entry, std::uint32_t set, std::uint32_t outcome) {
          const long double inside = static_cast<long double>(entry) * 0x1p-62L;
          return (set >> outcome & 1) != 0 ? inside / favoured : (1 - inside) / (outcomes - favoured);
        };
        for (const std::uint64_t first : entries) {
          for (const std::uint64_t second : entries) {
            long double level = 0;
            long double pair = 0;
            for (std::uint32_t x = 0; x < 1u << outcomes; ++x) {
              if (std::popcount(x) != static_cast<int>(favoured)) continue;
              for (std::uint32_t y = 0; y < 1u << outcomes; ++y) {
                if (std::popcount(y) != static_cast<int>(favoured)) continue;
                for (std::uint32_t o = 0; o < outcomes; ++o) {
                  const long double loss = repeats * std::log(chance(first, x, o) / chance(second, y, o));
                  pair = std::max(pair, loss);
                  if (x == y) level = std::max(level, loss);
                }
              }
            }
            EXPECT_NEAR(SubsetResponse::pair_loss(first, second, shape), static_cast<double>(pair), 1e-9);
            EXPECT_GE(SubsetResponse::pair_loss(first, second, shape), static_cast<double>(pair));
            EXPECT_NEAR(SubsetResponse::level_loss(first, second, shape), static_cast<double>(level), 1e-9);
            EXPECT_GE(SubsetResponse::level_loss(first, second, shape) + 1e-18, static_cast<double>(level));
          }
        }
      }
    }
  }
}

// Nothing larger keeps the level within its budget, by either event.
TEST(SubsetResponse, TheCapIsTheLargestBudget) {
  for (const Shape& shape :
       {shape_of(2, 1), shape_of(10, 1), shape_of(126, 15), shape_of(1000, 3), shape_of(12, 5, 2)}) {
    for (const double level_budget : {.2, 1.0, 4.0}) {
      for (const double strictest : {.1, 1.0, 3.0}) {
        const std::uint64_t strict = SubsetResponse::quantise(strictest, shape);
        const auto loss = [&](double budget) {
          const std::uint64_t entry = SubsetResponse::quantise(budget, shape);
          return std::max(SubsetResponse::level_loss(strict, entry, shape),
                          SubsetResponse::level_loss(entry, strict, shape));
        };
        const double cap = SubsetResponse::cap(level_budget, strictest, shape);
        EXPECT_LE(loss(cap * (1 - 1e-12)), level_budget + 1e-9) << shape.outcomes;
        EXPECT_GT(loss(cap * 1.001), level_budget) << shape.outcomes;
      }
    }
  }
}

TEST(SubsetResponse, GainAndInformationAreWhatTheySay) {
  const Shape shape = shape_of(1000, 198);
  const std::uint64_t entry = SubsetResponse::quantise(1, shape);
  const double inside = std::ldexp(static_cast<double>(entry), -62);
  expect_relative(SubsetResponse::gain(entry, shape), inside / 198 - (1 - inside) / 802, 1e-12);
  // The review's formula for the best share of favoured buckets, at 1, 2 and 4 nats.
  const auto information = [](double budget, std::uint32_t outcomes, std::uint32_t favoured,
                              std::uint32_t repeats = 1) {
    const Shape one = shape_of(outcomes, favoured, repeats);
    return SubsetResponse::information(SubsetResponse::gain(SubsetResponse::quantise(budget, one), one), one);
  };
  expect_relative(information(1, 10000, 1977), 0.209339476752581942, 1e-9);
  expect_relative(information(2, 10000, 997), 1.23098169817686742, 1e-9);
  expect_relative(information(4, 10000, 174), 12.9215587707595440, 1e-9);
  expect_relative(information(12, 10000, 174, 3), 3 * 12.9215587707595440, 1e-9);
}

// The smallest entry favours the favoured, by the last bit.
// Of r draws that share a level: the mean of their variances, r times less, and all of what differs between levels.
TEST(SubsetResponse, ManyDrawsAreEstimatedTogether) {
  const double gains[] = {.1, .3};
  const double gain = .2;
  const double spread = .01;  // of the two, each as likely
  for (const std::uint32_t repeats : {1u, 2u, 3u, 10u, 64u}) {
    const Shape shape = shape_of(5, 2, repeats);
    for (const double favoured : {0.0, 1.0}) {
      double inside = 0;
      double mean = 0;
      double square = 0;
      for (const double one : gains) {
        const double chance = (1 - 2 * one) / 5 + favoured * one;
        inside += chance * (1 - chance) / 2;
        mean += chance / 2;
        square += chance * chance / 2;
      }
      const double expected = (inside / repeats + square - mean * mean) / (gain * gain);
      EXPECT_NEAR(SubsetResponse::variance(gain, favoured, shape, spread), expected, 1e-12) << repeats;
    }
    // As many of one outcome as there are draws: its share is 1.
    Report report;
    report.outcomes.assign(repeats, 3);
    std::vector<EstimateEntry> estimate;
    SubsetResponse::estimate(report, gain, shape, estimate);
    ASSERT_EQ(estimate.size(), 5u);
    for (std::uint32_t outcome = 0; outcome < 5; ++outcome) {
      EXPECT_NEAR(estimate[outcome].value, ((outcome == 3 ? 1 : 0) - (1 - 2 * gain) / 5) / gain, 1e-12) << repeats;
    }
  }
}

TEST(SubsetResponse, EntriesFavourTheFavoured) {
  for (const Shape& shape : {shape_of(2, 1), shape_of(3, 1), shape_of(6, 3), shape_of(7, 3), shape_of(65536, 512)}) {
    const EntryRange range = SubsetResponse::entries(shape);
    const auto times = [&](std::uint64_t entry) { return random::UInt128{entry} * shape.outcomes; };
    const random::UInt128 even = (random::UInt128{1} << 62) * shape.favoured;
    EXPECT_TRUE(times(range.low) > even && times(range.low - 1) <= even);
    EXPECT_EQ(range.high, (std::uint64_t{1} << 62) - 1);
  }
}

// Every place and every outsider, also beyond eight and twelve bits: the very words that lead there.
TEST(SubsetResponse, EveryOutcomeIsReachedByItsWords) {
  struct Row {
    std::uint32_t outcomes, favoured, step;
  };
  for (const Row& row : {Row{5, 2, 2}, Row{6, 3, 1}, Row{1024, 512, 2}, Row{65536, 512, 127}, Row{65536, 1, 1}}) {
    std::vector<std::uint32_t> set(row.favoured);
    for (std::uint32_t i = 0; i < row.favoured; ++i) set[i] = 1 + i * row.step;
    std::vector<std::uint32_t> outsiders;
    for (std::uint32_t o = 0; o < row.outcomes; ++o) {
      if (!std::binary_search(set.begin(), set.end(), o)) outsiders.push_back(o);
    }
    const Shape shape = shape_of(row.outcomes, row.favoured);
    const std::uint64_t entry = SubsetResponse::quantise(2, shape);
    const auto draw = [&](bool inside, std::uint64_t place, std::uint64_t other) {
      std::vector<std::uint64_t> words{(inside ? entry - 1 : entry) << 2};
      if (row.favoured > 1) words.push_back(test::word_for(place, row.favoured));
      words.push_back(test::word_for(other, outsiders.size()));
      test::ScriptedBits bits(words);
      Report report;
      SubsetResponse::respond(set, shape, entry, bits, report);
      EXPECT_EQ(bits.used(), words.size());
      return report.outcomes.at(0);
    };
    for (std::uint64_t place = 0; place < row.favoured; ++place) EXPECT_EQ(draw(true, place, 0), set[place]);
    for (std::uint64_t other = 0; other < outsiders.size(); other += 1 + outsiders.size() / 3000) {
      ASSERT_EQ(draw(false, 0, other), outsiders[other]);
    }
    EXPECT_EQ(draw(false, row.favoured - 1, outsiders.size() - 1), outsiders.back());
  }
}

TEST(SubsetResponse, DecodesNothingOutOfRange) {
  const Shape shape = shape_of(300, 5, 2);
  const auto problem = [&](std::vector<std::uint8_t> payload) {
    Report report;
    return SubsetResponse::decode(payload, shape, report);
  };
  EXPECT_EQ(problem({1, 43, 0, 0}), "");
  EXPECT_EQ(problem({1, 44, 0, 0}), "out of range");
  EXPECT_EQ(problem({0, 0, 1, 44}), "out of range");
  EXPECT_EQ(problem({0, 0}), "wrong length");
}

// Claims hold for any plan that the planner makes, and every plan reads back.
TEST(SubsetResponse, TwoThousandRandomPlansHold) {
  seeded::SeededStream bits(1, seeded::Purpose::test, 0);
  const auto below = [&](std::uint64_t bound) { return static_cast<std::uint32_t>(random::below(bound, bits)); };
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> budgets(1 + below(6));
    double budget = .01 + .001 * below(3000);
    for (double& one : budgets) one = budget *= 1.01 + .001 * below(1000);
    const std::uint32_t kind = below(3);
    const std::uint32_t dim = 2 + below(300);
    const std::uint32_t outcomes = 4 + below(kind == 1 ? 1021 : 60000);
    const std::uint32_t favoured = 1 + below(std::min(outcomes / 2, kMaxFavoured));
    PlanRequest request = kind == 0   ? test::bucket_request(budgets, dim, outcomes, favoured)
                          : kind == 1 ? test::direction_request(budgets, dim, outcomes, favoured)
                                      : test::answer_request(budgets, dim, 2 + below(9));
    request.shape.sampled = kind == 2 ? 1 : 1 + below(5);
    if (below(2) == 0) request.secrecy = LevelSecrecy::public_level;
    if (below(2) == 0 && request.secrecy == LevelSecrecy::protected_level)
      request.level_budget = .05 + .001 * below(4000);
    const auto plan = make_plan(request);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_TRUE(plan->certificate().holds());
    for (std::size_t level = 0; level < budgets.size(); ++level) {
      EXPECT_LE(plan->certificate().features[level], budgets[level]);
    }
    const auto again = Plan::parse(plan->text());
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->hash(), plan->hash());
  }
}

}  // namespace
}  // namespace ppgnn::ldp
