#include "ppgnn/ldp/bucket_response.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/ldp/public_hash.hpp"
#include "support/plans.hpp"

namespace ppgnn::ldp {
namespace {

std::vector<std::uint32_t> chosen_buckets(const Plan& plan, const Row& row, std::uint64_t salt = 7) {
  const Shape shape = plan.shape(0);
  std::vector<std::uint32_t> favoured(shape.favoured);
  BucketResponse::choose(plan.tables(), shape, {salt, nullptr}, row, favoured);
  return favoured;
}

std::uint32_t bucket(const Plan& plan, std::uint32_t column, bool above = true, std::uint64_t salt = 7) {
  return WordBuckets(plan.tables(), plan.shape(0), {salt, nullptr}).bucket(column, above);
}

// Written down, so that a device of another year and a server agree.
TEST(BucketResponse, HashesAreTheDocumentedOnes) {
  EXPECT_EQ(public_hash(0, 0), 0x48218226ff3cd4bfu);
  EXPECT_EQ(public_hash(1, 2), 0xf2826f98653e9e57u);
  EXPECT_EQ(public_key("ppgnn"), 0x891d957864ec8b98u);
  EXPECT_EQ(salt_of("spring", "ana"), public_key("ppgnn salt 1\nspring\nana"));
}

// As many buckets as words: each word has its own. Fewer: sizes differ by one at most. For every person.
TEST(BucketResponse, BucketsAreOfEqualSize) {
  for (const std::uint32_t dim : {6u, 35u, 64u, 97u}) {
    for (const std::uint32_t buckets : {4u, dim / 2, dim}) {
      const Plan plan = test::plan_of(test::bucket_request({1, 2}, dim, buckets, 1));
      for (std::uint64_t salt = 0; salt < 50; ++salt) {
        std::vector<std::uint32_t> sizes(buckets, 0);
        for (std::uint32_t column = 0; column < dim; ++column) ++sizes.at(bucket(plan, column, true, salt));
        const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
        EXPECT_GE(*least, dim / buckets);
        EXPECT_LE(*most, (dim + buckets - 1) / buckets);
      }
    }
  }
}

// Two words share a bucket for one person and not for the next.
TEST(BucketResponse, WhoSharesABucketChangesFromPersonToPerson) {
  const Plan plan = test::plan_of(test::bucket_request({1, 2}, 500, 50, 5));
  constexpr int kPeople = 5000;
  for (const std::uint32_t other : {1u, 2u, 7u, 83u, 499u}) {
    int together = 0;
    for (std::uint64_t salt = 0; salt < kPeople; ++salt) {
      together += bucket(plan, 0, true, salt) == bucket(plan, other, true, salt) ? 1 : 0;
    }
    EXPECT_NEAR(together / double{kPeople}, .018, .012) << other;  // 9 of the 499 others share it
  }
}

TEST(BucketResponse, FavoursExactlyKDifferentBuckets) {
  const Plan plan = test::plan_of(test::bucket_request({1, 2}, 40, 24, 12));
  for (std::uint64_t salt = 0; salt < 500; ++salt) {
    for (const std::uint32_t listed : {0u, 1u, 5u, 11u, 12u, 13u, 40u}) {
      std::vector<std::uint32_t> columns(listed);
      for (std::uint32_t i = 0; i < listed; ++i) columns[i] = i;
      const auto favoured = chosen_buckets(plan, Row::ones(columns), salt);
      EXPECT_TRUE(std::is_sorted(favoured.begin(), favoured.end()));
      EXPECT_EQ(std::set<std::uint32_t>(favoured.begin(), favoured.end()).size(), 12u);
      EXPECT_LT(favoured.back(), 24u);
    }
  }
}

TEST(BucketResponse, TheFormOfARowDoesNotMatter) {
  const Plan plan = test::plan_of(test::bucket_request({1, 2}, 40, 24, 4));
  const std::vector<std::uint32_t> columns{3, 17, 20, 31, 39};
  std::vector<float> values(columns.size(), 1);
  std::vector<float> dense(40, 0);
  for (const std::uint32_t column : columns) dense[column] = 1;
  const auto expected = chosen_buckets(plan, Row::ones(columns));
  EXPECT_EQ(chosen_buckets(plan, Row::sparse(columns, values)), expected);
  EXPECT_EQ(chosen_buckets(plan, Row::dense(dense)), expected);
  // What is listed with its absent value says nothing.
  const std::vector<std::uint32_t> all{1, 3, 17, 20, 31, 35, 39};
  const std::vector<float> some{0, 1, 1, 1, 1, 0, 1};
  EXPECT_EQ(chosen_buckets(plan, Row::sparse(all, some)), expected);
}

TEST(BucketResponse, HeavierWordsWinAndBothSidesOfAbsentAreWords) {
  PlanRequest request = test::bucket_request({1, 2}, 40, 2000, 2);
  request.columns = {{"value", 40, ColumnKind::number, -1, 1, .5}};
  const Plan plan = test::plan_of(request);
  const std::vector<std::uint32_t> columns{3, 17, 20, 31};
  const std::vector<float> values{.6F, 1, -.2F, .4F};  // .1 above, .5 above, .7 below, .1 below
  std::vector<std::uint32_t> expected{bucket(plan, 17, true), bucket(plan, 20, false)};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(chosen_buckets(plan, Row::sparse(columns, values)), expected);
  EXPECT_NE(bucket(plan, 17, true), bucket(plan, 17, false));
}

// Two words in one bucket count with the heavier one.
TEST(BucketResponse, TheHeavierWordOfABucketCounts) {
  PlanRequest request = test::bucket_request({1, 2}, 40, 4, 1);
  request.columns = {{"value", 40, ColumnKind::number, 0, 1, 0}};
  const Plan plan = test::plan_of(request);
  int tried = 0;
  for (std::uint32_t a = 0; a < 38; ++a) {
    for (std::uint32_t b = a + 1; b < 39; ++b) {
      if (bucket(plan, a) != bucket(plan, b)) continue;
      for (std::uint32_t other = b + 1; other < 40; ++other) {
        if (bucket(plan, other) == bucket(plan, a)) continue;
        ++tried;
        const std::vector<std::uint32_t> columns{a, b, other};
        const std::vector<float> light_first{.2F, .9F, .5F};
        const std::vector<float> both_light{.2F, .3F, .5F};
        EXPECT_EQ(chosen_buckets(plan, Row::sparse(columns, light_first)).at(0), bucket(plan, a));
        EXPECT_EQ(chosen_buckets(plan, Row::sparse(columns, both_light)).at(0), bucket(plan, other));
      }
    }
  }
  EXPECT_GT(tried, 100);
}

// An absent value that no float holds is absent as the nearest float.
TEST(BucketResponse, AbsentIsAbsentInEveryForm) {
  PlanRequest request = test::bucket_request({1, 2}, 40, 24, 4);
  request.columns = {{"value", 40, ColumnKind::number, 0, 1, .7}};
  const Plan plan = test::plan_of(request);
  const std::vector<float> values(40, .7F);
  for (std::uint64_t salt = 0; salt < 20; ++salt) {
    EXPECT_EQ(chosen_buckets(plan, Row::dense(values), salt), chosen_buckets(plan, Row::ones({}), salt));
  }
}

// Over many salts every word of equal weight wins as often as any other: ties do not go by the order of the columns.
TEST(BucketResponse, TiesGoBySaltNotByColumn) {
  const Plan plan = test::plan_of(test::bucket_request({1, 2}, 20, 4000, 5));
  std::vector<std::uint32_t> columns(20);
  for (std::uint32_t i = 0; i < 20; ++i) columns[i] = i;
  std::vector<int> wins(20, 0);
  constexpr int kPeople = 20000;
  for (int person = 0; person < kPeople; ++person) {
    const auto salt = static_cast<std::uint64_t>(person);
    const auto favoured = chosen_buckets(plan, Row::ones(columns), salt);
    for (std::uint32_t i = 0; i < 20; ++i) {
      wins[i] += std::binary_search(favoured.begin(), favoured.end(), bucket(plan, i, true, salt)) ? 1 : 0;
    }
  }
  // Binomial with 20,000 trials of 1/4: six standard deviations are 370.
  for (const int one : wins) EXPECT_NEAR(one, kPeople / 4, 400);
}

// What the mean of many people's reports says of a word, against the formula that plans are made by: few buckets, as many
// as words, and two of them sent.
TEST(BucketResponse, InformationIsWhatASimulationShows) {
  struct Case {
    double budget;
    std::uint32_t words, buckets, repeats;
  };
  for (const Case& one : {Case{2, 5000, 151, 1}, Case{8, 1500, 1500, 1}, Case{16, 1500, 1500, 2}}) {
    PlanRequest request = test::bucket_request({one.budget}, one.words, one.buckets, 15);
    request.shape.sampled = one.repeats;
    const Plan plan = test::plan_of(request);
    const Shape shape = plan.shape(0);
    const double inside = std::ldexp(static_cast<double>(plan.levels()[0].entry), -62);
    double own = 0;
    double other = 0;
    constexpr std::uint32_t kPeople = 4000;
    const std::uint32_t stride = one.words / 15 - 30;  // words beyond are nobody's
    std::vector<std::uint32_t> columns(15);
    for (std::uint32_t person = 0; person < kPeople; ++person) {
      for (std::uint32_t i = 0; i < 15; ++i) {
        columns[i] = i * stride + static_cast<std::uint32_t>(public_hash(person, i) % stride);
      }
      const auto favoured = chosen_buckets(plan, Row::ones(columns), person);
      const auto chance = [&](std::uint32_t column) {
        const bool is_own = std::binary_search(favoured.begin(), favoured.end(), bucket(plan, column, true, person));
        return is_own ? inside / shape.favoured : (1 - inside) / (shape.outcomes - shape.favoured);
      };
      for (std::uint32_t i = 0; i < 15; ++i) {
        own += chance(columns[i]) / (15.0 * kPeople);
        other += chance(15 * stride + 30 * i) / (15.0 * kPeople);
      }
    }
    const double measured = shape.sampled * shape.favoured * (own - other) * (own - other) * shape.outcomes;
    const double stated = BucketResponse::information(BucketResponse::gain(plan.levels()[0].entry, shape), shape);
    EXPECT_NEAR(measured / stated, 1, .03) << one.budget;
  }
}

// The shares of favoured buckets and caps of the review, for protected levels.
TEST(BucketResponse, PlansKeepWhatTheReviewFound) {
  struct Row {
    double epsilon, share, cap, information;
  };
  for (const Row& row :
       {Row{.5, .183, 2.499, .73}, Row{1, .119, 2.994, 1.88}, Row{2, .018, 5.998, 22}, Row{3, .0025, 8.999, 186}}) {
    PlanRequest request = test::bucket_request(doubling_budgets(row.epsilon, 5).value(), 20000, 0, 0);
    request.shape = {};
    const Plan plan = test::plan_of(request);
    const Shape shape = plan.shape(0);
    EXPECT_EQ(shape.sampled, 1u);
    EXPECT_NEAR(static_cast<double>(shape.favoured) / shape.outcomes / row.share, 1, .1) << row.epsilon;
    EXPECT_NEAR(plan.certificate().features.back(), row.cap, .02);
    EXPECT_NEAR(Estimator(plan.tables()).expected_mass() / row.information, 1, .02);
  }
}

}  // namespace
}  // namespace ppgnn::ldp
