#include "ppgnn/plan_files/plan_files.hpp"

#include <gtest/gtest.h>

#include "ppgnn/ldp/planner.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::plan_files {
namespace {

TEST(PlanFiles, ASchemaIsReadGroupByGroup) {
  const auto groups =
      parse_schema({"s.csv", "name,count,kind,low,high,absent\nword,3,binary,0,1,0\n\"a,b\",1,number,-2,4,1\n"});
  ASSERT_TRUE(groups) << groups.error().message;
  ASSERT_EQ(groups->size(), 2u);
  EXPECT_EQ((*groups)[0].count, 3u);
  EXPECT_EQ((*groups)[1].name, "a,b");
  EXPECT_EQ((*groups)[1].kind, ldp::ColumnKind::number);
  EXPECT_EQ((*groups)[1].low, -2);
  EXPECT_EQ((*groups)[1].absent, 1);
}

TEST(PlanFiles, WhatIsWrongWithASchemaIsSaidWithItsLine) {
  const auto message = [](const std::string& lines) {
    const auto groups = parse_schema({"s.csv", "name,count,kind,low,high,absent\n" + lines});
    return groups ? std::string("accepted") : groups.error().message;
  };
  EXPECT_EQ(message("word,3,binary,0,1,0\n"), "accepted");
  EXPECT_EQ(message(""), "s.csv:1: expected the header name,count,kind,low,high,absent and at least one group");
  EXPECT_EQ(message("word,0,binary,0,1,0\n"), "s.csv:2: count: not a whole number from 1");
  EXPECT_EQ(message("word,3,text,0,1,0\n"), "s.csv:2: kind: must be binary or number");
  EXPECT_EQ(message("word,3,number,0,x,0\n"), "s.csv:2: low, high, absent: not numbers");
  EXPECT_EQ(message("word,3,number,0,1\n"), "s.csv:2: expected name,count,kind,low,high,absent");
  EXPECT_TRUE(message("word,3,number,0,1,0\nw,1,number,1,0,0\n").starts_with("s.csv:3: ")) << "reversed range";
}

TEST(PlanFiles, APlanIsReadAndItsFileNamedInErrors) {
  const test::TemporaryFolder folder;
  ldp::PlanRequest request;
  request.columns = {{"word", 5, ldp::ColumnKind::binary, 0, 1, 0}};
  request.budgets = {1, 2};
  const ldp::Plan plan = ldp::make_plan(request).value();
  test::write_content(folder / "plan.txt", plan.text());
  const auto read = read_plan(folder / "plan.txt");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->hash(), plan.hash());
  test::write_content(folder / "plan.txt", plan.text() + "x");
  const auto refused = read_plan(folder / "plan.txt");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("plan.txt: plan: "), std::string::npos) << refused.error().message;
  EXPECT_EQ(read_plan(folder / "none.txt").error().code, ErrorCode::io);
}

}  // namespace
}  // namespace ppgnn::plan_files
