// The per-commit falsifier: correct devices pass, every mutant is caught.
#include "ppgnn/audit/falsifier.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "privacy/mutants.hpp"
#include "privacy/report_sources.hpp"
#include "support/cells.hpp"
#include "support/many_signs.hpp"
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

constexpr std::uint64_t kTrials = 6000;  // enough for what is grossly wrong
constexpr std::uint64_t kMore = 40000;   // for what is wrong by a little

// Level report, no cap, two of four columns: where most mistakes show.
const Plan& reporting_plan() {
  static const Plan plan = [] {
    PlanRequest request = test::number_request({1, 2, 4}, 4);
    request.gamma = .5;
    request.level_budget = 30;
    request.shape.sampled = 2;
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
    request.shape.sampled = 2;
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

// Groups with ranges and absent values of their own; one column sampled, and room for what leaks.
const Plan& mixed_plan() {
  static const Plan plan = [] {
    PlanRequest request = test::number_request({1, 2}, 1);
    request.columns = {{"word", 4, ldp::ColumnKind::binary, 0, 1, 0},
                       {"mood", 3, ldp::ColumnKind::number, -1, 1, 1},
                       {"age", 3, ldp::ColumnKind::number, 0, 4, 3}};
    request.shape.sampled = 1;
    return plan_of(request);
  }();
  return plan;
}
// Ten words, one sampled: what favours listed ones shows soonest.
const Plan& words_plan() {
  static const Plan plan = [] {
    PlanRequest request = test::signs_request({1, 2}, 10);
    request.shape.sampled = 1;
    return plan_of(request);
  }();
  return plan;
}
const Plan& huge_plan() {
  static const Plan plan = plan_of(test::signs_request({1, 2}, ldp::kMaxColumns));
  return plan;
}
// More columns than sixteen bits hold, few enough that a listed one is often sampled.
const Plan& long_plan() {
  static const Plan plan = [] {
    PlanRequest request = test::signs_request({16, 40}, 131072);
    request.secrecy = ldp::LevelSecrecy::public_level;
    request.shape.sampled = 8;
    return plan_of(request);
  }();
  return plan;
}
const Plan& absent_class_plan() {
  static const Plan plan = [] {
    PlanRequest request = test::category_request({1, 2}, 5);
    request.columns[0].absent = 3;
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
  const std::uint64_t count = repeats == nullptr ? 1 : std::strtoull(repeats, nullptr, 10);
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    for (const Plan* plan : {&reporting_plan(), &window_plan(), &default_plan(), &public_plan(), &category_plan(),
                             &mixed_plan(), &huge_plan(), &long_plan(), &absent_class_plan()}) {
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
    const std::vector<std::uint32_t> listed{0, 2, 3};
    const std::vector<float> few{1, 0, -1};
    const ldp::Row rows[] = {ldp::Row::dense(values), ldp::Row::sparse(listed, few), ldp::Row::ones(listed)};
    for (std::uint32_t i = 0; i < 3000; ++i) {
      const Level level{i % static_cast<std::uint32_t>(plan->levels().size()) + 1};
      ASSERT_EQ(steps(level, rows[i % 3]).value(), product(level, rows[i % 3]).value());
    }
  }
  const ReportSource steps = test::device_of<test::CategorySteps>(category_plan(), 3);
  const ReportSource product = test::correct_device(category_plan(), 3);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const std::vector<float> own{static_cast<float>(i % 5)};
    ASSERT_EQ(steps(Level{i % 3 + 1}, ldp::Row::dense(own)).value(),
              product(Level{i % 3 + 1}, ldp::Row::dense(own)).value());
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
  expect_caught<test::BudgetTenPercentMore>(default_plan(), Check::Kind::loss, kMore);
}
TEST(Mutants, BudgetNotDivided) {
  expect_caught<test::BudgetNotDivided>(reporting_plan(), Check::Kind::loss, kMore);
}
TEST(Mutants, LambdaNotSubtracted) {
  expect_caught<test::LambdaNotSubtracted>(reporting_plan(), Check::Kind::loss, kMore);
}
TEST(Mutants, LevelBudgetPerLevel) {
  expect_caught<test::LevelBudgetPerLevel>(window_plan(), Check::Kind::fit, kMore);
}
TEST(Mutants, TwiceLambda) {
  expect_caught<test::TwiceLambda>(reporting_plan(), Check::Kind::fit, kMore);
}
TEST(Mutants, LevelOffByOne) {
  expect_caught<test::LevelOffByOne>(reporting_plan(), Check::Kind::loss, kMore);
}
TEST(Mutants, EverybodySamplesTheMost) {
  expect_caught<test::EverybodySamplesTheMost>(reporting_plan(), Check::Kind::loss, kMore);
}
TEST(Mutants, ZeroNoise) {
  expect_caught<test::ZeroNoise>(default_plan(), Check::Kind::loss);
}
// These spend no more than they may, or show in no single loss: caught by the distribution of reports.
TEST(Mutants, IndexShiftMissing) {
  expect_caught<test::IndexShiftMissing>(window_plan(), Check::Kind::fit, kMore);
}
TEST(Mutants, InsideAndOutsideSwapped) {
  expect_caught<test::InsideAndOutsideSwapped>(reporting_plan(), Check::Kind::fit);
}
TEST(Mutants, MaximumOfCoins) {
  expect_caught<test::MaximumOfCoins>(reporting_plan(), Check::Kind::fit, kMore);
}
TEST(Mutants, UnclampedInput) {
  expect_caught<test::UnclampedInput>(default_plan(), Check::Kind::fit, kMore);
}
TEST(Mutants, WordReused) {
  expect_caught<test::WordReused>(reporting_plan(), Check::Kind::fit, kMore);
}
TEST(Mutants, SignsShareADraw) {
  expect_caught<test::SignsShareADraw>(reporting_plan(), Check::Kind::fit, kMore);
}
TEST(Mutants, SixteenBitModulo) {
  expect_caught<test::SixteenBitModulo>(wide_plan(), Check::Kind::fit, kMore);
}
TEST(Mutants, WithReplacement) {
  expect_caught<test::WithReplacement>(reporting_plan(), Check::Kind::form);
}

// Mistakes with what a row lists.
TEST(Mutants, ListedColumnFavoured) {
  expect_caught<test::ListedColumnFavoured>(words_plan(), Check::Kind::loss, kMore);
  expect_caught<test::ListedColumnFavoured>(default_plan(), Check::Kind::fit, kMore);
}
TEST(Mutants, AbsentIsZero) {
  expect_caught<test::AbsentIsZero>(mixed_plan(), Check::Kind::fit);
}
TEST(Mutants, UnlistedIsACoin) {
  expect_caught<test::UnlistedIsACoin>(default_plan(), Check::Kind::fit);
}
TEST(Mutants, ListedIsHigh) {
  expect_caught<test::ListedIsHigh>(mixed_plan(), Check::Kind::fit);
}
TEST(Mutants, LookedUpOneOff) {
  expect_caught<test::LookedUpOneOff>(mixed_plan(), Check::Kind::fit);
}
TEST(Mutants, ListedWithoutNoise) {
  expect_caught<test::ListedWithoutNoise>(mixed_plan(), Check::Kind::loss);
}
TEST(Mutants, SixteenBitLookup) {
  expect_caught<test::SixteenBitLookup>(long_plan(), Check::Kind::fit);
}
TEST(Mutants, SixteenBitSampler) {
  expect_caught<test::SixteenBitSampler>(huge_plan(), Check::Kind::fit);
}
TEST(Mutants, SixteenBitPayload) {
  expect_caught<test::SixteenBitPayload>(huge_plan(), Check::Kind::fit);
}
TEST(Mutants, LastColumnLeftOut) {
  expect_caught<test::LastColumnLeftOut>(default_plan(), Check::Kind::fit);
}
TEST(Mutants, FirstGroupForAll) {
  expect_caught<test::FirstGroupForAll>(mixed_plan(), Check::Kind::fit);
}
TEST(Mutants, OneClassKeptMore) {
  expect_caught<test::OneClassKeptMore>(absent_class_plan(), Check::Kind::loss);
}
TEST(Mutants, NextClassLeftOut) {
  expect_caught<test::NextClassLeftOut>(absent_class_plan(), Check::Kind::fit);
}
TEST(Mutants, AbsentIsTheFirstClass) {
  expect_caught<test::AbsentIsTheFirstClass>(absent_class_plan(), Check::Kind::fit);
}

// Mistakes with sets of buckets.
const Plan& bucket_plan() {
  static const Plan plan = plan_of(test::bucket_request({1, 2, 4}, 60, 50, 5));
  return plan;
}
TEST(Mutants, OneFavouredFewer) {
  expect_caught<test::OneFavouredFewer>(bucket_plan(), Check::Kind::fit, kMore);
}
TEST(Mutants, AsManyAsWords) {
  expect_caught<test::AsManyAsWords>(bucket_plan(), Check::Kind::loss, kMore);
}
TEST(Mutants, FillerByLevel) {
  expect_caught<test::FillerByLevel>(bucket_plan(), Check::Kind::fit);
}
TEST(Mutants, TiesByColumn) {
  expect_caught<test::TiesByColumn>(bucket_plan(), Check::Kind::fit);
}
TEST(Mutants, OneEventInTheCap) {
  expect_caught<test::OneEventInTheCap>(bucket_plan(), Check::Kind::fit, kMore);
}
TEST(Mutants, SaltAsRandomness) {
  expect_caught<test::SaltAsRandomness>(bucket_plan(), Check::Kind::fit);
}
TEST(Mutants, SaltChoosesTheMember) {
  expect_caught<test::SaltChoosesTheMember>(bucket_plan(), Check::Kind::loss);
}
TEST(Mutants, SubsetLevelOffByOne) {
  expect_caught<test::SubsetLevelOffByOne>(bucket_plan(), Check::Kind::fit);
}
// Three outcomes a report, twenty levels, a hundred signs: what shows only beyond the second, the eighth and sixteenth, the
// sixty-fourth.
const Plan& three_outcomes_plan() {
  static const Plan plan = [] {
    PlanRequest request = test::bucket_request({2, 6}, 12, 10, 2);
    request.shape.sampled = 3;
    return plan_of(request);
  }();
  return plan;
}
const Plan& many_levels_plan() {
  static const Plan plan = [] {
    PlanRequest request = test::number_request({}, 3);
    for (int level = 0; level < 20; ++level) request.budgets.push_back(1 + .3 * level);
    request.gamma = .5;
    request.level_budget = 30;
    request.shape.sampled = 1;
    return plan_of(request);
  }();
  return plan;
}
TEST(Mutants, ThirdOutcomeOverspends) {
  expect_caught<test::ThirdOutcomeOverspends>(three_outcomes_plan(), Check::Kind::fit);
}
TEST(Mutants, EightLevels) {
  expect_caught<test::EightLevels>(many_levels_plan(), Check::Kind::fit, 1500);
}
TEST(Mutants, SixteenLevels) {
  expect_caught<test::SixteenLevels>(many_levels_plan(), Check::Kind::fit, 1500);
}
TEST(Mutants, SixteenLevelsReported) {
  expect_caught<test::SixteenLevelsReported>(many_levels_plan(), Check::Kind::fit, 1500);
}
TEST(Mutants, NoiseForSixtyFourSigns) {
  expect_caught<test::NoiseForSixtyFourSigns>(test::many_signs_plan(), Check::Kind::fit, 500);
}
TEST(Falsifier, CorrectDevicesOfManyPass) {
  const Plan signs = test::many_signs_plan();
  for (const Plan* plan : {&three_outcomes_plan(), &many_levels_plan(), &signs}) {
    const FalsifierResult product = attack(*plan, test::correct_device(*plan, 3), 1500);
    EXPECT_FALSE(product.falsified()) << failures(product);
  }
}

TEST(Falsifier, CorrectSubsetDevicesPass) {
  const Plan directions = plan_of(test::direction_request({1, 2, 4}, 30, 64, 12));
  PlanRequest twice = test::bucket_request({1, 2}, 60, 50, 5);
  twice.shape.sampled = 2;
  twice.secrecy = ldp::LevelSecrecy::public_level;
  const Plan repeated = plan_of(twice);
  const Plan answers = plan_of(test::answer_request({1, 2, 4}, 30, 4));
  for (const Plan* plan : {&bucket_plan(), &directions, &repeated, &answers}) {
    const FalsifierResult product = attack(*plan, test::correct_device(*plan, 3), kTrials);
    EXPECT_FALSE(product.falsified()) << failures(product);
    const auto client = audit::falsify_client(*plan, {.trials = 4000, .alpha = 1e-6, .progress = {}});
    ASSERT_TRUE(client) << client.error().message;
    EXPECT_FALSE(client->falsified()) << failures(*client);
  }
  const FalsifierResult steps = attack(bucket_plan(), test::device_of<test::SubsetSteps>(bucket_plan(), 3), kTrials);
  EXPECT_FALSE(steps.falsified()) << failures(steps);
}

// A claim that so many reports cannot contradict is said to be untested, not to have stood.
TEST(Falsifier, SaysWhatItCannotSee) {
  PlanRequest request = test::signs_request({1, 30}, 10);
  request.secrecy = ldp::LevelSecrecy::public_level;
  request.shape.sampled = 1;
  const Plan plan = plan_of(request);
  const FalsifierResult result = attack(plan, test::correct_device(plan, 1), 2000);
  EXPECT_FALSE(result.falsified());
  EXPECT_LT(result.visible, 10);
  bool untested = false;
  for (const Check& check : result.checks) {
    if (check.kind != Check::Kind::loss) continue;
    EXPECT_EQ(check.tested, check.claim < result.visible) << check.name;
    untested = untested || !check.tested;
  }
  EXPECT_TRUE(untested);
  EXPECT_GE(result.inputs.size(), 15u);
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
  EXPECT_FALSE(test::large_thresholds_are_exact(float_sign));
}

// A double holds the chance of a large threshold only nearly; between 9 and 43 nats a bit no other test would see.
TEST(Mutants, DoubleBernoulliBetweenNineAndFortyThreeNats) {
  const auto double_sign = [](std::int64_t feature, std::uint64_t threshold, auto& bits) {
    const random::UInt128 high = bits.next() >> 35;
    const random::UInt128 draw = high << 64 | bits.next();
    const double x = std::ldexp(static_cast<double>(feature), -30);
    const double plus = (1 + x * std::ldexp(static_cast<double>(threshold), -62)) / 2;
    return static_cast<double>(draw) * 0x1p-93 < plus;
  };
  EXPECT_FALSE(test::large_thresholds_are_exact(double_sign));
}

// Thresholds above 2^62 - 2^40 are taken for the largest one.
TEST(Mutants, LargeThresholdsSaturate) {
  const auto saturating = [](std::int64_t feature, std::uint64_t threshold, auto& bits) {
    constexpr std::uint64_t kOne = std::uint64_t{1} << 62;
    return random::sign(feature, threshold > kOne - (std::uint64_t{1} << 40) ? kOne - 1 : threshold, bits);
  };
  EXPECT_FALSE(test::large_thresholds_are_exact(saturating));
}

// The low bits of the draw are always zero.
TEST(Mutants, LowBitsOfTheDrawMissing) {
  const auto coarse = [](std::int64_t feature, std::uint64_t threshold, auto& bits) {
    const random::UInt128 high = bits.next() >> 35;
    const random::UInt128 draw = high << 64 | (bits.next() & ~std::uint64_t{0xffff});
    return draw < static_cast<random::UInt128>((random::Int128{1} << 92) +
                                               random::Int128{feature} * static_cast<std::int64_t>(threshold));
  };
  EXPECT_FALSE(test::large_thresholds_are_exact(coarse));
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
