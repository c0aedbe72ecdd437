// The certificate against the exact distribution of reports: every input of a grid, every level, every output.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/enumerate.hpp"
#include "support/plans.hpp"

namespace ppgnn {
namespace {

using ldp::Level;
using ldp::Plan;
using test::Output;

constexpr long double kInfinity = std::numeric_limits<long double>::infinity();

struct Losses {
  std::vector<long double> features;
  long double level = 0;
  long double pair = 0;
  long double strictest = 0;
};

// Every vector over `values` of length `dim`.
std::vector<std::vector<float>> grid(const std::vector<float>& values, std::uint32_t dim) {
  std::vector<std::vector<float>> all{{}};
  for (std::uint32_t i = 0; i < dim; ++i) {
    std::vector<std::vector<float>> longer;
    for (const auto& start : all) {
      for (const float value : values) {
        longer.push_back(start);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

long double log_ratio(long double first, long double second) {
  if (first == 0) return -kInfinity;
  return second == 0 ? kInfinity : std::log(first / second);
}

Losses measure(const Plan& plan, const std::vector<std::vector<float>>& inputs) {
  test::Enumerator enumerator(plan);
  const std::size_t levels = plan.levels().size();
  // chances[level][input][output]
  std::vector<std::vector<std::map<Output, long double>>> chances(levels);
  std::map<Output, int> outputs;
  for (std::size_t level = 0; level < levels; ++level) {
    for (const auto& input : inputs) {
      chances[level].push_back(enumerator.distribution(Level{static_cast<std::uint32_t>(level) + 1}, input));
      long double sum = 0;
      for (const auto& [output, chance] : chances[level].back()) {
        sum += chance;
        outputs[output] = 1;
      }
      EXPECT_NEAR(static_cast<double>(sum), 1, 1e-12);
    }
  }
  Losses losses{.features = std::vector<long double>(levels, 0)};
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

// Equal to the closed form to 1e-9, and never above what is claimed.
void expect_matches(long double measured, double claimed, const std::string& what) {
  EXPECT_LE(measured, static_cast<long double>(claimed)) << what;
  EXPECT_NEAR(static_cast<double>(measured), claimed, 1e-9) << what;
}

void check(const Plan& plan, const std::vector<std::vector<float>>& inputs, const std::string& what) {
  const Losses losses = measure(plan, inputs);
  const ldp::Certificate& certificate = plan.certificate();
  for (std::size_t level = 0; level < plan.levels().size(); ++level) {
    expect_matches(losses.features[level], certificate.features[level], what + ": features");
  }
  if (plan.tables().secrecy == ldp::LevelSecrecy::public_level) return;
  expect_matches(losses.level, certificate.level_given_features, what + ": level");
  expect_matches(losses.pair, certificate.pair_max, what + ": pair");
  expect_matches(losses.strictest, certificate.pair_strictest, what + ": strictest");
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
    const auto inputs = grid({-1.0F, 0.0F, 0.5F, 1.0F}, dim);
    for (std::uint32_t sampled = 1; sampled <= std::min(dim, 3u); ++sampled) {
      for (std::size_t levels = 1; levels <= 4; ++levels) {
        for (const Variant& variant : kVariants) {
          // The largest grids with fewer variants: the whole test stays within seconds.
          if (dim == 4 && levels == 4 && variant.gamma == .9) continue;
          ldp::PlanRequest request =
              test::number_request({kBudgets.begin(), kBudgets.begin() + static_cast<std::ptrdiff_t>(levels)}, dim);
          apply(variant, request);
          request.sampled = sampled;
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
    std::vector<std::vector<float>> inputs;
    for (std::uint32_t category = 0; category < classes; ++category) inputs.push_back({static_cast<float>(category)});
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

}  // namespace
}  // namespace ppgnn
