// The certificate against the exact distribution of reports: every input of a grid, every level, every output.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "ppgnn/ldp/mechanism.hpp"
#include "privacy/mutants.hpp"
#include "support/enumerate.hpp"
#include "support/many_signs.hpp"
#include "support/plans.hpp"
#include "support/rows.hpp"
#include "support/wide_columns.hpp"

namespace ppgnn {
namespace {

using ldp::Level;
using ldp::Plan;
using test::dense_rows;
using test::grid;
using test::Output;
using test::OwnedRow;
using test::sparse_rows;

constexpr long double kInfinity = std::numeric_limits<long double>::infinity();

struct Losses {
  std::vector<long double> features;
  long double level = 0;
  long double pair = 0;
  long double strictest = 0;
  long double off_one = 0;  // how far chances are from adding up to 1
  long double off_law = 0;  // how far sampled sets are from being equally likely
};

long double log_ratio(long double first, long double second) {
  if (first == 0) return -kInfinity;
  return second == 0 ? kInfinity : std::log(first / second);
}

Losses measure(const Plan& plan, const std::vector<OwnedRow>& inputs, test::Enumerator& enumerator) {
  const std::size_t levels = plan.levels().size();
  Losses losses{.features = std::vector<long double>(levels, 0)};
  // chances[level][input][output]
  std::vector<std::vector<std::map<Output, long double>>> chances(levels);
  std::map<Output, int> outputs;
  for (std::size_t level = 0; level < levels; ++level) {
    for (const auto& input : inputs) {
      chances[level].push_back(enumerator.distribution(Level{static_cast<std::uint32_t>(level) + 1}, input.row()));
      long double sum = 0;
      for (const auto& [output, chance] : chances[level].back()) {
        sum += chance;
        outputs[output] = 1;
      }
      losses.off_one = std::max(losses.off_one, std::abs(sum - 1));
      // The law of the sampled set: each as likely, whatever the input.
      if (!plan.levels()[level].sampled || plan.kind() != ldp::SignBits::kKind) continue;
      std::map<std::vector<std::uint32_t>, long double> sets;
      for (const auto& [output, chance] : chances[level].back()) sets[std::get<1>(output)] += chance;
      for (const auto& [set, chance] : sets) {
        losses.off_law = std::max(losses.off_law, std::abs(chance * static_cast<long double>(sets.size()) - 1));
      }
    }
  }
  for (const auto& [output, one] : outputs) {
    std::vector<long double> least(levels, kInfinity);
    std::vector<long double> most(levels, 0);
    std::vector<std::vector<long double>> all(levels);
    for (std::size_t level = 0; level < levels; ++level) {
      for (auto& distribution : chances[level]) {
        const auto at = distribution.find(output);
        const long double chance = at == distribution.end() ? 0 : at->second;
        least[level] = std::min(least[level], chance);
        most[level] = std::max(most[level], chance);
        all[level].push_back(chance);
      }
    }
    for (std::size_t i = 0; i < levels; ++i) {
      if (most[i] > 0) losses.features[i] = std::max(losses.features[i], log_ratio(most[i], least[i]));
      for (std::size_t j = 0; j < levels; ++j) {
        const long double pair = log_ratio(most[i], least[j]);
        losses.pair = std::max(losses.pair, pair);
        if (i == 0 || j == 0) losses.strictest = std::max(losses.strictest, pair);
        for (std::size_t x = 0; x < inputs.size(); ++x)
          losses.level = std::max(losses.level, log_ratio(all[i][x], all[j][x]));
      }
    }
  }
  return losses;
}

// What the exact distribution says against the certificate: losses equal to the closed form to 1e-9 and never above what
// is claimed. Empty: nothing.
std::string finding(const Plan& plan, const std::vector<OwnedRow>& inputs, test::Enumerator enumerator) {
  const Losses losses = measure(plan, inputs, enumerator);
  const ldp::Certificate& certificate = plan.certificate();
  std::string found = enumerator.problem();
  const auto compare = [&](long double measured, double claimed, const char* what) {
    if (!(measured <= static_cast<long double>(claimed)) ||
        !(std::abs(static_cast<double>(measured) - claimed) <= 1e-9)) {
      found = std::string(what) + ": " + std::to_string(static_cast<double>(measured)) + ", claimed " +
              std::to_string(claimed);
    }
  };
  if (!(losses.off_one <= 1e-12L)) found = "chances do not add up to 1";
  if (!(losses.off_law <= 1e-12L)) found = "sampled sets are not equally likely";
  for (std::size_t level = 0; level < plan.levels().size(); ++level) {
    compare(losses.features[level], certificate.features[level], "features");
  }
  if (plan.tables().secrecy == ldp::LevelSecrecy::public_level) return found;
  compare(losses.level, certificate.level_given_features, "level");
  compare(losses.pair, certificate.pair_max, "pair");
  compare(losses.strictest, certificate.pair_strictest, "strictest");
  return found;
}

void check(const Plan& plan, const std::vector<OwnedRow>& inputs, const std::string& what) {
  EXPECT_EQ(finding(plan, inputs, test::Enumerator(plan)), "") << what;
}

const std::vector<double> kBudgets{.7, 1.5, 4, 9};

struct Variant {
  double gamma;
  double level_budget;  // 0: public levels
};
const std::vector<Variant> kVariants{{0, 1}, {0, 30}, {.5, .8}, {.9, 30}, {0, 0}};

void apply(const Variant& variant, ldp::PlanRequest& request) {
  request.gamma = variant.gamma;
  if (variant.level_budget == 0) {
    request.secrecy = ldp::LevelSecrecy::public_level;
  } else {
    request.level_budget = variant.level_budget;
  }
}

TEST(Enumeration, SignReportsLoseExactlyWhatTheCertificateSays) {
  for (std::uint32_t dim = 1; dim <= 4; ++dim) {
    const auto inputs = dense_rows(grid({-1.0F, 0.0F, 0.5F, 1.0F}, dim));
    for (std::uint32_t sampled = 1; sampled <= std::min(dim, 3u); ++sampled) {
      for (std::size_t levels = 1; levels <= 4; ++levels) {
        for (const Variant& variant : kVariants) {
          // The largest grids with fewer variants: the whole test stays within seconds.
          if (dim == 4 && levels == 4 && variant.gamma == .9) continue;
          ldp::PlanRequest request =
              test::number_request({kBudgets.begin(), kBudgets.begin() + static_cast<std::ptrdiff_t>(levels)}, dim);
          apply(variant, request);
          request.shape.sampled = sampled;
          const std::string what = "dim " + std::to_string(dim) + ", sampled " + std::to_string(sampled) + ", levels " +
                                   std::to_string(levels) + ", gamma " + std::to_string(variant.gamma);
          check(test::plan_of(request), inputs, what);
        }
      }
    }
  }
}

TEST(Enumeration, CategoryReportsLoseExactlyWhatTheCertificateSays) {
  for (std::uint32_t classes = 2; classes <= 6; ++classes) {
    std::vector<OwnedRow> inputs;
    for (std::uint32_t category = 0; category < classes; ++category) {
      inputs.push_back({OwnedRow::Form::dense, {}, {static_cast<float>(category)}});
      inputs.push_back({OwnedRow::Form::sparse, {0}, {static_cast<float>(category)}});
    }
    inputs.push_back({OwnedRow::Form::ones, {}, {}});
    inputs.push_back({OwnedRow::Form::ones, {0}, {}});
    for (std::size_t levels = 1; levels <= 4; ++levels) {
      for (const Variant& variant : kVariants) {
        ldp::PlanRequest request =
            test::category_request({kBudgets.begin(), kBudgets.begin() + static_cast<std::ptrdiff_t>(levels)}, classes);
        apply(variant, request);
        check(test::plan_of(request), inputs,
              "classes " + std::to_string(classes) + ", levels " + std::to_string(levels));
      }
    }
  }
}

std::vector<double> first_budgets(std::size_t levels) {
  return {kBudgets.begin(), kBudgets.begin() + static_cast<std::ptrdiff_t>(levels)};
}

// Every M up to 6 and K up to 3, one and two outcomes sent, all forms of rows.
TEST(Enumeration, SubsetReportsLoseExactlyWhatTheCertificateSays) {
  const auto words = sparse_rows({0.0F, 1.0F}, 4);
  const auto vectors = dense_rows(grid({-1.0F, 0.0F, 1.0F}, 4));
  for (std::uint32_t outcomes = 2; outcomes <= 6; ++outcomes) {
    for (std::uint32_t favoured = 1; favoured <= outcomes / 2; ++favoured) {
      for (std::size_t levels = 1; levels <= 4; ++levels) {
        for (const double level_budget : {1.0, 30.0, 0.0}) {
          const std::uint32_t repeats = levels == 2 && outcomes < 6 ? 2 : 1;
          const std::string what = "outcomes " + std::to_string(outcomes) + ", favoured " + std::to_string(favoured) +
                                   ", levels " + std::to_string(levels);
          ldp::PlanRequest buckets = test::bucket_request(first_budgets(levels), 4, outcomes, favoured);
          ldp::PlanRequest directions = test::direction_request(first_budgets(levels), 4, outcomes, favoured);
          for (ldp::PlanRequest* request : {&buckets, &directions}) {
            apply({0, level_budget}, *request);
            request->shape.sampled = repeats;
          }
          check(test::plan_of(buckets), words, "buckets, " + what);
          check(test::plan_of(directions), vectors, "directions, " + what);
        }
      }
    }
  }
}

// Three and four outcomes in a report.
TEST(Enumeration, ThreeOutcomesLoseExactlyWhatTheCertificateSays) {
  const auto words = sparse_rows({0.0F, 1.0F}, 3);
  const ldp::Shape shapes[] = {{3, 3, 3, 1}, {3, 3, 4, 2}, {3, 4, 2, 1}};
  for (const ldp::Shape& shape : shapes) {
    for (const double level_budget : {1.0, 0.0}) {
      ldp::PlanRequest buckets = test::bucket_request({1.5, 4}, 3, shape.outcomes, shape.favoured);
      apply({0, level_budget}, buckets);
      buckets.shape.sampled = shape.sampled;
      check(test::plan_of(buckets), words, std::to_string(shape.sampled) + " of " + std::to_string(shape.outcomes));
    }
  }
}

// More levels than a loop that stops at 8 or 16 would see; with a level report, of a wide window and of none.
std::vector<double> twenty_budgets(double step) {
  std::vector<double> budgets;
  for (int level = 0; level < 20; ++level) budgets.push_back(1 + step * level);
  return budgets;
}

Plan many_levels_plan(double gamma) {
  ldp::PlanRequest request = test::number_request(twenty_budgets(.2), 2);
  apply({gamma, 30}, request);
  request.shape.sampled = 1;
  return test::plan_of(request);
}

TEST(Enumeration, ManyLevelsLoseExactlyWhatTheCertificateSays) {
  const auto vectors = dense_rows(grid({-1.0F, 1.0F}, 2));
  for (const double gamma : {0.0, .2, .9}) {
    check(many_levels_plan(gamma), vectors, "signs, gamma " + std::to_string(gamma));
  }
  ldp::PlanRequest open = test::number_request(twenty_budgets(.2), 2);
  apply({0, 0}, open);
  check(test::plan_of(open), vectors, "signs, public");
  ldp::PlanRequest buckets = test::bucket_request(twenty_budgets(.2), 4, 4, 2);
  apply({0, 30}, buckets);
  check(test::plan_of(buckets), sparse_rows({0.0F, 1.0F}, 4), "buckets");
}

TEST(Enumeration, EachOfManySignsTurnsWhereItsColumnSays) {
  const Plan plan = test::many_signs_plan();
  const auto product = [&](Level level, const ldp::Row& row, test::ScriptedBits& bits, ldp::Report& out) {
    ldp::perturb(plan, level, row, bits, out);
  };
  EXPECT_EQ(test::finding_at_many_signs(plan, product), "");
}

TEST(Enumeration, AnswersLoseExactlyWhatTheCertificateSays) {
  const auto words = sparse_rows({0.0F, 1.0F}, 5);
  for (std::uint32_t classes = 2; classes <= 5; ++classes) {
    for (std::size_t levels = 1; levels <= 4; ++levels) {
      for (const double level_budget : {1.0, 30.0, 0.0}) {
        ldp::PlanRequest request = test::answer_request(first_budgets(levels), 5, classes);
        apply({0, level_budget}, request);
        check(test::plan_of(request), words, "classes " + std::to_string(classes));
      }
    }
  }
}

// Public levels, each with outcomes, favoured ones and draws of its own.
TEST(Enumeration, ShapesThatGoWithAPublicLevelLoseExactlyWhatTheCertificateSays) {
  ldp::PlanRequest request = test::bucket_request({1, 2, 4}, 4, 6, 2);
  request.secrecy = ldp::LevelSecrecy::public_level;
  ldp::PlanTables tables = test::plan_of(request).tables();
  const ldp::Shape shapes[] = {{4, 1, 6, 2}, {4, 1, 5, 1}, {4, 2, 4, 2}};
  for (std::size_t i = 0; i < 3; ++i) {
    tables.levels[i].sampled = shapes[i].sampled;
    tables.levels[i].outcomes = shapes[i].outcomes;
    tables.levels[i].favoured = shapes[i].favoured;
    tables.levels[i].entry = ldp::BucketResponse::quantise(tables.levels[i].budget, shapes[i]);
  }
  check(Plan::make(tables).value(), sparse_rows({0.0F, 1.0F}, 4), "shapes by level");
  ldp::PlanRequest asks = test::answer_request({1, 2}, 5, 4);
  asks.secrecy = ldp::LevelSecrecy::public_level;
  tables = test::plan_of(asks).tables();
  tables.levels[0].outcomes = 2;
  tables.levels[0].entry = ldp::AnswerResponse::quantise(1, tables.shape(tables.levels[0]));
  check(Plan::make(tables).value(), sparse_rows({0.0F, 1.0F}, 5), "classes by level");
}

// Groups of their own ranges and absent values, as devices have them: listed columns and nothing else.
Plan mixed_plan(double gamma) {
  ldp::PlanRequest request = test::number_request({.7, 1.5, 4}, 1);
  request.columns = {{"word", 1, ldp::ColumnKind::binary, 0, 1, 0},
                     {"mood", 1, ldp::ColumnKind::number, -1, 1, 1},
                     {"age", 1, ldp::ColumnKind::number, 0, 4, 3}};
  request.shape.sampled = 1;
  request.gamma = gamma;
  return test::plan_of(request);
}

std::vector<OwnedRow> mixed_rows() {
  std::vector<OwnedRow> rows = sparse_rows({-1.0F, 0.0F, 1.0F, 4.0F}, 3);
  // Values at the ends of every range, or the worst case is not among them.
  for (const OwnedRow& row : dense_rows({{0, -1, 0}, {1, 1, 4}, {1, -1, 4}, {0, 1, 0}})) rows.push_back(row);
  return rows;
}

TEST(Enumeration, SparseRowsLoseExactlyWhatTheCertificateSays) {
  for (const double gamma : {0.0, .5}) {
    check(mixed_plan(gamma), mixed_rows(), "mixed groups, gamma " + std::to_string(gamma));
  }
  for (std::uint32_t dim = 1; dim <= 3; ++dim) {
    for (std::uint32_t sampled = 1; sampled <= std::min(dim, 2u); ++sampled) {
      ldp::PlanRequest request = test::signs_request({.7, 1.5, 4}, dim);
      request.shape.sampled = sampled;
      check(test::plan_of(request), sparse_rows({0.0F, 0.5F, 1.0F}, dim),
            "dim " + std::to_string(dim) + ", sampled " + std::to_string(sampled));
    }
  }
}

// A level report and two of three columns; a window of radius 1 where there are five levels.
Plan reporting_plan(std::vector<double> budgets) {
  ldp::PlanRequest request = test::number_request(std::move(budgets), 3);
  request.gamma = .5;
  request.level_budget = 30;
  request.shape.sampled = 2;
  return test::plan_of(request);
}

// The same mistakes that the falsifier must see, seen here without a sample.
template <class Device>
std::string finding_with(const Plan& plan, const std::vector<OwnedRow>& rows) {
  const auto device = test::make_device<Device>(plan);
  const auto play = [&](Level level, const ldp::Row& row, test::ScriptedBits& bits, ldp::Report& out) {
    test::report_of(device, level, row, bits, out);
  };
  return finding(plan, rows, test::Enumerator(plan, play));
}

template <class Mutant>
void expect_found(const Plan& plan, const std::vector<OwnedRow>& rows) {
  EXPECT_NE(finding_with<Mutant>(plan, rows), "");
}

// More columns than can be walked: the cells of some, at both sides of what short numbers hold.
TEST(Enumeration, ColumnsBeyondSixteenBitsAreReachedAndLookedUp) {
  for (const std::uint32_t dim : test::kWideDims) {
    const Plan plan = test::wide_plan(dim);
    const auto product = [&](Level level, const ldp::Row& row, test::ScriptedBits& bits, ldp::Report& out) {
      ldp::perturb(plan, level, row, bits, out);
    };
    EXPECT_EQ(test::finding_at_wide_columns(plan, product), "");
  }
}

template <class Mutant>
std::string finding_at_wide_columns(std::uint32_t dim) {
  const Plan plan = test::wide_plan(dim);
  const auto device = test::make_device<Mutant>(plan);
  return test::finding_at_wide_columns(plan, [&](Level level, const ldp::Row& row, test::ScriptedBits& bits,
                                                 ldp::Report& out) { test::report_of(device, level, row, bits, out); });
}

TEST(EnumerationMutants, OfSixteenBitsAreFound) {
  for (const std::uint32_t dim : {65537u, ldp::kMaxColumns}) {
    EXPECT_EQ(finding_at_wide_columns<test::Steps>(dim), "");
    EXPECT_NE(finding_at_wide_columns<test::SixteenBitLookup>(dim), "");
    EXPECT_NE(finding_at_wide_columns<test::SixteenBitSampler>(dim), "");
    EXPECT_NE(finding_at_wide_columns<test::SixteenBitModulo>(dim), "");
    EXPECT_NE(finding_at_wide_columns<test::SixteenBitPayload>(dim), "");
  }
  EXPECT_NE(finding_at_wide_columns<test::SixteenBitPayload>(65536), "");  // columns fit, entries do not
}

TEST(EnumerationMutants, TheStepsThemselvesAreExact) {
  EXPECT_EQ(finding_with<test::Steps>(mixed_plan(0), mixed_rows()), "");
  const auto rows = dense_rows(grid({-1.0F, 1.0F}, 3));
  EXPECT_EQ(finding_with<test::Steps>(reporting_plan({1, 2, 4}), rows), "");
  EXPECT_EQ(finding_with<test::Steps>(reporting_plan({1, 1.5, 2, 2.5, 3}), rows), "");
}

TEST(EnumerationMutants, WithSignsAreFound) {
  const Plan plan = mixed_plan(0);
  const auto rows = mixed_rows();
  expect_found<test::ListedColumnFavoured>(plan, rows);
  expect_found<test::ListedWithoutNoise>(plan, rows);
  expect_found<test::LastColumnLeftOut>(plan, rows);
  expect_found<test::ZeroNoise>(plan, rows);
  expect_found<test::BudgetTenPercentMore>(plan, rows);
  expect_found<test::LevelOffByOne>(plan, rows);
}

TEST(EnumerationMutants, WithBudgetsAndLevelReportsAreFound) {
  const auto rows = dense_rows(grid({-1.0F, 1.0F}, 3));
  const Plan plan = reporting_plan({1, 2, 4});
  const Plan window = reporting_plan({1, 1.5, 2, 2.5, 3});
  expect_found<test::BudgetNotDivided>(plan, rows);
  expect_found<test::LambdaNotSubtracted>(plan, rows);
  expect_found<test::EverybodySamplesTheMost>(plan, rows);
  expect_found<test::TwiceLambda>(plan, rows);
  expect_found<test::MaximumOfCoins>(plan, rows);
  expect_found<test::LevelBudgetPerLevel>(window, rows);
  expect_found<test::IndexShiftMissing>(window, rows);
}

TEST(EnumerationMutants, WithDrawsAreFound) {
  const auto rows = dense_rows(grid({-1.0F, 1.0F}, 3));
  const Plan plan = reporting_plan({1, 2, 4});
  expect_found<test::WithReplacement>(plan, rows);
  expect_found<test::WordReused>(plan, rows);
  expect_found<test::SignsShareADraw>(plan, rows);
  expect_found<test::UnclampedInput>(plan, dense_rows(grid({-3.0F, 3.0F}, 3)));
}

TEST(EnumerationMutants, OfManyLevelsAreFound) {
  const auto rows = dense_rows(grid({-1.0F, 1.0F}, 2));
  const Plan plan = many_levels_plan(.2);
  EXPECT_EQ(finding_with<test::Steps>(plan, rows), "");
  expect_found<test::EightLevels>(plan, rows);
  expect_found<test::SixteenLevels>(plan, rows);
  ldp::PlanRequest request = test::bucket_request(twenty_budgets(.2), 4, 4, 2);
  apply({0, 30}, request);
  const Plan buckets = test::plan_of(request);
  const auto words = sparse_rows({0.0F, 1.0F}, 4);
  EXPECT_EQ(finding_with<test::SubsetSteps>(buckets, words), "");
  expect_found<test::SubsetEntriesOfSixteenLevels>(buckets, words);
}

TEST(EnumerationMutants, OfManySignsAreFound) {
  const Plan plan = test::many_signs_plan();
  const auto found = [&](auto device) {
    return test::finding_at_many_signs(plan, [&](Level level, const ldp::Row& row, test::ScriptedBits& bits,
                                                 ldp::Report& out) { test::report_of(device, level, row, bits, out); });
  };
  EXPECT_EQ(found(test::make_device<test::Steps>(plan)), "");
  EXPECT_NE(found(test::make_device<test::NoiseForSixtyFourSigns>(plan)), "");
}

TEST(EnumerationMutants, OfThreeOutcomesAreFound) {
  ldp::PlanRequest request = test::bucket_request({1.5, 4}, 3, 4, 2);
  request.shape.sampled = 3;
  const Plan plan = test::plan_of(request);
  const auto words = sparse_rows({0.0F, 1.0F}, 3);
  EXPECT_EQ(finding_with<test::SubsetSteps>(plan, words), "");
  expect_found<test::ThirdOutcomeOverspends>(plan, words);
}

TEST(EnumerationMutants, WithClassesAreFound) {
  ldp::PlanRequest request = test::category_request({1, 2}, 5);
  request.columns[0].absent = 3;
  const Plan plan = test::plan_of(request);
  std::vector<OwnedRow> rows{{OwnedRow::Form::ones, {}, {}}, {OwnedRow::Form::ones, {0}, {}}};
  for (std::uint32_t category = 0; category < 5; ++category) {
    rows.push_back({OwnedRow::Form::sparse, {0}, {static_cast<float>(category)}});
  }
  expect_found<test::OneClassKeptMore>(plan, rows);
  expect_found<test::NextClassLeftOut>(plan, rows);
}

// The members of S(x) as the plan's rules say, from what is likelier.
std::string finding_in_sets(const Plan& plan, const std::vector<OwnedRow>& rows, test::Enumerator enumerator) {
  for (std::uint32_t level = 1; level <= plan.levels().size(); ++level) {
    for (const OwnedRow& row : rows) {
      std::vector<std::uint32_t> wanted(plan.shape(0).favoured);
      ldp::BucketResponse::choose(plan.tables(), plan.shape(0), test::Person(plan).asked(), row.row(), wanted);
      std::vector<std::uint32_t> found;
      for (const auto& [output, chance] : enumerator.distribution(Level{level}, row.row())) {
        const std::uint32_t outcome = std::get<3>(output).at(0);
        if (chance > 1.0L / plan.outcomes()) found.push_back(outcome);
      }
      std::sort(found.begin(), found.end());
      if (found != wanted) return "other outcomes are favoured";
    }
  }
  return enumerator.problem();
}

template <class Device>
std::string subset_finding(const Plan& plan, const std::vector<OwnedRow>& rows) {
  const auto device = test::make_device<Device>(plan);
  const auto play = [&](Level level, const ldp::Row& row, test::ScriptedBits& bits, ldp::Report& out) {
    test::report_of(device, level, row, bits, out);
  };
  const std::string losses = finding(plan, rows, test::Enumerator(plan, play));
  return losses.empty() ? finding_in_sets(plan, rows, test::Enumerator(plan, play)) : losses;
}

TEST(EnumerationMutants, WithSubsetsAreFound) {
  ldp::PlanRequest request = test::bucket_request({1, 2, 4}, 5, 20, 2);
  request.columns = {{"word", 4, ldp::ColumnKind::binary, 0, 1, 0}, {"mood", 1, ldp::ColumnKind::number, -1, 1, .5}};
  const Plan plan = test::plan_of(request);
  std::vector<OwnedRow> rows = sparse_rows({0.0F, 1.0F}, 5);
  rows.push_back({OwnedRow::Form::dense, {}, {1, 0, 1, 0, -1}});
  EXPECT_EQ(subset_finding<test::SubsetSteps>(plan, rows), "");
  EXPECT_NE(subset_finding<test::OneFavouredFewer>(plan, rows), "");
  EXPECT_NE(subset_finding<test::AsManyAsWords>(plan, rows), "");
  EXPECT_NE(subset_finding<test::FillerByLevel>(plan, rows), "");
  EXPECT_NE(subset_finding<test::TiesByColumn>(plan, rows), "");
  EXPECT_NE(subset_finding<test::LightestFirst>(plan, rows), "");
  EXPECT_NE(subset_finding<test::OneEventInTheCap>(plan, rows), "");
  EXPECT_NE(subset_finding<test::OutsiderWhenNeeded>(plan, rows), "");
  EXPECT_NE(subset_finding<test::SaltAsRandomness>(plan, rows), "");
  EXPECT_NE(subset_finding<test::SaltChoosesTheMember>(plan, rows), "");
  EXPECT_NE(subset_finding<test::SubsetLevelOffByOne>(plan, rows), "");
}

}  // namespace
}  // namespace ppgnn
