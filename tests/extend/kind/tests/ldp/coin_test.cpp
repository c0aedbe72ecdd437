#include "ppgnn/ldp/coin.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ppgnn/audit/falsifier.hpp"
#include "ppgnn/client/client.hpp"
#include "ppgnn/wire/report_format.hpp"
#include "support/enumerate.hpp"
#include "support/plans.hpp"

namespace ppgnn::ldp {
namespace {

// Everything that was not told about coins knows them: certificate, client, wire, enumeration, falsifier.
TEST(Coin, WorksFromPlanToFalsifier) {
  const Plan plan = test::plan_of(test::request_of(ReportKind::coin, {1, 2}));
  auto client = client::Client::make(plan.text());
  ASSERT_TRUE(client) << client.error().message;
  const std::vector<float> high{1.0F};
  const std::vector<float> low{-1.0F};
  const auto bytes = client->report(Level{1}, Row::dense(high), 0);
  ASSERT_TRUE(bytes);
  EXPECT_TRUE(wire::decode(plan, *bytes).ok());

  test::Enumerator enumerator(plan);
  for (const std::uint32_t level : {1u, 2u}) {
    const auto top = enumerator.distribution(Level{level}, Row::dense(high));
    const auto bottom = enumerator.distribution(Level{level}, Row::dense(low));
    ASSERT_EQ(top.size(), 2u);
    double worst = 0;
    for (const auto& [output, chance] : top) {
      worst = std::max(worst, static_cast<double>(std::log(chance / bottom.at(output))));
    }
    EXPECT_NEAR(worst, plan.certificate().features[level - 1], 1e-9);
  }
  const auto result = audit::falsify_client(plan, {.trials = 5000, .alpha = 1e-6, .progress = {}});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->falsified());
}

}  // namespace
}  // namespace ppgnn::ldp
