// The per-commit falsifier: correct devices pass, every mutant is caught.
#include "ppgnn/audit/falsifier.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "privacy/mutants.hpp"
#include "support/cells.hpp"
#include "support/plans.hpp"

namespace ppgnn {
namespace {

using audit::Check;
using audit::FalsifierResult;
using audit::ReportSource;
using ldp::Level;
using ldp::Plan;
using ldp::PlanRequest;
using test::plan_of;

constexpr std::uint64_t kTrials = 40000;

// Level report, no cap, two of four columns: where most mistakes show.
const Plan& reporting_plan() {
  static const Plan plan = [] {
    PlanRequest request = test::number_request({1, 2, 4}, 4);
    request.gamma = .5;
    request.level_budget = 30;
    request.sampled = 2;
    return plan_of(request);
  }();
  return plan;
}
// As above with a window of radius 1.
const Plan& window_plan() {
  static const Plan plan = [] {
    PlanRequest request = test::number_request({1, 1.5, 2, 2.5, 3}, 4);
    request.gamma = .5;
    request.level_budget = 30;
    request.sampled = 2;
    return plan_of(request);
  }();
  return plan;
}
const Plan& default_plan() {
  static const Plan plan = plan_of(test::signs_request({1, 2, 4, 8, 16}, 50));
  return plan;
}
const Plan& public_plan() {
  static const Plan plan = [] {
    PlanRequest request = test::signs_request({1, 8}, 20);
    request.secrecy = ldp::LevelSecrecy::public_level;
    return plan_of(request);
  }();
  return plan;
}
const Plan& wide_plan() {
  static const Plan plan = plan_of(test::signs_request({1, 2}, 40000));
  return plan;
}
const Plan& category_plan() {
  static const Plan plan = [] {
    PlanRequest request = test::category_request({1, 2, 4}, 5);
    request.gamma = .25;
    return plan_of(request);
  }();
  return plan;
}

FalsifierResult attack(const Plan& plan, const ReportSource& source, std::uint64_t trials = kTrials) {
  return audit::falsify(plan, source, {.trials = trials, .alpha = 1e-6, .progress = {}}).value();
}

std::string failures(const FalsifierResult& result) {
  std::string text;
  for (const Check& check : result.checks) {
    if (!check.passed)
      text += check.name + ": found " + std::to_string(check.found) + ", claim " + std::to_string(check.claim) + "\n";
  }
  return text;
}

// False alarm at most 1e-6 a run, by construction. PPGNN_REPEATS=1000 is the long version (make soak).
TEST(Falsifier, CorrectDevicesPass) {
  const char* repeats = std::getenv("PPGNN_REPEATS");
  const std::uint64_t count = repeats == nullptr ? 2 : std::strtoull(repeats, nullptr, 10);
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    for (const Plan* plan : {&reporting_plan(), &window_plan(), &default_plan(), &public_plan(), &category_plan()}) {
      const FalsifierResult result = attack(*plan, test::correct_device(*plan, seed));
      EXPECT_FALSE(result.falsified()) << "seed " << seed << "\n" << failures(result);
      EXPECT_LE(result.alpha_per_check * static_cast<double>(result.checks.size()), 1.000001e-6);
    }
  }
}

// The mutants differ from the product in their one step only: without it they are the product, bit for bit.
TEST(Falsifier, StepsTogetherAreTheProduct) {
  for (const Plan* plan : {&reporting_plan(), &default_plan(), &public_plan()}) {
    const ReportSource steps = test::device_of<test::Steps>(*plan, 3);
    const ReportSource product = test::correct_device(*plan, 3);
    const std::vector<float> values(plan->schema().dim(), 0.7F);
    for (std::uint32_t i = 0; i < 1000; ++i) {
      const Level level{i % static_cast<std::uint32_t>(plan->levels().size()) + 1};
      ASSERT_EQ(steps(level, ldp::Row::dense(values)).value(), product(level, ldp::Row::dense(values)).value());
    }
  }
}

template <class Mutant>
void expect_caught(const Plan& plan, Check::Kind by, std::uint64_t trials = kTrials) {
  const FalsifierResult result = attack(plan, test::device_of<Mutant>(plan, 17), trials);
  EXPECT_TRUE(result.falsified());
  bool caught = false;
  for (const Check& check : result.checks) caught = caught || (!check.passed && check.kind == by);
  EXPECT_TRUE(caught) << failures(result);
}

// Violations of a claim are caught as such: by a lower bound above it.
TEST(Mutants, BudgetTenPercentMore) {
  expect_caught<test::BudgetTenPercentMore>(default_plan(), Check::Kind::loss);
}
TEST(Mutants, BudgetNotDivided) {
  expect_caught<test::BudgetNotDivided>(reporting_plan(), Check::Kind::loss);
}
TEST(Mutants, LambdaNotSubtracted) {
  expect_caught<test::LambdaNotSubtracted>(reporting_plan(), Check::Kind::loss);
}
TEST(Mutants, LevelBudgetPerLevel) {
  expect_caught<test::LevelBudgetPerLevel>(window_plan(), Check::Kind::fit);
}
TEST(Mutants, TwiceLambda) {
  expect_caught<test::TwiceLambda>(reporting_plan(), Check::Kind::fit);
}
TEST(Mutants, LevelOffByOne) {
  expect_caught<test::LevelOffByOne>(reporting_plan(), Check::Kind::loss);
}
TEST(Mutants, EverybodySamplesTheMost) {
  expect_caught<test::EverybodySamplesTheMost>(reporting_plan(), Check::Kind::loss);
}
TEST(Mutants, ZeroNoise) {
  expect_caught<test::ZeroNoise>(default_plan(), Check::Kind::loss);
}
// These spend no more than they may, or show in no single loss: caught by the distribution of reports.
TEST(Mutants, IndexShiftMissing) {
  expect_caught<test::IndexShiftMissing>(window_plan(), Check::Kind::fit);
}
TEST(Mutants, InsideAndOutsideSwapped) {
  expect_caught<test::InsideAndOutsideSwapped>(reporting_plan(), Check::Kind::fit);
}
TEST(Mutants, MaximumOfCoins) {
  expect_caught<test::MaximumOfCoins>(reporting_plan(), Check::Kind::fit);
}
TEST(Mutants, UnclampedInput) {
  expect_caught<test::UnclampedInput>(default_plan(), Check::Kind::fit);
}
TEST(Mutants, WordReused) {
  expect_caught<test::WordReused>(reporting_plan(), Check::Kind::fit);
}
TEST(Mutants, SignsShareADraw) {
  expect_caught<test::SignsShareADraw>(reporting_plan(), Check::Kind::fit);
}
TEST(Mutants, SixteenBitModulo) {
  expect_caught<test::SixteenBitModulo>(wide_plan(), Check::Kind::fit);
}
TEST(Mutants, WithReplacement) {
  expect_caught<test::WithReplacement>(reporting_plan(), Check::Kind::form);
}

// Two that no number of trials shows: caught by the exact cells of the probability space, where the product passes
// (tests/random/samplers_test.cpp).
TEST(Mutants, FloatBernoulliAtALargeBudget) {
  const auto float_sign = [](std::int64_t feature, std::uint64_t threshold, auto& bits) {
    const float x = std::ldexp(static_cast<float>(feature), -30);
    const float plus = (1 + x * std::ldexp(static_cast<float>(threshold), -62)) / 2;
    const float uniform = std::ldexp(static_cast<float>(bits.next() >> 40), -24);
    bits.next();
    return uniform < plus;
  };
  EXPECT_FALSE(test::sign_cells_are_exact(float_sign));
}

TEST(Mutants, SixtyFourBitModulo) {
  const auto modulo = [](std::uint64_t bound, auto& bits) { return bits.next() % bound; };
  EXPECT_FALSE(test::below_cells_are_exact(modulo));
}

TEST(Mutants, FixedSeed) {
  const auto same_seed = [] { return Result<ReportSource>(test::correct_device(default_plan(), 1)); };
  EXPECT_FALSE(audit::devices_differ(default_plan(), same_seed).value());
}

// The product's client through its public interface, with OS randomness; false alarm 1e-6.
TEST(Falsifier, TheClientPasses) {
  const FalsifierResult result =
      audit::falsify_client(default_plan(), {.trials = 5000, .alpha = 1e-6, .progress = {}}).value();
  EXPECT_FALSE(result.falsified()) << failures(result);
  EXPECT_EQ(result.checks.back().name, "two devices send different reports");
}

TEST(Falsifier, ReportsProgressAndRefusesBadOptions) {
  std::uint64_t last = 0;
  const auto progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_GT(done, last);
    EXPECT_LE(done, total);
    last = done;
  };
  EXPECT_TRUE(audit::falsify(default_plan(), test::correct_device(default_plan(), 1),
                             {.trials = 2000, .alpha = 1e-6, .progress = progress}));
  EXPECT_GT(last, 0u);
  EXPECT_EQ(audit::falsify_client(default_plan(), {.trials = 1, .alpha = 1e-6, .progress = {}}).error().message,
            "trials: must be between 100 and 1000000000, but is 1");
  EXPECT_EQ(audit::falsify_client(default_plan(), {.trials = 1000, .alpha = 1, .progress = {}}).error().message,
            "alpha: must be between 1e-12 and 0.1, but is 1");
}

}  // namespace
}  // namespace ppgnn
