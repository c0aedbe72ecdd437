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
  const CommandResult result = run_ppgnn(kRun + "--json --response .8 --spread all");
  ASSERT_EQ(result.status, 0) << result.error;
  const json report = json::parse(result.out);
  for (const std::string arm : {"control", "accuracy", "public", "nonprivate"}) {
    for (const std::string field : {"mean", "low", "high", "values", "log_loss", "lift"}) {
      EXPECT_TRUE(report[arm].contains(field)) << arm << ' ' << field;
    }
    EXPECT_EQ(report[arm]["values"].size(), 3);
    EXPECT_EQ(report[arm]["lift"].is_null(), arm == "control");
    EXPECT_EQ(report[arm]["used"].is_null(), arm == "nonprivate");
    EXPECT_EQ(report[arm]["spread"].is_null(), arm == "nonprivate");
    if (arm == "control") continue;
    for (const std::string field : {"points", "nats", "p"}) EXPECT_TRUE(report[arm]["lift"][field].is_number());
  }
  EXPECT_EQ(report["settings"]["spread"], "all");
  EXPECT_EQ(report["settings"]["response"], .8);
  EXPECT_EQ(report["settings"]["pilots"], false);
  EXPECT_EQ(report["by_level"].size(), 5);
  EXPECT_EQ(report["control"]["spent"]["max"], 0);
  EXPECT_LE(report["public"]["spent"]["max"].get<double>(), 16);
}

TEST(RunTeach, RefusesWhatHasNoMeaning) {
  for (const auto& [arguments, message] :
       {std::pair("--level-public", "--level-public: has no effect with --method teach; it is for strict\n"),
        std::pair("--hops 0", "--hops: has no effect with --method teach; it is for lpgnn, "),
        std::pair("--no-reference", "--epochs: has no effect with --method teach; it is for nonpriv, base, "),
        std::pair("--gamma .5", "--gamma: has no effect with --method teach"),
        std::pair("--response .5 --method strict",
                  "--response: has no effect with --method strict; it is for teach, teach-public, teach-marked, "),
        std::pair("--response 0", "response: must be above 0"), std::pair("--spread some", "--spread")}) {
    const CommandResult result = run_ppgnn(kRun + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_NE(result.error.find(message), std::string::npos) << result.error;
  }
}

}  // namespace
}  // namespace ppgnn
