#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command_line.hpp"

namespace ppgnn {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::run_ppgnn;

const std::string kRun = "run --data synthetic:social,nodes=400,attributes=40 --runs 3 --epochs 5 ";

TEST(RunTeach, PrintsTheFourRowsAndSaysWhatTheyMean) {
  const CommandResult result = run_ppgnn(kRun);
  ASSERT_EQ(result.status, 0) << result.error;
  for (const std::string row : {"graph alone (control)", "private, levels protected", "private, levels public",
                                "without privacy", "With levels protected", "With levels public", "training only"}) {
    EXPECT_NE(result.out.find(row), std::string::npos) << row;
  }
}

TEST(RunTeach, JsonHasEveryFigure) {
  const CommandResult result = run_ppgnn(kRun + "--json --response .8 --labels all");
  ASSERT_EQ(result.status, 0) << result.error;
  const json report = json::parse(result.out);
  for (const std::string arm : {"control", "protected", "public", "nonprivate"}) {
    for (const std::string field : {"mean", "low", "high", "values", "log_loss", "lift"}) {
      EXPECT_TRUE(report[arm].contains(field)) << arm << ' ' << field;
    }
    EXPECT_EQ(report[arm]["values"].size(), 3);
    for (const std::string field : {"points", "nats", "p"}) EXPECT_TRUE(report[arm]["lift"].contains(field));
  }
  EXPECT_EQ(report["labels"], "all");
  EXPECT_EQ(report["response"], .8);
  EXPECT_EQ(report["by_level"].size(), 5);
  EXPECT_EQ(report["control"]["spent"]["max"], 0);
  EXPECT_LE(report["public"]["spent"]["max"].get<double>(), 16);
}

TEST(RunTeach, RefusesWhatHasNoMeaning) {
  for (const auto& [arguments, message] :
       {std::pair("--level-public", "--level-public: has no meaning with --method teach"),
        std::pair("--protocol paper", "--protocol: has no meaning with --method teach"),
        std::pair("--gamma .5", "--gamma: has no meaning with --method teach"),
        std::pair("--response .5 --method ppgnn", "--response: has no meaning with --method ppgnn"),
        std::pair("--response 0", "response: must be above 0"), std::pair("--labels some", "--labels")}) {
    const CommandResult result = run_ppgnn(kRun + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_NE(result.error.find(message), std::string::npos) << result.error;
  }
}

}  // namespace
}  // namespace ppgnn
