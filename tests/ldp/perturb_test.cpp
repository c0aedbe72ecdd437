#include "ppgnn/ldp/perturb.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <vector>

#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/random/secure_source.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "support/many_signs.hpp"
#include "support/plans.hpp"

namespace ppgnn::ldp {
namespace {

using seeded::Purpose;
using seeded::SeededStream;
using test::plan_of;

std::vector<Report> simulate(const Plan& plan, std::size_t people, std::size_t threads) {
  std::vector<Report> reports(people);
  std::vector<std::thread> workers;
  for (std::size_t worker = 0; worker < threads; ++worker) {
    workers.emplace_back([&, worker] {
      for (std::size_t person = worker; person < people; person += threads) {
        SeededStream bits(11, Purpose::perturb, person);
        const std::vector<std::uint32_t> words{static_cast<std::uint32_t>(person % 50), 60, 99};
        const Level level{static_cast<std::uint32_t>(person % plan.levels().size()) + 1};
        perturb(plan, level, Row::ones(words), bits, reports[person]);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  return reports;
}

TEST(Perturb, SeededReportsAreTheSameForAnyNumberOfThreads) {
  PlanRequest request = test::signs_request({1, 2, 4, 8, 16}, 100);
  request.gamma = .25;
  const Plan plan = plan_of(request);
  const auto one = simulate(plan, 500, 1);
  EXPECT_EQ(simulate(plan, 500, 2), one);
  EXPECT_EQ(simulate(plan, 500, 7), one);
}

TEST(Perturb, ReportsCarryWhatThePlanSaysAndNoMore) {
  PlanRequest request = test::signs_request({1, 16}, 100);
  SeededStream bits(1, Purpose::test, 0);
  Report report;
  perturb(plan_of(request), Level{2}, Row::ones({}), bits, report);
  EXPECT_FALSE(report.reported_level);
  EXPECT_EQ(report.columns.size(), plan_of(request).levels()[0].sampled);

  request.secrecy = LevelSecrecy::public_level;
  const Plan open = plan_of(request);
  for (const std::uint32_t level : {2u, 1u}) {  // a report object may be used again for fewer columns
    perturb(open, Level{level}, Row::ones({}), bits, report);
    EXPECT_EQ(report.reported_level, static_cast<std::int32_t>(level));
    EXPECT_EQ(report.columns.size(), open.levels()[level - 1].sampled);
    EXPECT_EQ(report.signs.size(), report.columns.size());
  }
}

// NaN behaves as the midpoint and out-of-range values as the ends, bit for bit.
TEST(Perturb, BadValuesBehaveAsTheirSilentReplacement) {
  const Plan plan = plan_of(test::number_request({2, 4}, 3));
  const auto report_of = [&](std::vector<float> values) {
    SeededStream bits(2, Purpose::test, 0);
    std::vector<Report> reports(200);
    for (Report& report : reports) perturb(plan, Level{2}, Row::dense(values), bits, report);
    return reports;
  };
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto replaced = report_of({0.0F, 1.0F, -1.0F});
  EXPECT_EQ(report_of({std::numeric_limits<float>::quiet_NaN(), 1e9F, -7.0F}), replaced);
  EXPECT_EQ(report_of({0.0F, kInfinity, -kInfinity}), replaced);
  EXPECT_NE(report_of({0.5F, 1.0F, -1.0F}), replaced);

  const Plan jobs = plan_of(test::category_request({2, 4}, 3));
  const auto job_of = [&](float value) {
    SeededStream bits(2, Purpose::test, 0);
    std::vector<std::uint32_t> categories;
    Report report;
    for (int i = 0; i < 200; ++i) {
      perturb(jobs, Level{1}, Row::dense({&value, 1}), bits, report);
      categories.push_back(report.outcomes.at(0));
    }
    return categories;
  };
  EXPECT_EQ(job_of(17.0F), job_of(2.0F));
  EXPECT_EQ(job_of(-kInfinity), job_of(0.0F));
  EXPECT_EQ(job_of(std::numeric_limits<float>::quiet_NaN()), job_of(0.0F));
}

// The number of random words must not depend on level or features: it shows in time.
TEST(Perturb, DrawsTheSameNumberOfWordsForEveryLevelAndRow) {
  struct Counting {
    SeededStream bits{4, Purpose::test, 0};
    int drawn = 0;
    std::uint64_t next() noexcept {
      ++drawn;
      return bits.next();
    }
  };
  PlanRequest request = test::signs_request({1, 4, 16}, 1000);
  request.gamma = .5;
  const Plan plan = plan_of(request);
  const std::vector<std::uint32_t> words{1, 5, 7, 900};
  for (const std::uint32_t level : {1u, 2u, 3u}) {
    for (const Row& row : {Row::ones({}), Row::ones(words)}) {
      Counting bits;
      Report report;
      perturb(plan, Level{level}, row, bits, report);
      EXPECT_EQ(bits.drawn, 1 + 3 * static_cast<int>(plan.levels()[0].sampled));
    }
  }
}

TEST(Perturb, ACategoryTakesTwoWordsWhateverTheLevelAndTheDraw) {
  struct Counting {
    std::uint64_t word;
    int drawn = 0;
    std::uint64_t next() noexcept {
      ++drawn;
      return word;
    }
  };
  const Plan plan = plan_of(test::category_request({1, 4, 11}, 3));
  for (const std::uint32_t level : {1u, 2u, 3u}) {
    for (const float category : {0.0F, 1.0F, 2.0F}) {
      for (const std::uint64_t word : {std::uint64_t{1}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
        Counting bits{word};
        Report report;
        perturb(plan, Level{level}, Row::dense({&category, 1}), bits, report);
        EXPECT_EQ(bits.drawn, 2);
      }
    }
  }
}

TEST(Perturb, EachOfManySignsTurnsWhereItsColumnSaysAndIsEstimated) {
  const Plan plan = test::many_signs_plan();
  EXPECT_EQ(test::finding_at_many_signs(plan, [&](Level level, const Row& row, test::ScriptedBits& bits,
                                                  Report& out) { perturb(plan, level, row, bits, out); }),
            "");
  SeededStream bits(3, Purpose::test, 0);
  Report report;
  perturb(plan, Level{2}, Row::ones({}), bits, report);
  std::vector<EstimateEntry> entries;
  Estimator(plan.tables()).estimate(report, entries);
  ASSERT_EQ(entries.size(), test::kManySigns);
  for (std::size_t i = 0; i < entries.size(); ++i) EXPECT_EQ(entries[i].column, report.columns[i]);
}

TEST(Perturb, WorksWithTheDeviceSource) {
  const Plan plan = plan_of(test::signs_request({1, 2}, 5000));
  random::SecureSource bits;
  Report first;
  Report second;
  for (int i = 0; i < 20; ++i) {
    perturb(plan, Level{1}, Row::ones({}), bits, i < 10 ? first : second);
  }
  EXPECT_FALSE(first == second);  // 1 in 10,000 per column of the sample; the plan samples one
}

}  // namespace
}  // namespace ppgnn::ldp
