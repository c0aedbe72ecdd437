// Mean and variance of estimates without a sample: summed over every cell of a report's probability space, for every
// form of row, and held against features that are worked out here a second time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "privacy/mutants.hpp"
#include "support/enumerate.hpp"
#include "support/plans.hpp"
#include "support/rows.hpp"

namespace ppgnn::ldp {
namespace {

using test::OwnedRow;
using test::plan_of;

// What the estimates of a row should be on average: the features on the scale [-1, 1], or 1 for the own class.
std::vector<double> truth_of(const Plan& plan, const OwnedRow& row) {
  std::vector<double> truth;
  if (plan.kind() == ReportKind::category) {
    const ColumnGroup& group = plan.schema().groups().front();
    truth.assign(plan.outcomes(), 0);
    truth[static_cast<std::size_t>(row.value(0, group.absent))] = 1;
    return truth;
  }
  for (const ColumnGroup& group : plan.schema().groups()) {
    for (std::uint32_t i = 0; i < group.count; ++i) {
      const double value = row.value(static_cast<std::uint32_t>(truth.size()), group.absent);
      truth.push_back(2 * (std::clamp(value, group.low, group.high) - group.low) / (group.high - group.low) - 1);
    }
  }
  return truth;
}

// Sums over the reports that share a level field.
struct ExactMoments {
  explicit ExactMoments(std::size_t columns) : first(columns, 0), second(columns, 0) {}
  long double chance = 0;
  std::vector<long double> first;
  std::vector<long double> second;
};

std::vector<ExactMoments> moments_of(const Plan& plan, const OwnedRow& row, test::Enumerator& enumerator) {
  const Estimator estimator(plan.tables());
  std::vector<ExactMoments> moments(estimator.cases(), ExactMoments(estimator.columns()));
  std::vector<EstimateEntry> entries;
  for (std::uint32_t level = 1; level <= plan.levels().size(); ++level) {
    for (const auto& [output, chance] : enumerator.distribution(Level{level}, row.row())) {
      Report report;
      if (estimator.reported_level(0)) report.reported_level = std::get<0>(output);
      std::tie(std::ignore, report.columns, report.signs, report.outcomes) = output;
      estimator.estimate(report, entries);
      ExactMoments& one = moments[estimator.case_of(report.reported_level)];
      const long double weight = static_cast<long double>(plan.levels()[level - 1].prior) * chance;
      one.chance += weight;
      for (const EstimateEntry& entry : entries) {
        const auto value = static_cast<long double>(entry.value);
        one.first[entry.column] += weight * value;
        one.second[entry.column] += weight * value * value;
      }
    }
  }
  return moments;
}

// What is not as the estimator states it, given the level field; empty: nothing.
std::string finding(const Plan& plan, const OwnedRow& row, test::Enumerator& enumerator) {
  const Estimator estimator(plan.tables());
  const std::vector<double> truth = truth_of(plan, row);
  const std::vector<ExactMoments> moments = moments_of(plan, row, enumerator);
  const auto off = [](long double found, double stated, double unit) {
    return !(std::abs(static_cast<double>(found) - stated) <= 1e-9 * std::max(1.0, unit));
  };
  for (std::size_t index = 0; index < moments.size(); ++index) {
    const ExactMoments& one = moments[index];
    const std::string where = " of case " + std::to_string(index);
    if (off(one.chance, estimator.probability(index), 0)) return "chance" + where;
    if (one.chance == 0) continue;  // only levels that nobody is expected to choose
    for (std::size_t column = 0; column < truth.size(); ++column) {
      const long double mean = one.first[column] / one.chance;
      const long double variance = one.second[column] / one.chance - mean * mean;
      const double stated = estimator.variance(index, truth[column]);
      const std::string what =
          where + ", column " + std::to_string(column) + ", form " + std::to_string(static_cast<int>(row.form)) + ": ";
      if (off(mean, truth[column], 0)) {
        return "mean" + what + std::to_string(static_cast<double>(mean)) + ", true " + std::to_string(truth[column]);
      }
      if (off(variance, stated, stated)) {
        return "variance" + what + std::to_string(static_cast<double>(variance)) + ", stated " + std::to_string(stated);
      }
    }
  }
  return enumerator.problem();
}

// Three levels of unequal shares, with and without a level report, and public.
std::vector<Plan> plans_of(PlanRequest request) {
  std::vector<Plan> plans;
  request.budgets = {.7, 2, 5};
  request.prior = {.5, .125, .375};
  plans.push_back(plan_of(request));
  request.gamma = .5;
  plans.push_back(plan_of(request));
  request.prior = {0, .25, .75};  // nobody is expected to be strict
  plans.push_back(plan_of(request));
  request.gamma = 0;
  request.secrecy = LevelSecrecy::public_level;
  plans.push_back(plan_of(request));
  return plans;
}

PlanRequest signs_of(std::vector<ColumnGroup> columns, std::uint32_t sampled) {
  PlanRequest request;
  request.columns = std::move(columns);
  request.shape.sampled = sampled;
  return request;
}

// Ranges of their own; absent is the low end everywhere, or something else in each.
PlanRequest equal_absent() {
  return signs_of({{"word", 2, ColumnKind::binary, 0, 1, 0}, {"age", 2, ColumnKind::number, 0, 4, 0}}, 2);
}
PlanRequest mixed_absent() {
  return signs_of({{"word", 1, ColumnKind::binary, 0, 1, 0},
                   {"mood", 1, ColumnKind::number, -1, 1, 1},
                   {"age", 2, ColumnKind::number, 0, 4, 3}},
                  2);
}
PlanRequest absent_class() {
  PlanRequest request = test::category_request({}, 5);
  request.columns[0].absent = 3;
  return request;
}

std::vector<OwnedRow> rows_of(const Plan& plan) {
  std::vector<OwnedRow> rows;
  if (plan.kind() == ReportKind::category) {
    rows = test::dense_rows({{}, {0}, {1}, {2}, {3}, {4}});
    for (const OwnedRow& row : test::sparse_rows({0, 1, 2, 3, 4}, 1)) rows.push_back(row);
    return rows;
  }
  rows = test::sparse_rows({0.0F, 0.5F, 4.0F}, plan.schema().dim());
  for (const OwnedRow& row : test::dense_rows({{}, {1}, {0, -1}, {.25F, .5F, 2}, {1, 1, 4, 4}, {-7, .5F, 1, 99}})) {
    rows.push_back(row);
  }
  return rows;
}

void expect_exact(const PlanRequest& request) {
  for (const Plan& plan : plans_of(request)) {
    test::Enumerator enumerator(plan);
    for (const OwnedRow& row : rows_of(plan)) ASSERT_EQ(finding(plan, row, enumerator), "");
  }
}

TEST(ExactEstimates, SignsWithOneAbsentValueHaveTheStatedMeanAndVariance) {
  expect_exact(equal_absent());
}

TEST(ExactEstimates, SignsOfMixedGroupsHaveTheStatedMeanAndVariance) {
  expect_exact(mixed_absent());
}

TEST(ExactEstimates, ClassesHaveTheStatedMeanAndVariance) {
  expect_exact(absent_class());
}

// Whether some row's estimates give the device away. Each row starts with nothing known of the others.
template <class Device>
bool is_found(const PlanRequest& request) {
  const Plan plan = plans_of(request).front();
  const auto device = test::make_device<Device>(plan);
  const auto play = [&](Level level, const Row& row, test::ScriptedBits& bits, Report& out) {
    test::report_of(device, level, row, bits, out);
  };
  const std::vector<OwnedRow> rows = rows_of(plan);
  return std::any_of(rows.begin(), rows.end(), [&](const OwnedRow& row) {
    test::Enumerator enumerator(plan, play);
    const std::string found = finding(plan, row, enumerator);
    return found.starts_with("mean") || found.starts_with("variance");
  });
}

TEST(ExactEstimates, TheStepsOfTheMutantsAreExact) {
  EXPECT_FALSE(is_found<test::Steps>(mixed_absent()));
  EXPECT_FALSE(is_found<test::CategorySteps>(absent_class()));
}

// Mistakes that lose nothing of anybody's privacy, so that no certificate tells of them: the estimates do.
TEST(ExactEstimates, MutantsOfTheLookupAreFound) {
  EXPECT_TRUE(is_found<test::AbsentIsZero>(mixed_absent()));
  EXPECT_TRUE(is_found<test::UnlistedIsACoin>(mixed_absent()));
  EXPECT_TRUE(is_found<test::UnlistedIsACoin>(equal_absent()));
  EXPECT_TRUE(is_found<test::LookedUpOneOff>(mixed_absent()));
  EXPECT_TRUE(is_found<test::LookedUpOneOff>(equal_absent()));
  EXPECT_TRUE(is_found<test::FirstGroupForAll>(mixed_absent()));
  EXPECT_TRUE(is_found<test::FirstGroupForAll>(equal_absent()));
  EXPECT_TRUE(is_found<test::ListedIsHigh>(mixed_absent()));
  EXPECT_TRUE(is_found<test::ListedWithoutNoise>(mixed_absent()));
  EXPECT_TRUE(is_found<test::AbsentIsTheFirstClass>(absent_class()));
}

TEST(ExactEstimates, MutantsOfTheNoiseAreFound) {
  EXPECT_TRUE(is_found<test::ZeroNoise>(mixed_absent()));
  EXPECT_TRUE(is_found<test::BudgetTenPercentMore>(mixed_absent()));
  EXPECT_TRUE(is_found<test::LevelOffByOne>(mixed_absent()));
  EXPECT_TRUE(is_found<test::LastColumnLeftOut>(mixed_absent()));
  EXPECT_TRUE(is_found<test::OneClassKeptMore>(absent_class()));
  EXPECT_TRUE(is_found<test::NextClassLeftOut>(absent_class()));
}

// Sets of two, sent once, twice and three times: the draws of a report share its level, and the variance knows it.
TEST(ExactEstimates, SubsetsHaveTheStatedMeanAndVariance) {
  for (const std::uint32_t sent : {1u, 2u, 3u}) {
    for (const auto secrecy : {LevelSecrecy::protected_level, LevelSecrecy::public_level}) {
      PlanRequest request = test::bucket_request({.7, 2, 5}, 4, 5, 2);
      request.prior = {.5, .125, .375};
      request.shape.sampled = sent;
      request.secrecy = secrecy;
      const Plan plan = plan_of(request);
      const Estimator estimator(plan.tables());
      test::Enumerator enumerator(plan);
      for (const std::vector<std::uint32_t>& listed : {std::vector<std::uint32_t>{}, {1}, {0, 2, 3}}) {
        const OwnedRow row{OwnedRow::Form::ones, listed, {}};
        std::vector<std::uint32_t> set(2);
        BucketResponse::choose(plan.tables(), plan.shape(0), test::Person(plan).asked(), row.row(), set);
        const std::vector<ExactMoments> moments = moments_of(plan, row, enumerator);
        for (std::size_t index = 0; index < moments.size(); ++index) {
          for (std::uint32_t outcome = 0; outcome < 5; ++outcome) {
            const double truth = std::find(set.begin(), set.end(), outcome) != set.end() ? 1 : 0;
            const auto mean = static_cast<double>(moments[index].first[outcome] / moments[index].chance);
            const auto square = static_cast<double>(moments[index].second[outcome] / moments[index].chance);
            EXPECT_NEAR(mean, truth, 1e-9);
            const double stated = estimator.variance(index, truth);
            EXPECT_NEAR(square - mean * mean, stated, 1e-9 * std::max(1.0, stated)) << sent;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ppgnn::ldp
