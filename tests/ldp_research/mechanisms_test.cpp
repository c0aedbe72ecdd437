// The baselines and the paper's protocol: vectors, bias and variance, stated bounds, bad input.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ppgnn/ldp_research/gaussian.hpp"
#include "ppgnn/ldp_research/noise.hpp"
#include "ppgnn/ldp_research/paper_ppm.hpp"
#include "ppgnn/ldp_research/sampled_columns.hpp"
#include "ppgnn/ldp_research/strict_mechanism.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "support/plans.hpp"

namespace ppgnn::ldp_research {
namespace {

using test::expect_relative;

Schema numbers(std::uint32_t dim) {
  return Schema::make(test::number_request({1}, dim).columns).value();
}

std::vector<FeatureMechanismPtr> all_mechanisms(std::uint32_t dim) {
  std::vector<FeatureMechanismPtr> all;
  all.push_back(make_one_bit(numbers(dim), 3).value());
  all.push_back(make_laplace(numbers(dim), 3).value());
  all.push_back(make_gaussian(numbers(dim), 3).value());
  all.push_back(make_multi_bit(numbers(dim), 5).value());
  for (const PaperScale scale : {PaperScale::own_level, PaperScale::reported_level}) {
    for (const PaperNoise noise : {PaperNoise::local_randomizer, PaperNoise::laplace}) {
      all.push_back(make_paper_ppm(numbers(dim), {{1, 4, 12}, .3, scale, noise}).value());
    }
  }
  for (const double gamma : {0.0, .5}) {
    ldp::PlanRequest request = test::number_request({1, 4, 12}, dim);
    request.gamma = gamma;
    all.push_back(make_strict(test::plan_of(request)).value());
  }
  ldp::PlanRequest request = test::number_request({1, 4, 12}, dim);
  request.secrecy = ldp::LevelSecrecy::public_level;
  all.push_back(make_strict(test::plan_of(request)).value());
  return all;
}

// Every estimator has the stated mean and variance, at z = 6 (2e-9 a comparison, fixed seed).
TEST(FeatureMechanism, MeanAndVarianceAreAsStated) {
  constexpr int kReports = 60000;
  const std::vector<float> values{0.8F, -0.3F, 0.0F, -1.0F, 1.0F, 0.4F};
  std::uint64_t stream = 0;
  for (const auto& mechanism : all_mechanisms(6)) {
    for (const std::uint32_t level : {1u, 3u}) {
      seeded::SeededStream bits(5, seeded::Purpose::test, ++stream);
      std::vector<double> sum(6, 0);
      std::vector<double> square(6, 0);
      std::vector<double> fourth(6, 0);
      NoisyRow row;
      for (int i = 0; i < kReports; ++i) {
        mechanism->perturb(Level{level}, Row::dense(values), bits, row);
        mechanism->estimate(row);
        for (std::size_t entry = 0; entry < row.values.size(); ++entry) {
          const std::size_t column = row.columns.empty() ? entry : row.columns[entry];
          const double value = row.values[entry];
          sum[column] += value;
          square[column] += value * value;
          fourth[column] += value * value * value * value;
        }
      }
      for (std::size_t column = 0; column < 6; ++column) {
        const double x = std::ldexp(std::rint(std::ldexp(static_cast<double>(values[column]), 30)), -30);
        const double variance = mechanism->variance(Level{level}, x);
        const double mean = mechanism->mean(Level{level}, x);
        EXPECT_NEAR(sum[column] / kReports, mean, 6 * std::sqrt(variance / kReports)) << mechanism->name();
        const double second = variance + mean * mean;
        const double spread = std::sqrt(std::max(0.0, fourth[column] / kReports - second * second) / kReports);
        EXPECT_NEAR(square[column] / kReports, second, 6 * spread + 1e-9 * second) << mechanism->name();
      }
    }
  }
}

TEST(FeatureMechanism, OnlyTheStrictAndTheReportedScaleAreBiasedForOnePerson) {
  for (const auto& mechanism : all_mechanisms(6)) {
    const bool unbiased = mechanism->mean(Level{1}, .5) == .5;
    if (mechanism->name() == "strict") continue;
    if (mechanism->name() != "ppm") {
      EXPECT_TRUE(unbiased) << mechanism->name();
    }
  }
  const auto reported = make_paper_ppm(numbers(6), {{1, 4, 12}, .3, PaperScale::reported_level, {}}).value();
  EXPECT_LT(reported->mean(Level{1}, .5), .4);
}

TEST(MultiBit, MatchesTheVectors) {
  expect_relative(make_multi_bit(numbers(1433), 4).value()->variance(Level{1}, 0), 1541.939282157956, 1e-12);
  expect_relative(make_multi_bit(numbers(1433), 8).value()->variance(Level{1}, .25), 630.9309787600025, 1e-12);
  expect_relative(make_multi_bit(numbers(500), 48).value()->variance(Level{1}, .25), 35.75019904166623, 1e-12);
  expect_relative(make_multi_bit(numbers(10), 48).value()->variance(Level{1}, .25), 0.9709675809299017, 1e-12);
  EXPECT_EQ(paper_sampled(4.39, 1433), 1u);
  EXPECT_EQ(paper_sampled(4.41, 1433), 2u);
}

// One-bit is multi-bit on every column: coth^2(epsilon / 2 d) - x^2.
TEST(OneBit, MatchesItsFormula) {
  const auto mechanism = make_one_bit(numbers(1433), 1).value();
  const double t = std::tanh(1 / (2 * 1433.0));
  expect_relative(mechanism->variance(Level{1}, .25), 1 / (t * t) - .0625, 1e-12);
  seeded::SeededStream bits(1, seeded::Purpose::test, 0);
  NoisyRow row;
  mechanism->perturb(Level{1}, Row::ones({}), bits, row);
  EXPECT_TRUE(row.columns.empty());
  ASSERT_EQ(row.values.size(), 1433u);
  for (const double value : row.values) expect_relative(std::abs(value), 1 / t, 1e-11);
}

TEST(Laplace, HasScaleTwoDOverEpsilon) {
  expect_relative(make_laplace(numbers(1433), 1).value()->variance(Level{1}, 0), 2 * std::pow(2 * 1433.0, 2), 1e-12);
}

TEST(Gaussian, SigmaMatchesTheVectors) {
  expect_relative(gaussian_sigma(1, 1e-10, 2 * std::sqrt(1433)), 444.2492945427, 1e-12);
  expect_relative(gaussian_sigma(1, 1e-10, 2 * std::sqrt(500)), 262.4149985007, 1e-12);
  expect_relative(gaussian_sigma(1, 1e-5, 2), 7.461263269632, 1e-12);
  expect_relative(make_gaussian(numbers(1433), 1).value()->variance(Level{1}, .5), std::pow(444.2492945427, 2), 1e-11);
  // Large budgets stay finite, and more budget never needs more noise.
  double last = 1e300;
  for (double epsilon = 1e-6; epsilon <= 512; epsilon *= 2) {
    const double sigma = gaussian_sigma(epsilon, 1e-10, 1);
    EXPECT_LT(sigma, last);
    last = sigma;
  }
}

TEST(FeatureMechanism, RefusesBadParameters) {
  EXPECT_EQ(make_one_bit(numbers(3), 0).error().message, "epsilon: must be between 1e-06 and 512, but is 0");
  EXPECT_FALSE(make_laplace(numbers(3), std::nan("")));
  EXPECT_EQ(make_gaussian(numbers(3), 1, 0).error().message, "delta: must be at least 1e-15 and below 0.5, but is 0");
  EXPECT_EQ(make_paper_ppm(numbers(3), {{1, 2}, 0, {}, {}}).error().message,
            "gamma: must be above 0 and below 1 in the paper's protocol, but is 0");
  EXPECT_EQ(make_paper_ppm(numbers(3), {{2, 1}, .5, {}, {}}).error().message,
            "budgets: level 2: must be above level 1 (2), but is 1");
}

TEST(FeatureMechanism, SaysWhatItGuarantees) {
  for (const auto& mechanism : all_mechanisms(6)) {
    const StatedBound bound = mechanism->bound(Level{1});
    EXPECT_GT(bound.epsilon, 0);
    EXPECT_EQ(bound.delta > 0, mechanism->name() == "gm");
    EXPECT_EQ(bound.level.find("not protected") != std::string::npos, mechanism->name().starts_with("ppm"));
    EXPECT_EQ(bound.exact, mechanism->name() == "1b" || mechanism->name() == "mb" || mechanism->name() == "ppm" ||
                               mechanism->name() == "strict");
  }
}

}  // namespace
}  // namespace ppgnn::ldp_research
