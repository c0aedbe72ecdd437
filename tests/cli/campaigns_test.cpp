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

}  // namespace
}  // namespace ppgnn
