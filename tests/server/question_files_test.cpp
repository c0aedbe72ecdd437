#include "ppgnn/server/question_files.hpp"

#include <gtest/gtest.h>

#include "support/datasets.hpp"
#include "support/plans.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::server {
namespace {

TEST(QuestionFiles, WhatWasWrittenIsReadBackByNodeName) {
  const test::TemporaryFolder folder;
  const graph::Dataset dataset = test::small_dataset();
  const ldp::Plan plan = test::plan_of(test::answer_request({1, 2}, 6, 3));
  ldp::Questions questions(dataset.num_nodes());
  questions[1] = ldp::Question::make(*plan.tables().model, {2, 0, 1}).value();
  ASSERT_TRUE(write_questions(folder / "q.csv", dataset, questions).ok());
  const auto read = read_questions(folder / "q.csv", dataset, plan);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE((*read)[0]);
  EXPECT_EQ((*read)[1]->digest(), questions[1]->digest());
}

TEST(QuestionFiles, WhatIsNoQuestionOfThePlanIsRefused) {
  const test::TemporaryFolder folder;
  const graph::Dataset dataset = test::small_dataset();
  const ldp::Plan plan = test::plan_of(test::answer_request({1, 2}, 6, 3));
  const auto message = [&](const std::string& line, const ldp::Plan& of) {
    test::write_content(folder / "q.csv", "node,question\n" + line + "\n");
    const auto read = read_questions(folder / "q.csv", dataset, of);
    return read ? std::string("accepted") : read.error().message;
  };
  EXPECT_EQ(message("bob,0102020001", plan), "accepted");
  EXPECT_NE(message("bob,0102030001", plan).find("q.csv:2: question: there is no such class"), std::string::npos);
  EXPECT_NE(message("bob,01010200", plan).find("question: has fewer classes than the plan chooses from"),
            std::string::npos);
  EXPECT_NE(message("bob,xy", plan).find("q.csv:2: question: not hexadecimal"), std::string::npos);
  EXPECT_EQ(message("bob,0102020001", test::plan_of(test::signs_request({1, 2}, 6))), "questions: the plan asks none");
}

}  // namespace
}  // namespace ppgnn::server
