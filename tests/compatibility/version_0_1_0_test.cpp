// What version 0.1.0 wrote is read by today's command, and means what it meant. The files are tests/data/0.1.0.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/command_line.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const fs::path kFiles = fs::path(PPGNN_SOURCE_DIR) / "tests/data/0.1.0";

// A copy to work in: nothing that a test does reaches the files themselves.
class Version010 : public testing::Test {
 protected:
  void SetUp() override {
    fs::copy(kFiles, folder_ / "files", fs::copy_options::recursive);
    fs::permissions(file("keys"), fs::perms::owner_read | fs::perms::owner_write);  // as it was written
  }

  [[nodiscard]] fs::path file(const std::string& name) const { return folder_ / "files" / name; }
  [[nodiscard]] std::string content(const std::string& name) const { return test::content_of(file(name)); }
  // What the command says; empty, and a failure of the test, if it refuses.
  std::string run(const std::string& arguments) const {
    const test::CommandResult result = test::run_ppgnn(arguments, (folder_ / "files").string());
    EXPECT_EQ(result.status, 0) << arguments << '\n' << result.error;
    return result.out;
  }
  // The same but for the version that says it. Later ones may say more.
  void expect_same(const std::string& said, const std::string& name) const {
    const json now = json::parse(said);
    json then = json::parse(content(name));
    EXPECT_EQ(then.at("version"), "0.1.0");
    then.erase("version");
    for (const auto& [key, value] : then.items()) EXPECT_EQ(now.at(key), value) << name << ": " << key;
  }
  // Same people, same classes; probabilities as far as instruction sets agree.
  void expect_predictions(const std::string& said, const std::string& name) const {
    const auto now = fields(said);
    const auto then = fields(content(name));
    ASSERT_EQ(now.size(), then.size()) << name;
    ASSERT_EQ(then.size(), 91U) << name;
    for (std::size_t i = 0; i < then.size(); ++i) {
      ASSERT_EQ(now[i].size(), 3U);
      EXPECT_EQ(now[i][0], then[i][0]);
      EXPECT_EQ(now[i][1], then[i][1]) << name << ": node " << then[i][0];
      if (i == 0) continue;  // the heading
      EXPECT_NEAR(std::stod(now[i][2]), std::stod(then[i][2]), 1e-4) << name << ": node " << then[i][0];
    }
  }

  static constexpr const char* kInputs = " --data graph.ppgraph --plan signs.plan --reports reports.csv ";

 private:
  static std::vector<std::vector<std::string>> fields(const std::string& text) {
    std::vector<std::vector<std::string>> all;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream one(line);
      all.emplace_back();
      for (std::string field; std::getline(one, field, ',');) all.back().push_back(field);
    }
    return all;
  }

  test::TemporaryFolder folder_;
};

TEST_F(Version010, EveryFileHasItsCommand) {
  const std::string readme = content("README.md");
  for (const auto& entry : fs::directory_iterator(kFiles)) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(name == "README.md" || readme.find('`' + name + '`') != std::string::npos) << name;
  }
}

TEST_F(Version010, PlansHaveTheirHash) {
  const std::pair<const char*, const char*> plans[] = {
      {"age.plan", "1e4e8b0f6128d0b3e22fc1821077e83f2c0d9ff617a604b6db03fa5c6872bbe5"},
      {"directions.plan", "3d6e6264b6847106b3a0572b051dc22124fbc73df4caaba1314a17c16c7937b0"},
      {"public.plan", "4d611172588b4651cd21c01ebe7936f787c612190ed9fa47f5375fdd3e725662"},
      {"signs.plan", "eb91168cb54062705ffff9f1f051abd4ff048af3fe85e3e439b7f583ea774743"},
      {"spring/answer.plan", "cff17249e9547a0d4601fb086b36b59e36366154a5f46a6e0f3265f978e17f0b"},
      {"spring/teach.plan", "b4279df4f9ff18a9f74d678e0dabceca2fba5aa0a6b43d85c5407e9053bd7e34"}};
  for (const auto& [name, hash] : plans) {
    const json said = json::parse(run(std::string("audit --json --plan ") + name));
    EXPECT_EQ(said.at("plan_hash"), hash) << name;
    EXPECT_EQ(said.at("holds"), true) << name;
  }
}

TEST_F(Version010, GraphIsTheSame) {
  expect_same(run("data info graph.ppgraph --json"), "graph.json");
}

TEST_F(Version010, ModelPredictsTheSame) {
  expect_predictions(run(std::string("predict --model model") + kInputs), "predictions.csv");
}

TEST_F(Version010, SeededReportsAreTakenWhereAllowedOnly) {
  const std::string inputs = "predict --model model --data graph.ppgraph --plan signs.plan --reports seeded.csv";
  EXPECT_NE(test::run_ppgnn(inputs, file("").string()).error.find("--allow-seeded"), std::string::npos);
  EXPECT_NE(run(inputs + " --allow-seeded"), run(std::string("predict --model model") + kInputs));
}

TEST_F(Version010, LedgerHandsOutTheSameReportsAgain) {
  for (const auto& [plan, report] : {std::pair{"directions.plan", "report"}, {"age.plan", "second_report"}}) {
    const json said =
        json::parse(run(std::string("submit --json --person ana --features features.csv --level 3 --limit 40 "
                                    "--ledger ledger --out again --plan ") +
                        plan));
    EXPECT_EQ(said.at("fresh"), false) << said;
    EXPECT_EQ(content("again"), content(report));
  }
}

TEST_F(Version010, CampaignByFilesConcludesTheSame) {
  run("train --data graph.ppgraph --folder spring --reports answers.csv");
  expect_predictions(run("predict --folder spring"), "spring.csv");
  // Lists, questions and the earlier reports, as a device's side reads them.
  run("perturb --data graph.ppgraph --plan spring/answer.plan --people spring/answer.people --questions "
      "spring/questions.csv --earlier lessons.csv --out anew.csv");
  const auto names = [&](const std::string& name) {
    std::string all;
    std::istringstream lines(content(name));
    for (std::string line; std::getline(lines, line);) all += line.substr(0, line.find(',') + 1);
    return all;
  };
  EXPECT_EQ(names("anew.csv"), names("answers.csv"));
}

TEST_F(Version010, StoresSayTheSameAndGoOn) {
  expect_same(run("campaign status --json --store sqlite:closed.db"), "closed.json");
  EXPECT_EQ(run("campaign erased --store sqlite:closed.db"), "node\n0\n");
  EXPECT_EQ(run("predict --store sqlite:closed.db"), content("summer.csv"));
  run("train --store sqlite:closed.db --data graph.ppgraph");
  expect_predictions(run("predict --store sqlite:closed.db"), "summer.csv");

  expect_same(run("campaign status --json --store sqlite:open.db"), "open.json");
  run("enrol --store sqlite:open.db --keys keys --data graph.ppgraph --out same.csv");
  EXPECT_EQ(content("same.csv"), content("tokens.csv"));
  run("campaign close --store sqlite:open.db --round 1");
  EXPECT_EQ(json::parse(run("train --json --store sqlite:open.db --data graph.ppgraph")).at("answers"), 12);
}

// A training goes on to the same bits on the instruction set that it began on; on another it is refused, by name.
TEST_F(Version010, CheckpointIsContinued) {
  const test::CommandResult result =
      test::run_ppgnn(std::string("train --model now --epochs 20 --hops 2 --scale .3 --hidden 4 --seed 3 --backbone "
                                  "sage --checkpoint checkpoint --resume --history history --json") +
                          kInputs,
                      file("").string());
  if (result.status != 0) {
    EXPECT_NE(result.error.find("another instruction set than "), std::string::npos) << result.error;
    EXPECT_EQ(result.error.find("another instruction set than AVX3\n"), std::string::npos) << result.error;
    GTEST_SKIP() << "skipped: the checkpoint is AVX3's";
  }
  const auto predicted = [&](const char* model) { return run(std::string("predict --model ") + model + kInputs); };
  EXPECT_EQ(predicted("now"), predicted("resumed"));
  EXPECT_NE(predicted("now"), predicted("model"));
}

TEST(Version, StandsTheSameEverywhere) {
  const std::string version = test::run_ppgnn("--version").out;  // with the end of its line
  EXPECT_NE(test::content_of(fs::path(PPGNN_SOURCE_DIR) / "CITATION.cff").find("\nversion: " + version),
            std::string::npos);
  const std::string changes = test::content_of(fs::path(PPGNN_SOURCE_DIR) / "CHANGELOG.md");
  const std::string newest = changes.substr(changes.find("\n## ") + 4);
  EXPECT_EQ(newest.substr(0, newest.find_first_of(",\n")) + '\n', version);
}

}  // namespace
}  // namespace ppgnn
