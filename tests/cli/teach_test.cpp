#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "support/command_line.hpp"

namespace ppgnn {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::run_ppgnn;

const std::string kSmall = "run --data synthetic:social,nodes=400,attributes=40 --runs 3 --epochs 5 ";
const std::string kRun = kSmall + "--method teach ";

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
  EXPECT_TRUE(report["settings"]["hint"].is_null());
  EXPECT_EQ(report["by_level"].size(), 5);
  EXPECT_EQ(report["control"]["spent"]["max"], 0);
  EXPECT_LE(report["public"]["spent"]["max"].get<double>(), 16);
}

// Devices that decide: beside a campaign that asks, and by themselves.
TEST(RunTeach, ShowsWhatDevicesDecide) {
  const CommandResult asked = run_ppgnn(kRun + "--json");
  ASSERT_EQ(asked.status, 0) << asked.error;
  const json report = json::parse(asked.out);
  for (const std::string arm : {"decided", "decided_public"}) {
    EXPECT_TRUE(report[arm]["lift"]["nats"].is_number()) << arm;
    EXPECT_GT(report[arm]["home"]["weight"].get<double>(), 0) << arm;
    EXPECT_LT(report[arm]["home"]["pilots"]["low"].get<double>(), report[arm]["home"]["pilots"]["high"].get<double>());
    EXPECT_TRUE(report["by_level"][0][arm]["accuracy"].is_number()) << arm;
  }
  EXPECT_TRUE(report["accuracy"]["home"].is_null());
  const CommandResult home = run_ppgnn(kSmall + "--method home --hint full --hint-friends 1 --response .6 --json");
  ASSERT_EQ(home.status, 0) << home.error;
  const json alone = json::parse(home.out);
  EXPECT_EQ(alone["settings"]["hint"], "full");
  EXPECT_EQ(alone["settings"]["hint_friends"], 1);
  EXPECT_TRUE(alone["accuracy"]["home"]["silent"].is_number()) << "people who sent nothing have a decision too";
  EXPECT_TRUE(alone["public"]["home"]["reported"].is_number());
  EXPECT_TRUE(alone["decided"].is_null());
  const CommandResult words = run_ppgnn(kSmall + "--method home");
  ASSERT_EQ(words.status, 0) << words.error;
  EXPECT_NE(words.out.find("at home, levels protected"), std::string::npos) << words.out;
  EXPECT_NE(words.out.find("Pilots, by their private reports alone"), std::string::npos) << words.out;
  const CommandResult refused = run_ppgnn(kRun + "--hint full");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.error.find("--hint: has no effect with --method teach; it is for home and home-public"),
            std::string::npos)
      << refused.error;
}

TEST(RunTeach, RefusesWhatHasNoMeaning) {
  for (const auto& [arguments, message] :
       {std::pair("--level-public", "--level-public: has no effect with --method teach; it is for strict\n"),
        std::pair("--hops 0", "--hops: has no effect with --method teach; it is for lpgnn, "),
        std::pair("--no-reference", "--epochs: has no effect with --method teach; it is for nonpriv, base, "),
        std::pair("--gamma .5", "--gamma: has no effect with --method teach"),
        std::pair("--response 0", "response: must be above 0"), std::pair("--spread some", "--spread")}) {
    const CommandResult result = run_ppgnn(kRun + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_NE(result.error.find(message), std::string::npos) << result.error;
  }
  const CommandResult result = run_ppgnn(kSmall + "--method strict --response .5");
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.error.find("--response: has no effect with --method strict; it is for teach, teach-public, "),
            std::string::npos)
      << result.error;
}

// Without a method: several in one table, under one control.
TEST(RunTable, HasARowForEachAndOneControl) {
  const test::TemporaryFolder folder;
  const CommandResult result = run_ppgnn(kSmall + "--json --out " + (folder / "out").string());
  ASSERT_EQ(result.status, 0) << result.error;
  const json report = json::parse(result.out);
  std::vector<std::string> methods;
  for (const json& row : report["rows"]) {
    methods.push_back(row["method"]);
    EXPECT_EQ(row["values"].size(), 3);
    EXPECT_EQ(row["lift"].is_null(), row["method"] == "teach-control");
    EXPECT_EQ(row["spent"].is_null(), row["method"] == "teach-control" || row["method"] == "clean");
    EXPECT_EQ(row["holds"].is_null(), row["method"] == "clean");
    if (row["holds"].is_boolean()) {
      EXPECT_EQ(row["holds"], row["method"] != "paper") << row["method"];
    }
  }
  EXPECT_EQ(methods, (std::vector<std::string>{"teach-control", "lpgnn", "paper", "strict", "teach", "home", "clean"}));
  // Each is what it is by itself, and so is the control.
  const json alone = json::parse(run_ppgnn(kRun + "--json").out);
  EXPECT_EQ(report["rows"][4]["values"], alone["accuracy"]["values"]);
  EXPECT_EQ(report["rows"][0]["values"], alone["control"]["values"]);
  EXPECT_EQ(report["rows"][6]["values"], alone["nonprivate"]["values"]);
  std::ifstream csv(folder / "out" / "run.csv");
  std::string line;
  std::size_t lines = 0;
  std::set<std::size_t> fields;
  while (std::getline(csv, line)) {
    ++lines;
    if (line.find('"') == std::string::npos)
      fields.insert(static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')));
  }
  EXPECT_EQ(lines, 1 + 7 * 3u);
  EXPECT_EQ(fields.size(), 1u);
  for (const char* file : {"run.tex", "run.svg", "run.pdf"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / "out" / file)) << file;
  }
}

TEST(RunTable, PrintsItAndRefusesWhatChangesNoRow) {
  const CommandResult printed = run_ppgnn(kSmall);
  ASSERT_EQ(printed.status, 0) << printed.error;
  for (const char* words : {"Graph alone", "LPGNN (MB)", "PPGNN paper (PPM)", "PPGNN strict", "Teach and ask",
                            "Without privacy", "PPGNN paper (PPM): the level is not protected.", "nats mean, most"}) {
    EXPECT_NE(printed.out.find(words), std::string::npos) << words;
  }
  const CommandResult refused = run_ppgnn(kSmall + "--delta 0.01");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.error.find("--delta: has no effect with the methods compared; it is for gm"), std::string::npos)
      << refused.error;
}

}  // namespace
}  // namespace ppgnn
