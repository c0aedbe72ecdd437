#include "ppgnn/ldp/sign_bits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/plans.hpp"

namespace ppgnn::ldp {
namespace {

using test::expect_relative;

// Vectors computed with 50 digits, from the privacy review.
TEST(SignBits, GainScaleAndVarianceMatchTheVectors) {
  struct Vector {
    std::uint32_t dim;
    double budget;
    std::uint32_t sampled;
    double gain, scale, plus_at_quarter, variance_at_zero, variance_at_quarter;
  };
  const std::vector<Vector> vectors{
      {1433, 0.005, 1, 0.002499994791679687, 573201.1941661691, 0.5003124993489600, 229280955.3339304,
       229280955.2714304},
      {1433, 0.5, 1, 0.2449186624037091, 5850.922040550464, 0.5306148328004636, 23889.24544633580, 23889.18294633580},
      {1433, 1, 1, 0.4621171572600098, 3100.945241887490, 0.5577646446575012, 6710.301041999066, 6710.238541999066},
      {1433, 4, 1, 0.9640275800758169, 1486.471994802576, 0.6205034475094771, 1541.939282157956, 1541.876782157956},
      {1433, 4, 2, 0.7615941559557649, 940.7897820602709, 0.5951992694944706, 1235.290180082361, 1235.227680082361},
      {1433, 8, 3, 0.8700616617426719, 549.0032346787171, 0.6087577077178340, 630.9934787600025, 630.9309787600025},
      {1433, 8, 4, 0.7615941559557649, 470.3948910301354, 0.5951992694944706, 617.6450900411807, 617.5825900411807},
      {1433, 16, 7, 0.8153739424954040, 251.0679763542230, 0.6019217428119255, 307.9175863602463, 307.8550863602463},
      {500, 48, 21, 0.8153739424954040, 29.20074160900477, 0.6019217428119255, 35.81269904166623, 35.75019904166623},
      {500, 48, 22, 0.7972097086650385, 28.50852477114273, 0.5996512135831298, 35.76038332358178, 35.69788332358178},
      {3703, 0.01, 1, 0.004999958333749996, 740606.1716563806, 0.5006249947917187, 148122468.6728383,
       148122468.6103383},
      {10, 48, 10, 0.9836748576936802, 1.016596075602253, 0.6229593572117100, 1.033467580929902, 0.9709675809299017},
      {1433, 3.2, 1, 0.9216685544064713, 1554.788858911230, 0.6152085693008089, 1686.928399019179, 1686.865899019179},
      {1433, 3.2, 2, 0.6640367702678490, 1079.006513014316, 0.5830045962834811, 1624.919825718511, 1624.857325718511},
  };
  for (const Vector& v : vectors) {
    const Shape shape{v.dim, v.sampled, 2};
    const double gain = SignBits::gain(SignBits::quantise(v.budget, shape), shape);
    expect_relative(gain, v.gain, 1e-12);
    expect_relative(v.dim / (v.sampled * gain), v.scale, 1e-12);
    expect_relative((1 + 0.25 * gain) / 2, v.plus_at_quarter, 1e-12);
    expect_relative(SignBits::variance(gain, 0, shape), v.variance_at_zero, 1e-12);
    expect_relative(SignBits::variance(gain, 0.25, shape), v.variance_at_quarter, 1e-12);
  }
}

TEST(SignBits, LevelAndPairLossesMatchTheVectors) {
  struct Vector {
    double strict, relaxed;
    std::uint32_t sampled;
    double level_out, level_back, pair_out, pair_back;
  };
  for (const Vector& v :
       {Vector{0.5, 31.5, 8, 25.85539107317410, 5.144608926825895, 26.35539107317410, 5.644608926825895},
        Vector{1, 32, 7, 26.70215809733442, 4.297841902665583, 27.70215809733442, 5.297841902665583},
        Vector{0.01, 0.32, 1, 0.1677332566722130, 0.1422667433277870, 0.1777332566722130, 0.1522667433277870}}) {
    const Shape shape{1433, v.sampled, 2};
    const std::uint64_t strict = SignBits::quantise(v.strict, shape);
    const std::uint64_t relaxed = SignBits::quantise(v.relaxed, shape);
    expect_relative(SignBits::level_loss(strict, relaxed, shape), v.level_out, 1e-12);
    expect_relative(SignBits::level_loss(relaxed, strict, shape), v.level_back, 1e-12);
    expect_relative(SignBits::pair_loss(strict, relaxed, shape), v.pair_out, 1e-12);
    expect_relative(SignBits::pair_loss(relaxed, strict, shape), v.pair_back, 1e-12);
  }
}

TEST(SignBits, CapMatchesTheVectors) {
  const auto cap = [](double level_budget, double lambda, double strictest, std::uint32_t sampled) {
    return SignBits::cap(level_budget - lambda, strictest, {1433, sampled, 2});
  };
  expect_relative(cap(4, 0, 1, 3), 6.271203029579965, 1e-12);
  expect_relative(cap(1, 0, 1, 1), 2.209080454231913, 1e-12);
  expect_relative(cap(1, 0, 0.1, 1), 1.552327277962095, 1e-12);
  expect_relative(cap(8, 1.5, 1.5, 4), 9.758059117127905, 1e-12);
}

TEST(SignBits, BestSampleSwitchesExactlyWhereTheReviewSays) {
  const double switches[] = {3.057141838962, 5.319868393300, 7.532805550057, 9.729749512839, 11.91951183508,
                             14.10542887237, 16.28904588302, 18.47117745940, 20.65229395147, 22.83268600933};
  std::uint32_t sampled = 1;
  for (const double at : switches) {
    EXPECT_EQ(SignBits::best_sampled(at * (1 - 1e-11), 1433), sampled) << at;
    EXPECT_EQ(SignBits::best_sampled(at * (1 + 1e-11), 1433), ++sampled) << at;
  }
  EXPECT_EQ(SignBits::best_sampled(1e-6, 1433), 1u);
  EXPECT_EQ(SignBits::best_sampled(48, 10), 10u);
  // Against the definition: no sample size has a smaller variance.
  for (double budget = 0.05; budget < 512; budget *= 1.07) {
    const auto variance = [&](std::uint32_t m) {
      const Shape shape{100000, m, 2};
      return SignBits::variance(std::tanh(budget / (2 * m)), 0, shape);
    };
    const std::uint32_t best = SignBits::best_sampled(budget, 100000);
    for (std::uint32_t other = 1; other < 300; ++other)
      EXPECT_LE(variance(best), variance(other) * (1 + 1e-14)) << budget;
  }
}

// The review's claim, for 2,009 budgets a bit from 1e-9 to 700: the loss of the integer never exceeds the budget.
TEST(SignBits, ThresholdsAreRoundedTowardPrivacy) {
  const Shape shape{1, 1, 2};
  for (int i = 0; i < 2009; ++i) {
    const double budget = 1e-9 * std::pow(700e9, i / 2008.0);
    const std::uint64_t entry = SignBits::quantise(budget, shape);
    ASSERT_LT(entry, std::uint64_t{1} << 62);
    // The exact loss in extended precision, and the one the certificate states, which is rounded up.
    const long double one = 0x1p62L;
    const long double t = static_cast<long double>(entry);
    const long double exact = std::log1p(2 * t / (one - t));
    EXPECT_LE(exact, static_cast<long double>(budget));
    EXPECT_GE(static_cast<long double>(SignBits::features_loss(entry, shape)), exact);
    EXPECT_LE(SignBits::features_loss(entry, shape), budget) << budget;
    // And little is given away where a bit is ever used; beyond, the loss saturates near 34.
    if (budget < 10) {
      EXPECT_GE(exact, static_cast<long double>(budget) * (1 - 2e-9L));
    }
  }
}

// Up to as many as a report may have: each of them loses as much as one alone.
TEST(SignBits, ManySignsLoseAsMuchAsEachOfThem) {
  for (const std::uint32_t sampled : {1u, 63u, 64u, 65u, 100u, 512u}) {
    const Shape shape{1000, sampled};
    const std::uint64_t entries[] = {SignBits::quantise(.5 * sampled, shape), SignBits::quantise(2 * sampled, shape)};
    for (const std::uint64_t first : entries) {
      for (const std::uint64_t second : entries) {
        const long double one = static_cast<long double>(first) * 0x1p-62L;
        const long double other = static_cast<long double>(second) * 0x1p-62L;
        const long double pair = sampled * std::log((1 + one) / (1 - other));
        const long double level =
            sampled * std::max(std::log((1 + one) / (1 + other)), std::log((1 - one) / (1 - other)));
        EXPECT_GE(SignBits::pair_loss(first, second, shape), static_cast<double>(pair)) << sampled;
        EXPECT_NEAR(SignBits::pair_loss(first, second, shape), static_cast<double>(pair), 1e-9) << sampled;
        EXPECT_NEAR(SignBits::level_loss(first, second, shape), static_cast<double>(level), 1e-9) << sampled;
      }
    }
  }
}

TEST(SignBits, ManySignsAreEstimatedEachOne) {
  const Shape shape{1000, 100};
  Report report;
  for (std::uint32_t i = 0; i < 100; ++i) {
    report.columns.push_back(7 * i);
    report.signs.push_back(i % 3 == 0 ? 1 : -1);
  }
  std::vector<EstimateEntry> estimate;
  SignBits::estimate(report, .25, shape, estimate);
  ASSERT_EQ(estimate.size(), 100u);
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(estimate[i].column, 7 * i);
    EXPECT_EQ(estimate[i].value, i % 3 == 0 ? 40 : -40);
  }
}

}  // namespace
}  // namespace ppgnn::ldp
