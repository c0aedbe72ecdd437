#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command_line.hpp"
#include "support/datasets.hpp"
#include "support/http_server.hpp"

namespace ppgnn {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::run_ppgnn;

json data_json(const std::string& arguments) {
  const CommandResult result = run_ppgnn("data " + arguments + " --json");
  EXPECT_EQ(result.status, 0) << result.error;
  return json::parse(result.out);
}

TEST(DataCommand, InfoHasTheKeysOthersRelyOn) {
  const json info = data_json("info synthetic:social,nodes=300,seed=4");
  for (const char* key :
       {"name", "nodes", "edges", "edges_paper", "self_loops", "features", "nonzeros", "classes", "homophily",
        "isolated", "unlabelled", "checksum", "components", "degree", "notes", "version"}) {
    EXPECT_TRUE(info.contains(key)) << key;
  }
  EXPECT_EQ(info["nodes"], 300);
  EXPECT_EQ(info["checksum"].get<std::string>().size(), 64u);
  EXPECT_EQ(data_json("info synthetic:social,nodes=300,seed=4")["checksum"], info["checksum"]);
}

TEST(DataCommand, InfoOfCoraIsTable1) {
  PPGNN_NEEDS_DATA();
  const json info = data_json("info cora");
  EXPECT_EQ(info["nodes"], 2708);
  EXPECT_EQ(info["edges_paper"], 5278);
  EXPECT_EQ(info["features"], 1433);
  EXPECT_EQ(info["nonzeros"], 49216);
  EXPECT_EQ(info["classes"], 7);
  const CommandResult text = run_ppgnn("data info cora");
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.out.find("2708      5278      1433         7"), std::string::npos) << text.out;
}

TEST(DataCommand, ConvertKeepsTheChecksum) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "s.ppgraph").string();
  const json raw = data_json("info synthetic:social,nodes=300");
  EXPECT_EQ(data_json("convert synthetic:social,nodes=300 " + file)["checksum"], raw["checksum"]);
  json stored = data_json("info " + file);
  EXPECT_EQ(stored, raw);
}

TEST(DataCommand, ErrorsHaveTheirStatus) {
  const test::TemporaryFolder folder;
  const std::string empty = " --data-dir " + (folder / "").string();
  EXPECT_EQ(run_ppgnn("data info corra").status, 2);
  EXPECT_EQ(run_ppgnn("data info cora" + empty).status, 4);
  EXPECT_EQ(run_ppgnn("data verify nothing" + empty).status, 2);
  EXPECT_EQ(run_ppgnn("data verify cora" + empty).status, 1);
  EXPECT_EQ(run_ppgnn("data get cora --data-dir ''").status, 2);
  EXPECT_EQ(run_ppgnn("data").status, 0);  // lists its commands
  EXPECT_EQ(run_ppgnn("data info").status, 2);
  test::write_content(folder / "broken.ppgraph", "PPGNNGRFx");
  const CommandResult broken = run_ppgnn("data info " + (folder / "broken.ppgraph").string());
  EXPECT_EQ(broken.status, 3);
  EXPECT_NE(broken.error.find("broken.ppgraph: byte 9"), std::string::npos) << broken.error;
}

TEST(DataCommand, ListNamesEverySetAndAddress) {
  const json list = data_json("list --data-dir ''");
  ASSERT_EQ(list["datasets"].size(), 7u);
  EXPECT_EQ(list["datasets"][0]["name"], "cora");
  EXPECT_EQ(list["datasets"][0]["files"].size(), 8u);
  EXPECT_EQ(list["datasets"][0]["state"], "unknown");
}

TEST(DataCommand, GetFetchesWhatIsMissing) {
  PPGNN_NEEDS_DATA();
  const auto source = *test::data_folder() / "lastfm";
  const std::string base = "/benedekrozemberczki/FEATHER/master/new_node_level_dataset/";
  const test::HttpServer server(
      {{base + "edges/lastfm_asia_edges.csv", test::HttpServer::ok(test::content_of(source / "lastfm_asia_edges.csv"))},
       {base + "target/lastfm_asia_target.csv", test::HttpServer::ok("id,target\n")}});
  const test::TemporaryFolder folder;
  const std::string arguments = " lastfm --data-dir " + (folder / "").string();
  const CommandResult got = run_ppgnn("data get" + arguments + " --mirror " + server.address());
  EXPECT_EQ(got.status, 4);  // the features file is not there
  EXPECT_NE(got.out.find("lastfm/lastfm_asia_edges.csv                 fetched, digest right"), std::string::npos)
      << got.out;
  EXPECT_NE(got.error.find("published is 91f19215"), std::string::npos) << got.error;
  EXPECT_NE(got.error.find("lastfm_asia_features.json by hand"), std::string::npos) << got.error;
  const CommandResult verified = run_ppgnn("data verify" + arguments);
  EXPECT_EQ(verified.status, 1);
  EXPECT_NE(verified.out.find("lastfm_asia_edges.csv                 ok"), std::string::npos) << verified.out;
  EXPECT_NE(verified.out.find("lastfm_asia_target.csv                missing"), std::string::npos) << verified.out;
}

}  // namespace
}  // namespace ppgnn
