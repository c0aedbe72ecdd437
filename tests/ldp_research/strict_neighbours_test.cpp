#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include "ppgnn/ldp_research/paper_ppm.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "support/plans.hpp"

namespace ppgnn::ldp_research {
namespace {

constexpr std::uint32_t kFew = 20;  // columns
constexpr int kNeighbours = 64;
constexpr int kMeans = 1500;

// How far the weighted mean of a node's neighbours is from their plain mean: on average, and as a root mean square.
struct Off {
  double bias = 0, rms = 0, standard_error = 0;
};

// Strict neighbours hold `strict_value` in every column, relaxed ones .5.
Off measure(PaperReading reading, double share_strict, double strict_value,
            const std::function<double(const FeatureMechanism&, std::int32_t)>& weight) {
  const Schema schema = Schema::make(test::number_request({1}, kFew).columns).value();
  const auto mechanism = make_paper_ppm(schema, {{1, 2, 4, 8, 16}, .5, reading, {}}).value();
  const int strict = static_cast<int>(std::lround(share_strict * kNeighbours));
  const std::vector<float> strict_values(kFew, static_cast<float>(strict_value));
  const std::vector<float> relaxed_values(kFew, .5F);
  const double truth = (strict * strict_value + (kNeighbours - strict) * .5) / kNeighbours;
  seeded::SeededStream bits(1, seeded::Purpose::test, 11);
  NoisyRow row;
  double sum = 0;
  double squares = 0;
  double square_means = 0;
  for (int mean = 0; mean < kMeans; ++mean) {
    std::vector<double> sums(kFew);
    double weights = 0;
    for (int person = 0; person < kNeighbours; ++person) {
      const bool is_strict = person < strict;
      mechanism->perturb(Level{is_strict ? 1U : 5U}, Row::dense(is_strict ? strict_values : relaxed_values), bits, row);
      mechanism->estimate(row);
      const double its = weight(*mechanism, *row.reported_level);
      weights += its;
      for (std::size_t i = 0; i < row.values.size(); ++i) {
        sums[row.columns.empty() ? i : row.columns[i]] += its * row.values[i];
      }
    }
    double here = 0;
    for (const double one : sums) {
      const double error = one / weights - truth;
      here += error / kFew;
      squares += error * error / kFew;
    }
    sum += here;
    square_means += here * here;
  }
  const double bias = sum / kMeans;
  return {bias, std::sqrt(squares / kMeans), std::sqrt((square_means / kMeans - bias * bias) / kMeans)};
}

double alike(const FeatureMechanism&, std::int32_t) {
  return 1;
}
double by_level(const FeatureMechanism&, std::int32_t level) {
  return std::clamp(level, 1, 5);
}
double by_variance(const FeatureMechanism& mechanism, std::int32_t level) {
  return 1 / mechanism.variance(Level{static_cast<std::uint32_t>(std::clamp(level, 1, 5))}, 0);
}

// The first limitation that the paper names: strict people around one node. docs/paper.md has these figures.
TEST(StrictNeighbours, CountForLessAndMakeWeightsNoisier) {
  for (const double share : {0., .25, .5, .75, 1.}) {
    std::printf("%3.0f%% strict:", 100 * share);
    std::vector<Off> same;
    std::vector<Off> other;
    for (const auto& weight : {alike, by_level, by_variance}) {
      same.push_back(measure(PaperReading::ours, share, .5, weight));
      other.push_back(measure(PaperReading::ours, share, -.5, weight));
      std::printf("  bias %+.3f (strict people differ: %+.3f) rms %.2f", same.back().bias, other.back().bias,
                  same.back().rms);
      EXPECT_LT(std::abs(same.back().bias), 4.5 * same.back().standard_error) << share;
    }
    std::printf("\n");
    EXPECT_LT(std::abs(other[0].bias), 4.5 * other[0].standard_error) << "a plain mean has none: " << share;
    if (share == 0 || share == 1) continue;
    EXPECT_GT(other[1].bias, 4.5 * other[1].standard_error) << "strict people count for less: " << share;
    // With few strict people the weights make the mean surer, with many they make it noisier: chance decides who
    // counts for more, as strict people's levels are mostly noise.
    for (const std::size_t weighted : {1U, 2U}) {
      if (share < .5) {
        EXPECT_LT(same[weighted].rms, same[0].rms) << share;
      }
      if (share > .5) {
        EXPECT_GT(same[weighted].rms, same[0].rms) << share;
      }
    }
  }
}

// The authors' way scales by the reported level: strict people's values come out too large.
TEST(StrictNeighbours, TheReportedScaleIsBiasedForEverybody) {
  const Off off = measure(PaperReading::authors, .5, .5, by_level);
  std::printf("authors, 50%% strict: bias %+.3f\n", off.bias);
  EXPECT_GT(std::abs(off.bias), 4.5 * off.standard_error);
}

}  // namespace
}  // namespace ppgnn::ldp_research
