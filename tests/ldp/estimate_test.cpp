#include "ppgnn/ldp/estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "support/plans.hpp"

namespace ppgnn::ldp {
namespace {

using test::plan_of;

struct Moments {
  double mean = 0;
  double variance = 0;
  double error = 0;  // standard error of the mean
};

// Mean and variance of the estimate of one coordinate, over levels drawn from the plan's uniform prior.
Moments simulate(const Plan& plan, const Row& row, std::uint32_t coordinate, std::size_t reports) {
  const Estimator estimator(plan.tables());
  seeded::SeededStream bits(3, seeded::Purpose::test, coordinate);
  Report report;
  std::vector<EstimateEntry> entries;
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < reports; ++i) {
    const auto level = static_cast<std::uint32_t>(random::below(plan.levels().size(), bits)) + 1;
    perturb(plan, Level{level}, row, bits, report);
    estimator.estimate(report, entries);
    double value = 0;
    for (const EstimateEntry& entry : entries) {
      if (entry.column == coordinate) value = entry.value;
    }
    sum += value;
    squares += value * value;
  }
  const double count = static_cast<double>(reports);
  const double mean = sum / count;
  const double variance = squares / count - mean * mean;
  return {mean, variance, std::sqrt(variance / count)};
}

// z = 6: a false alarm of 2e-9 a comparison; the seed is fixed, so a pass stays a pass.
constexpr double kZ = 6;

TEST(Estimator, SignEstimatesAreUnbiasedWithTheStatedVariance) {
  for (const double gamma : {0.0, 0.5}) {
    for (const LevelSecrecy secrecy : {LevelSecrecy::protected_level, LevelSecrecy::public_level}) {
      if (gamma > 0 && secrecy == LevelSecrecy::public_level) continue;
      PlanRequest request = test::number_request({1, 3, 6}, 4);
      request.gamma = gamma;
      request.secrecy = secrecy;
      const Plan plan = plan_of(request);
      const Estimator estimator(plan.tables());
      const std::vector<float> values{0.8F, -0.3F, 0.0F, -1.0F};
      for (std::uint32_t column = 0; column < 4; ++column) {
        const Moments moments = simulate(plan, Row::dense(values), column, 200000);
        const double x = static_cast<double>(values[column]);
        EXPECT_NEAR(moments.mean, x, kZ * moments.error);
        double variance = 0;
        for (std::size_t i = 0; i < estimator.cases(); ++i)
          variance += estimator.probability(i) * estimator.variance(i, x);
        // Relative error of a variance from 200,000 draws of a bounded variable: well below 2%.
        EXPECT_NEAR(moments.variance, variance, .02 * variance);
      }
    }
  }
}

TEST(Estimator, CategoryEstimatesAreUnbiasedWithTheStatedVariance) {
  for (const double gamma : {0.0, 0.5}) {
    PlanRequest request = test::category_request({1, 3}, 4);
    request.gamma = gamma;
    const Plan plan = plan_of(request);
    const Estimator estimator(plan.tables());
    const std::vector<float> value{2.0F};
    for (std::uint32_t category = 0; category < 4; ++category) {
      const Moments moments = simulate(plan, Row::dense(value), category, 200000);
      const double x = category == 2 ? 1 : 0;
      EXPECT_NEAR(moments.mean, x, kZ * moments.error);
      double variance = 0;
      for (std::size_t i = 0; i < estimator.cases(); ++i)
        variance += estimator.probability(i) * estimator.variance(i, x);
      EXPECT_NEAR(moments.variance, variance, .03 * variance);
    }
  }
}

TEST(Estimator, PriorMovesTheGainButNotTheCertificate) {
  PlanRequest request = test::signs_request({1, 8}, 50);
  const Plan uniform = plan_of(request);
  request.prior = {.9, .1};
  request.shape.sampled = uniform.levels()[0].sampled;
  const Plan skewed = plan_of(request);
  EXPECT_LT(Estimator(skewed.tables()).gain(0), Estimator(uniform.tables()).gain(0));
  EXPECT_EQ(skewed.certificate().pair_max, uniform.certificate().pair_max);
  EXPECT_EQ(skewed.levels()[1].entry, uniform.levels()[1].entry);
}

TEST(Estimator, ScaleUndoesSamplingAndGain) {
  PlanRequest request = test::signs_request({2}, 50);
  request.shape.sampled = 3;
  const Plan plan = plan_of(request);
  const Estimator estimator(plan.tables());
  EXPECT_NEAR(estimator.gain(0), std::tanh(1.0 / 3), 1e-12);
  EXPECT_NEAR(SignBits::scale(estimator.gain(0), estimator.shape(0)), 50 / (3 * std::tanh(1.0 / 3)), 1e-9);
  std::vector<EstimateEntry> entries;
  estimator.estimate(
      {.round = 0, .reported_level = {}, .columns = {1, 7, 40}, .signs = {1, -1, 1}, .outcomes = {}, .question = {}},
      entries);
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[1].column, 7u);
  EXPECT_EQ(entries[1].value, -SignBits::scale(estimator.gain(0), estimator.shape(0)));
}

}  // namespace
}  // namespace ppgnn::ldp
