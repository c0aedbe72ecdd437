#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command_line.hpp"

namespace ppgnn {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::run_ppgnn;

const std::string kAttacked = "--data synthetic:social,nodes=300 --runs 2 ";

TEST(AttackCommand, ComparesTheMethodsSideBySide) {
  const CommandResult result = run_ppgnn("attack " + kAttacked);
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(result.error, "");
  for (const char* words : {"nonpriv (clean features)", "lpgnn and base (mb", "\npaper (ppm", "\nstrict (strict",
                            "no report", "own report", "neighbours' reports", "majority vote", "balanced", "AUC",
                            "guessed right in 100.0% (read off the size of the values)", "certified bound",
                            "On clean features the paper's vote is right"}) {
    EXPECT_NE(result.out.find(words), std::string::npos) << words;
  }
}

TEST(AttackCommand, OneMethodByLevel) {
  const CommandResult result = run_ppgnn("attack --method strict " + kAttacked);
  EXPECT_EQ(result.status, 0) << result.error;
  for (const char* words :
       {"balanced accuracy by level", "at most", "With own and neighbours' reports", "within the certified"}) {
    EXPECT_NE(result.out.find(words), std::string::npos) << words;
  }
  EXPECT_EQ(result.out.find("nonpriv"), std::string::npos);
}

TEST(AttackCommand, JsonHasEveryKeyAndIsReproducible) {
  const CommandResult first = run_ppgnn("attack --json --seed 3 --threads 1 " + kAttacked);
  EXPECT_EQ(first.status, 0) << first.error;
  EXPECT_EQ(run_ppgnn("attack --json --seed 3 --threads 2 " + kAttacked).out, first.out);
  EXPECT_NE(run_ppgnn("attack --json --seed 4 " + kAttacked).out, first.out);
  const json report = json::parse(first.out);
  for (const char* key :
       {"data", "data_checksum", "people", "attributes", "runs", "attacked", "notes", "seed", "version"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  ASSERT_EQ(report["attacked"].size(), 4u);
  for (const json& one : report["attacked"]) {
    for (const char* metric :
         {"majority.accuracy", "none.auc_with_prior", "own.auc", "neighbours.advantage", "both.balanced_accuracy"}) {
      EXPECT_TRUE(one["metrics"].contains(metric)) << metric;
    }
  }
  EXPECT_TRUE(report["attacked"][0]["level"].is_null());
  EXPECT_EQ(report["attacked"][2]["level"]["success"], 1.0);
  EXPECT_TRUE(report["attacked"][2]["level"]["bound"].is_null());
  EXPECT_TRUE(report["attacked"][3]["level"]["within_bound"].get<bool>());
  EXPECT_LT(report["attacked"][3]["level"]["bound"].get<double>(), 1);
  EXPECT_TRUE(report["attacked"][3]["metrics"].contains("level5.own_bound"));
}

TEST(AttackCommand, LevelsNobodyChoseHaveNoFigures) {
  const CommandResult result = run_ppgnn("attack --method strict --levels bimodal --json " + kAttacked);
  ASSERT_EQ(result.status, 0) << result.error;
  const json metrics = json::parse(result.out)["attacked"][0]["metrics"];
  EXPECT_TRUE(metrics.contains("level1.own.accuracy"));
  EXPECT_TRUE(metrics.contains("level5.own.accuracy"));
  EXPECT_FALSE(metrics.contains("level2.own.accuracy"));
}

TEST(AttackCommand, BadInputIsRefused) {
  const auto expect_refused = [](const std::string& arguments, int status, const std::string& message) {
    const CommandResult result = run_ppgnn("attack " + arguments);
    EXPECT_EQ(result.status, status) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_NE(result.error.find(message), std::string::npos) << arguments << ": " << result.error;
  };
  expect_refused("--runs 0", 2, "runs");
  expect_refused("--targets 1", 2, "targets: must be a whole number from 2, but is 1");
  expect_refused("--targets -5", 2, "--targets");
  expect_refused("--epsilon 0", 2, "epsilon");
  expect_refused("--method nonpriv --epsilon 2", 2, "--epsilon: has no effect with --method nonpriv");
  expect_refused("--method lpgnn --gamma .5", 2, "--gamma: has no effect with --method lpgnn; it is for paper");
  expect_refused("--method lpgnn --levels strict", 2, "--levels: has no effect with --method lpgnn");
  expect_refused("--method teach", 2, "there is no method teach");
  expect_refused("--method other", 2, "--method");
  expect_refused("--levels /nonexistent/file", 4, "/nonexistent/file");
  expect_refused("--data no-such-data", 2, "no-such-data");
}

}  // namespace
}  // namespace ppgnn
