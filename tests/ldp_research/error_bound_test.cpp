#include "ppgnn/ldp_research/error_bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ppgnn/seeded/seeded_stream.hpp"
#include "support/plans.hpp"

namespace ppgnn::ldp_research {
namespace {

constexpr std::uint32_t kColumns = 200;

Schema schema() {
  return Schema::make(test::number_request({1}, kColumns).columns).value();
}

// The error in the worst column that 95% of means stay below, over 400 means (seed 1).
double measured_error(const PaperOptions& options, Level level, std::uint64_t neighbours) {
  const auto mechanism = make_paper_ppm(schema(), options).value();
  std::vector<float> values(kColumns);
  for (std::uint32_t i = 0; i < kColumns; ++i) values[i] = i % 2 == 0 ? 1.0F : -1.0F;
  seeded::SeededStream bits(1, seeded::Purpose::test, 9);
  NoisyRow row;
  std::vector<double> errors;
  for (int mean = 0; mean < 400; ++mean) {
    std::vector<double> sums(kColumns);
    for (std::uint64_t person = 0; person < neighbours; ++person) {
      mechanism->perturb(level, Row::dense(values), bits, row);
      for (std::size_t i = 0; i < row.values.size(); ++i) {
        sums[row.columns.empty() ? i : row.columns[i]] += row.values[i] / static_cast<double>(neighbours);
      }
    }
    double worst = 0;
    for (std::uint32_t i = 0; i < kColumns; ++i) {
      worst = std::max(worst, std::abs(sums[i] - static_cast<double>(values[i])));
    }
    errors.push_back(worst);
  }
  std::nth_element(errors.begin(), errors.begin() + 380, errors.end());
  return errors[380];
}

// Theorem 4 beside what is measured: docs/paper.md has these figures.
TEST(ErrorBound, HoldsAndFallsWithTheNeighbours) {
  struct Case {
    double epsilon;
    std::uint64_t neighbours;
  };
  for (const auto& [epsilon, neighbours] : {Case{1, 4}, Case{1, 64}, Case{1, 1024}, Case{8, 4}, Case{8, 64}}) {
    const PaperOptions options{{epsilon}, .5, {}, {}};
    const ErrorBound bound = paper_error_bound(schema(), options, Level{1}, neighbours, .05).value();
    const double measured = measured_error(options, Level{1}, neighbours);
    EXPECT_LT(measured, bound.certain) << epsilon << ' ' << neighbours;
    EXPECT_GT(measured, bound.certain / 8) << "a bound that says something";
    std::printf("epsilon %g, %d neighbours: printed %.1f + %.2f, certain %.1f, measured %.1f\n", epsilon,
                static_cast<int>(neighbours), bound.sampling, bound.level, bound.certain, measured);
  }
  const PaperOptions options{{1}, .5, {}, {}};
  const auto at = [&](std::uint64_t neighbours) {
    return paper_error_bound(schema(), options, Level{1}, neighbours, .05).value();
  };
  EXPECT_NEAR(at(100).sampling / at(400).sampling, 2, 1e-12);
  EXPECT_NEAR(at(1 << 20).certain / at(1 << 22).certain, 2, .02) << "as the root of the neighbours";
  EXPECT_EQ(at(1).level, at(1000).level) << "the printed term that no number of neighbours makes smaller";
  EXPECT_LT(at(100000).certain, at(100000).level) << "and that the error does not have";
}

TEST(ErrorBound, RefusesWhatItIsNotAbout) {
  PaperOptions options{{1}, .5, PaperReading::authors, {}};
  EXPECT_FALSE(paper_error_bound(schema(), options, Level{1}, 4, .05));
  options.reading = PaperReading::ours;
  EXPECT_FALSE(paper_error_bound(schema(), options, Level{2}, 4, .05));
  EXPECT_FALSE(paper_error_bound(schema(), options, Level{1}, 0, .05));
  EXPECT_FALSE(paper_error_bound(schema(), options, Level{1}, 4, 1));
  options.noise = PaperNoise::laplace;
  EXPECT_FALSE(paper_error_bound(schema(), options, Level{1}, 4, .05));
}

}  // namespace
}  // namespace ppgnn::ldp_research
