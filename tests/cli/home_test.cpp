// A campaign whose devices decide, by files and by store, and one person's decision.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "support/command_line.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::run_ppgnn;

class HomeCommands : public testing::Test {
 protected:
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  [[nodiscard]] std::string data() const { return " --data synthetic:social,nodes=600,attributes=40,signal=.7 "; }
  [[nodiscard]] CommandResult step(const std::string& words, const std::string& more = "") const {
    return run_ppgnn("campaign " + words + data() + "--folder " + file("c") + ' ' + more);
  }
  [[nodiscard]] CommandResult report(const std::string& role, const std::string& out, const std::string& more = "") {
    return run_ppgnn("perturb" + data() + "--seed 0 --plan " + file("c/" + role + ".plan") + " --people " +
                     file("c/" + role + ".people") + " --out " + file(out) + more);
  }
  [[nodiscard]] std::string reports(const std::string& name) const {
    return "--allow-seeded --reports " + file(name) + ' ';
  }
  // Until a model is published; what publishing said.
  json publish() {
    EXPECT_EQ(step("start", "--campaign simulated --decide home").status, 0);
    EXPECT_EQ(report("teach", "lessons.csv").status, 0);
    // As many columns as the laboratory states of these people.
    const CommandResult asked = step("calibrate", reports("lessons.csv") + "--columns 8 --json");
    EXPECT_EQ(asked.status, 0) << asked.error;
    EXPECT_EQ(json::parse(asked.out)["people"], 30);
    const std::string questions = " --questions " + file("c/pilot-questions.csv") + " --earlier " + file("lessons.csv");
    EXPECT_EQ(report("pilot", "pilots.csv", questions).status, 0);
    const CommandResult made = step("publish", reports("pilots.csv") + "--json");
    EXPECT_EQ(made.status, 0) << made.error;
    return made.status == 0 ? json::parse(made.out) : json();
  }
  [[nodiscard]] CommandResult decide(const std::string& person, const std::string& more) const {
    return run_ppgnn("decide --plan " + file("c/pilot.plan") + " --model " + file("c/model.txt") + " --hint " +
                     file("c/hints.csv") + " --person " + person + " --ledger " + file("ledger") + ' ' + more);
  }
  [[nodiscard]] std::string features(const std::string& lines) const {
    std::ofstream(file("me.csv")) << "column,value\n" << lines;
    return "--features " + file("me.csv") + ' ';
  }

  test::TemporaryFolder folder_;
};

// The same bits as the laboratory's campaign, whose rounds are never files.
TEST_F(HomeCommands, ByFilesItIsTheCampaignOfRun) {
  const json made = publish();
  const CommandResult run = run_ppgnn("run --method home --runs 1 --no-reference --json" + data());
  ASSERT_EQ(run.status, 0) << run.error;
  const json home = json::parse(run.out)["accuracy"]["home"];
  EXPECT_EQ(made["weight"], home["weight"]);
  EXPECT_EQ(made["lift_nats"], home["pilots"]["lift"]);
  EXPECT_EQ(made["lift_interval"][0], home["pilots"]["low"]);
  EXPECT_EQ(made["lift_interval"][1], home["pilots"]["high"]);
  EXPECT_EQ(made["withdrawn"], false);
}

TEST_F(HomeCommands, OneModelPerCampaign) {
  EXPECT_EQ(step("publish", reports("pilots.csv")).status, 3) << "there is no campaign";
  const json made = publish();
  EXPECT_EQ(step("publish", reports("pilots.csv")).status, 2);
  EXPECT_EQ(step("calibrate", reports("lessons.csv")).status, 2) << "pilots report once";
  EXPECT_EQ(step("ask", reports("lessons.csv")).status, 3) << "nobody answers";
  const std::string place = " --folder " + file("c");
  const json status = json::parse(run_ppgnn("campaign status --json" + place).out);
  EXPECT_EQ(status["published"]["model"], made["model"]);
  EXPECT_EQ(status["published"]["lift_nats"], made["lift_nats"]);
  EXPECT_EQ(run_ppgnn("campaign withdraw" + place).status, 0);
  EXPECT_EQ(run_ppgnn("campaign withdraw" + place).status, 0) << "twice is like once";
  EXPECT_EQ(json::parse(run_ppgnn("campaign status --json" + place).out)["published"]["withdrawn"], true);
  EXPECT_NE(run_ppgnn("campaign status" + place).out.find("ppgnn decide --withdrawn"), std::string::npos);
}

TEST_F(HomeCommands, ADeviceDecidesByOneModelAndOneHint) {
  const json made = publish();
  const std::string me = features("3,1\n7,1\n12,1\n");
  const CommandResult decided = decide("0", me + "--json");
  ASSERT_EQ(decided.status, 0) << decided.error;
  const json said = json::parse(decided.out);
  EXPECT_EQ(said["model"], made["model"]);
  double all = 0;
  for (const auto& [name, probability] : said["probabilities"].items()) all += probability.get<double>();
  EXPECT_EQ(all, 1.0) << decided.out;
  EXPECT_NE(said["features_nats"], 0.0);
  EXPECT_EQ(said["groups_nats"]["feature"], said["features_nats"]) << "there is one group";
  EXPECT_EQ(decide("0", me + "--json").out, decided.out);
  const json alone = json::parse(decide("0", "--withdrawn --json").out);
  EXPECT_EQ(alone["features_nats"], 0.0);
  EXPECT_EQ(alone["withdrawn"], true);
  // Nobody else's hint, by this ledger.
  std::ifstream hints(file("c/hints.csv"));
  std::string line;
  std::string own;
  std::string other;
  for (std::getline(hints, line); other.empty() && std::getline(hints, line);) {
    const std::string hint = line.substr(line.find(',') + 1);
    if (own.empty()) own = hint;
    if (hint != own) other = line.substr(0, line.find(','));
  }
  EXPECT_EQ(decide(other, me).status, 1) << "as of a second report";
  EXPECT_EQ(decide("nobody", me).status, 2);
  EXPECT_EQ(decide("0", "").status, 2) << "no features, and nothing withdrawn";
  EXPECT_EQ(decide("0", features("100000,1\n")).status, 3);
  EXPECT_EQ(decide("0", me + "--plan " + file("c/teach.plan")).status, 2);
}

TEST_F(HomeCommands, AStoreHasTheSameSteps) {
  const std::string store = " --store sqlite:" + file("s.db") + ' ';
  const auto named = [&](const std::string& words) { return run_ppgnn("campaign " + words + data() + store); };
  ASSERT_EQ(named("start --campaign spring --decide home").status, 0);
  const CommandResult status = run_ppgnn("campaign status" + store);
  EXPECT_NE(status.out.find("570 people"), std::string::npos) << status.out;
  EXPECT_EQ(named("calibrate").status, 3) << "the round is open";
  ASSERT_EQ(run_ppgnn("campaign close --round 0" + store).status, 0);
  EXPECT_NE(run_ppgnn("campaign status" + store).out.find("campaign calibrate"), std::string::npos);
  EXPECT_EQ(named("calibrate").status, 3) << "there is no report";
  EXPECT_EQ(run_ppgnn("campaign withdraw" + store).status, 3) << "there is no model";
  EXPECT_EQ(json::parse(run_ppgnn("campaign status --json" + store).out)["published"], nullptr);
}

}  // namespace
}  // namespace ppgnn
