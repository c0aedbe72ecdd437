#include "ppgnn/ldp/direction_response.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/ldp/public_hash.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "support/plans.hpp"

namespace ppgnn::ldp {
namespace {

std::vector<std::uint32_t> chosen_directions(const Plan& plan, const Row& row, std::uint64_t salt = 7) {
  const Shape shape = plan.shape(0);
  std::vector<std::uint32_t> favoured(shape.favoured);
  DirectionResponse::choose(plan.tables(), shape, {salt, nullptr}, row, favoured);
  return favoured;
}

int sign_at(const Plan& plan, std::uint32_t direction, std::uint32_t column) {
  const std::uint64_t word = DirectionResponse::signs(plan.tables().codebook, column, direction / 64);
  return (word >> (direction % 64) & 1) != 0 ? 1 : -1;
}

// The largest inner products, worked out in floating point from the definition.
TEST(DirectionResponse, FavoursTheLargestInnerProducts) {
  for (const std::uint32_t directions : {6u, 64u, 100u, 256u, 1024u}) {
    PlanRequest request = test::direction_request({1, 2}, 30, directions, directions / 3);
    request.columns = {{"a", 20, ColumnKind::number, -1, 1, .25}, {"b", 10, ColumnKind::binary, 0, 1, 1}};
    const Plan plan = test::plan_of(request);
    seeded::SeededStream bits(directions, seeded::Purpose::test, 0);
    for (int person = 0; person < 20; ++person) {
      std::vector<float> values(30);
      std::vector<double> steps(30);
      for (std::uint32_t i = 0; i < 30; ++i) {
        values[i] =
            i < 20 ? static_cast<float>(bits.next() >> 40) * 0x1p-23F - 1 : static_cast<float>(random::below(2, bits));
        steps[i] = i < 20 ? static_cast<double>(values[i]) - .25 : 2 * (static_cast<double>(values[i]) - 1);
      }
      std::vector<double> products(directions, 0);
      for (std::uint32_t m = 0; m < directions; ++m) {
        for (std::uint32_t i = 0; i < 30; ++i) products[m] += sign_at(plan, m, i) * steps[i];
      }
      std::vector<std::uint32_t> order(directions);
      std::iota(order.begin(), order.end(), 0u);
      std::sort(order.begin(), order.end(), [&](auto a, auto b) { return products[a] > products[b]; });
      std::vector<std::uint32_t> expected(order.begin(), order.begin() + directions / 3);
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(chosen_directions(plan, Row::dense(values)), expected) << directions;
    }
  }
}

TEST(DirectionResponse, SignsAreTheDocumentedOnesUpToTheLastColumn) {
  for (const std::uint32_t column : {0u, 1u, 1u << 28, kMaxColumns - 1}) {
    for (const std::uint32_t block : {0u, 15u}) {
      EXPECT_EQ(DirectionResponse::signs(7, column, block), public_hash(7, std::uint64_t{16} * column + block));
    }
  }
}

TEST(DirectionResponse, TiesGoBySaltNotByDirection) {
  const Plan plan = test::plan_of(test::direction_request({1, 2}, 8, 20, 5));
  std::vector<int> wins(20, 0);
  constexpr int kPeople = 20000;
  for (int person = 0; person < kPeople; ++person) {
    const auto favoured = chosen_directions(plan, Row::ones({}), static_cast<std::uint64_t>(person));
    EXPECT_EQ(std::set<std::uint32_t>(favoured.begin(), favoured.end()).size(), 5u);
    for (const std::uint32_t one : favoured) ++wins[one];
  }
  for (const int one : wins) EXPECT_NEAR(one, kPeople / 4, 400);  // six standard deviations are 370
}

// How far a direction that is sent leans toward the features, against the formula that plans are made by.
TEST(DirectionResponse, InformationIsWhatASimulationShows) {
  struct Row {
    double budget;
    std::uint32_t favoured;
    double review;
  };
  for (const Row& row : {Row{1, 90, .16}, Row{2.2, 51, .74}, Row{4, 16, 2.3}}) {
    const Plan plan = test::plan_of(test::direction_request({row.budget}, 200, 256, row.favoured));
    const Shape shape = plan.shape(0);
    const double inside = std::ldexp(static_cast<double>(plan.levels()[0].entry), -62);
    seeded::SeededStream bits(3, seeded::Purpose::test, 0);
    double lean = 0;
    constexpr int kPeople = 300;
    for (int person = 0; person < kPeople; ++person) {
      std::vector<float> values(200);
      for (float& value : values) value = static_cast<float>(bits.next() >> 40) * 0x1p-23F - 1;
      double norm = 0;
      for (const float value : values) norm += static_cast<double>(value) * static_cast<double>(value);
      const auto favoured = chosen_directions(plan, ldp::Row::dense(values), bits.next());
      for (std::uint32_t m = 0; m < 256; ++m) {
        double product = 0;
        for (std::uint32_t i = 0; i < 200; ++i) product += sign_at(plan, m, i) * static_cast<double>(values[i]);
        const bool own = std::binary_search(favoured.begin(), favoured.end(), m);
        const double chance = own ? inside / shape.favoured : (1 - inside) / (shape.outcomes - shape.favoured);
        lean += chance * product / std::sqrt(norm) / kPeople;
      }
    }
    const double stated = DirectionResponse::information(DirectionResponse::gain(plan.levels()[0].entry, shape), shape);
    EXPECT_NEAR(lean * lean / stated, 1, .03) << row.budget;
    EXPECT_NEAR(stated / row.review, 1, .05) << row.budget;
  }
}

TEST(DirectionResponse, PlansKeepWhatTheReviewFound) {
  struct Row {
    double epsilon, share, information;
  };
  for (const Row& row : {Row{.5, .18, .41}, Row{1, .126, .80}, Row{2, .02, 2.5}}) {
    PlanRequest request = test::direction_request(doubling_budgets(row.epsilon, 5).value(), 200, 0, 0);
    request.shape = {};
    const Plan plan = test::plan_of(request);
    EXPECT_NEAR(Estimator(plan.tables()).expected_mass() / row.information, 1, .06) << row.epsilon;
  }
}

}  // namespace
}  // namespace ppgnn::ldp
