// Several campaigns in a folder, who did what to them, and how they end.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/collector_process.hpp"

namespace ppgnn {
namespace {

using nlohmann::json;
using test::CollectorProcess;
using test::CommandResult;
using test::run_ppgnn;

const std::string kPeopleOfCampaigns = "synthetic:social,nodes=60,attributes=10";

TEST(Campaigns, OfAFolderAreListedArchivedAndRemoved) {
  const test::TemporaryFolder folder;
  const std::string place = "sqlite:" + (folder.path() / "campaigns").string();
  for (const std::string name : {"spring", "autumn"}) {
    const CommandResult started = run_ppgnn("campaign start --data " + kPeopleOfCampaigns + " --campaign " + name +
                                            " --store '" + place + '#' + name + "'");
    ASSERT_EQ(started.status, 0) << started.error;
  }
  EXPECT_EQ(run_ppgnn("campaign start --data " + kPeopleOfCampaigns + " --campaign x --store '" + place + "#y'").status,
            2);
  const auto listed = [&] { return json::parse(run_ppgnn("campaign list --json --store " + place).out)["campaigns"]; };
  EXPECT_EQ(listed().size(), 2U);
  const CommandResult which = run_ppgnn("campaign status --store " + place);
  EXPECT_EQ(which.status, 3);
  EXPECT_NE(which.error.find("#autumn"), std::string::npos) << which.error;
  const std::string spring = " --store '" + place + "#spring'";
  EXPECT_EQ(run_ppgnn("campaign archive" + spring).status, 3) << "a round is open";
  EXPECT_EQ(run_ppgnn("campaign remove" + spring).status, 3) << "it is not archived";
  ASSERT_EQ(run_ppgnn("campaign close --round 0" + spring).status, 0);
  ASSERT_EQ(run_ppgnn("campaign archive" + spring).status, 0);
  EXPECT_EQ(listed()[1]["state"], "archived");
  const json removed = json::parse(run_ppgnn("campaign remove --json" + spring).out);
  EXPECT_EQ(removed["receipt"].get<std::string>().size(), 32U);
  EXPECT_EQ(json::parse(run_ppgnn("campaign remove --json" + spring).out)["receipt"], removed["receipt"]);
  EXPECT_EQ(listed()[1]["state"], "removed");
  EXPECT_EQ(listed()[0]["state"], "running");
  EXPECT_NE(run_ppgnn("campaign start --data " + kPeopleOfCampaigns + " --campaign spring" + spring).status, 0);
}

TEST(Campaigns, TheTrailSaysWhoAndIsCheckedWhereverItIs) {
  CollectorProcess network(kPeopleOfCampaigns);
  network.must("campaign start", network.data() + "--campaign simulated");
  network.must("enrol", network.data() + "--keys " + network.file("keys") + " --out " + network.file("tokens.csv"));
  test::write_secret(network.file("ana.admin"), "another-administrators-token\n");
  network.serve("--admin-token " + network.file("ana.admin"));
  const auto ask = [&](const std::string& method, const std::string& path, const std::string& token) {
    return test::RawConnection(network.port()).status(test::request_text(method, path, token));
  };
  ASSERT_EQ(ask("DELETE", "/v1/reports", test::lines_of(network.file("tokens.csv")).at("7")), 200);
  ASSERT_EQ(ask("DELETE", "/v1/people/9", "another-administrators-token"), 200);
  ASSERT_EQ(ask("POST", "/v1/rounds/0/close", "the-administrators-token"), 200);
  const json trail = json::parse(network.run("campaign trail", "--json").out);
  std::vector<std::string> who;
  for (const json& entry : trail["entries"]) who.push_back(entry["who"]);
  ASSERT_EQ(who.size(), 6U);
  EXPECT_TRUE(who[0].starts_with("user ")) << who[0];
  EXPECT_EQ((std::vector<std::string>(who.begin() + 3, who.end())),
            (std::vector<std::string>{"participant", "token ana", "token admin"}));
  const std::string text = network.run("campaign trail").out;
  const std::string file = network.file("trail");
  std::ofstream(file) << text;
  EXPECT_EQ(run_ppgnn("campaign trail --file " + file).out, text);
  EXPECT_EQ(run_ppgnn("campaign trail --file " + file + " --last " + trail["last"].get<std::string>()).status, 0);
  std::ofstream(file) << text.substr(0, text.rfind("6\t"));
  EXPECT_EQ(run_ppgnn("campaign trail --file " + file + " --last " + trail["last"].get<std::string>()).status, 3);
  std::string changed = text;
  changed.replace(changed.find("token ana"), 9, "token bob");
  std::ofstream(file) << changed;
  const CommandResult wrong = run_ppgnn("campaign trail --file " + file);
  EXPECT_EQ(wrong.status, 3);
  EXPECT_NE(wrong.error.find("entry 5"), std::string::npos) << wrong.error;
}

TEST(Campaigns, StepsAreCarriedOutWhereTheGraphIs) {
  CollectorProcess network("synthetic:social,nodes=300,attributes=40,signal=.6");
  network.must("campaign start", network.data() + "--campaign simulated");
  network.must("enrol", network.data() + "--keys " + network.file("keys") + " --out " + network.file("tokens.csv"));
  network.serve("--allow-seeded");
  const CommandResult handed = run_ppgnn("submit --json --server " + network.url() + " --simulate " +
                                         network.data_name() + " --tokens " + network.file("tokens.csv") + " --seed 0");
  ASSERT_EQ(handed.status, 0) << handed.error;
  const std::string more = network.data() + "--allow-seeded";
  network.must("campaign request", "--step ask");
  const CommandResult early = network.run("campaign work", "--once " + more);
  EXPECT_EQ(early.status, 3) << "the round is open";
  const auto requests = [&] { return json::parse(network.run("campaign request", "--json").out)["requests"]; };
  EXPECT_EQ(requests()[0]["state"], "failed");
  EXPECT_NE(requests()[0]["progress"].get<std::string>().find("round 0 is open"), std::string::npos) << requests();
  network.must("campaign close", "--round 0");
  network.must("campaign request", "--step ask");
  network.must("campaign request", "--step ask");
  ASSERT_EQ(requests().size(), 2U) << "one that waits is enough";
  network.must("campaign work", "--once " + more);
  EXPECT_EQ(requests()[1]["state"], "done");
  EXPECT_EQ(json::parse(network.run("campaign status", "--json").out)["rounds"].size(), 2U);
  network.must("campaign work", "--once " + more);  // nothing is left
  EXPECT_EQ(network.run("campaign request", "--step fly").status, 2);
}

// One process serves both; a token of one is none of the other's.
TEST(Campaigns, OneCollectorServesAll) {
  const test::TemporaryFolder folder;
  const std::string place = "sqlite:" + (folder.path() / "campaigns").string();
  CollectorProcess network(kPeopleOfCampaigns, place);
  std::filesystem::create_directory(network.file("keys"));
  std::map<std::string, std::string> token;
  for (const std::string name : {"spring", "autumn"}) {
    const std::string store = " --store '" + place + '#' + name + "' ";
    ASSERT_EQ(run_ppgnn("campaign start " + network.data() + "--campaign " + name + store).status, 0);
    ASSERT_EQ(run_ppgnn("enrol " + network.data() + store + "--keys " + network.file("keys/" + name) + " --out " +
                        network.file(name + ".csv"))
                  .status,
              0);
    token[name] = test::lines_of(network.file(name + ".csv")).at("7");
  }
  network.serve();
  const auto ask = [&](const std::string& method, const std::string& path, const std::string& shown = {}) {
    return test::RawConnection(network.port()).exchange(test::request_text(method, path, shown));
  };
  for (const auto& [name, shown] : token) {
    const std::string base = "/v1/campaigns/" + name;
    EXPECT_EQ(ask("GET", base + "/plan")->status, 200);
    EXPECT_EQ(json::parse(ask("GET", base + "/question", shown)->body)["campaign"], name);
    EXPECT_EQ(ask("GET", base + "/question", token.at(name == "spring" ? "autumn" : "spring"))->status, 401);
    EXPECT_EQ(json::parse(ask("GET", base + "/status", "the-administrators-token")->body)["campaign"], name);
    EXPECT_EQ(ask("GET", base + "/metrics", "the-administrators-token")->status, 200);
    EXPECT_EQ(ask("GET", base + "/readyz")->status, 200);
    EXPECT_EQ(ask("GET", base)->status, 404);
    EXPECT_EQ(ask("GET", base + "/nothing")->status, 404);
  }
  EXPECT_EQ(ask("DELETE", "/v1/campaigns/spring/reports", token.at("spring"))->status, 200);
  EXPECT_EQ(ask("GET", "/v1/campaigns/spring/question", token.at("spring"))->status, 410);
  EXPECT_EQ(ask("GET", "/v1/campaigns/autumn/question", token.at("autumn"))->status, 200);
  EXPECT_EQ(ask("POST", "/v1/campaigns/spring/rounds/0/close", "the-administrators-token")->status, 200);
  EXPECT_EQ(ask("GET", "/v1/campaigns/spring/plan")->status, 404);
  EXPECT_EQ(ask("GET", "/v1/campaigns/autumn/plan")->status, 200);
  EXPECT_EQ(ask("GET", "/v1/campaigns/winter/plan")->status, 404);
  EXPECT_EQ(ask("GET", "/v1/plan")->status, 404) << "of which one?";
  EXPECT_EQ(ask("GET", "/readyz")->status, 200);
  EXPECT_EQ(ask("GET", "/openapi.json")->status, 200);
}

}  // namespace
}  // namespace ppgnn
