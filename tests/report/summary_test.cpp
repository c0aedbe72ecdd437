#include "ppgnn/report/summary.hpp"

#include <gtest/gtest.h>

#include "support/given_study.hpp"

namespace ppgnn::report {
namespace {

using test::Given;

// Two methods at two budgets; one training failed, one cell is not run yet.
Given some_runs() {
  Given given(test::kClaim);
  given.add("strict", "1", "common", {.5, .7, std::nan("")});
  given.add("strict", "2", "common", {.8});
  given.add("control", "1", "common", {});
  return given;
}

TEST(Summary, ValuesIntervalsAndFailuresOfACell) {
  const Given given = some_runs();
  const EvaluatedCell& cell = given.study().cells[0];
  EXPECT_EQ(cell.values("accuracy"), (std::vector<double>{.5, .7}));
  EXPECT_DOUBLE_EQ(cell.interval("accuracy")->mean, .6);
  EXPECT_EQ(cell.most("accuracy"), .7);
  EXPECT_EQ(cell.failed(), 1u);
  EXPECT_FALSE(given.study().cells[2].interval("accuracy").has_value());
}

TEST(Summary, CellsAreFoundByTheirFactors) {
  const Given given = some_runs();
  const EvaluatedStudy& study = given.study();
  EXPECT_EQ(study.find({{{"epsilon", {"2"}}}}), &study.cells[1]);
  EXPECT_EQ(study.find({{{"epsilon", {"3"}}}}), nullptr);
  EXPECT_EQ(study.values_of_factor("method", {}), (std::vector<std::string>{"strict", "control"}));
  EXPECT_EQ(study.combinations({"method"}, {}).size(), 2u);
  EXPECT_EQ(study.runs_there(), 4u);
  EXPECT_EQ(study.runs_wanted(), 5u);
}

TEST(Summary, TheSubsetOfLastfmIsFound) {
  Given given(test::kClaim);
  given.add("strict", "1", "common", {.5});
  EXPECT_FALSE(has_subset(given.study()));
  given.add("strict", "1", "common", {.5}, study::kLastfmSubset);
  EXPECT_TRUE(has_subset(given.study()));
}

}  // namespace
}  // namespace ppgnn::report
