#include "ppgnn/server/answers.hpp"

#include <gtest/gtest.h>

namespace ppgnn::server {
namespace {

ldp::NodeReport report_of(std::uint32_t node, std::uint32_t round) {
  ldp::Report report;
  report.round = round;
  return {node, report};
}

TEST(Answers, OfSeveralRoundsAreInTheOrderOfPeople) {
  ldp::Questions first(4);
  ldp::Questions second(4);
  first[2].emplace();
  second[0].emplace();
  second[3].emplace();
  Answers answers;
  const std::vector<ldp::NodeReport> later{report_of(0, 2), report_of(3, 2)};
  const std::vector<ldp::NodeReport> earlier{report_of(2, 1)};
  answers.add(second, later);
  answers.add(first, earlier);
  ASSERT_EQ(answers.reports.size(), 3U);
  for (std::size_t i = 1; i < 3; ++i) EXPECT_LT(answers.reports[i - 1].node, answers.reports[i].node);
  EXPECT_EQ(answers.reports[1].report.round, 1U);
  ASSERT_EQ(answers.questions.size(), 4U);
  EXPECT_TRUE(answers.questions[0] && answers.questions[2] && answers.questions[3]);
  EXPECT_FALSE(answers.questions[1]);
}

}  // namespace
}  // namespace ppgnn::server
