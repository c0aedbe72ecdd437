// A campaign whose devices decide, through the collector: what devices fetch, and what is left after a restart and an erasure.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/collector_process.hpp"

namespace ppgnn {
namespace {

using nlohmann::json;
using test::CollectorProcess;
using test::CommandResult;
using test::run_ppgnn;

class HomeCollector : public testing::Test {
 protected:
  HomeCollector() : network_("synthetic:social,nodes=600,attributes=40,signal=.7") {}

  [[nodiscard]] auto ask(const std::string& method, const std::string& path, const std::string& token = {}) const {
    return *test::RawConnection(network_.port()).exchange(test::request_text(method, path, token));
  }
  // The collector looks for steps now and then.
  void until_there(const std::string& path) const {
    for (int i = 0; i < 500 && ask("GET", path).status != 200; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  void report() const {
    until_there("/v1/plan");
    const CommandResult handed =
        run_ppgnn("submit --json --server " + network_.url() + " --simulate " + network_.data_name() + " --tokens " +
                  network_.file("tokens.csv") + " --seed 0");
    ASSERT_EQ(handed.status, 0) << handed.error;
  }
  // Until a model is published; by the same settings as the laboratory.
  void publish() {
    network_.must("campaign start", network_.data() + "--campaign simulated --decide home");
    network_.must("enrol",
                  network_.data() + "--keys " + network_.file("keys") + " --out " + network_.file("tokens.csv"));
    network_.serve("--allow-seeded");
    EXPECT_EQ(ask("GET", "/v1/model").status, 404);
    report();
    network_.must("campaign close", "--round 0");
    network_.must("campaign calibrate", network_.data() + "--allow-seeded --columns 8");
    report();
    network_.must("campaign close", "--round 1");
    network_.must("campaign request", "--step publish");
    network_.must("campaign work", "--once " + network_.data() + "--allow-seeded");
  }
  [[nodiscard]] json published() const {
    return json::parse(ask("GET", "/v1/status", "the-administrators-token").body)["published"];
  }
  CollectorProcess network_;
};

TEST_F(HomeCollector, DevicesFetchAndDecide) {
  publish();
  until_there("/v1/model");
  const auto model = ask("GET", "/v1/model");
  ASSERT_EQ(model.status, 200);
  const std::string token = test::lines_of(network_.file("tokens.csv")).at("7");
  EXPECT_EQ(ask("GET", "/v1/hint").status, 401);
  const auto told = ask("GET", "/v1/hint", token);
  ASSERT_EQ(told.status, 200);
  const json hint = json::parse(told.body);
  const auto plan = ask("GET", "/v1/plans/" + std::to_string(hint["round"].get<int>()));
  ASSERT_EQ(plan.status, 200);

  // The same bits as the laboratory's campaign.
  const CommandResult run = run_ppgnn("run --method home --runs 1 --no-reference --json " + network_.data());
  ASSERT_EQ(run.status, 0) << run.error;
  const json home = json::parse(run.out)["accuracy"]["home"];
  EXPECT_EQ(published()["weight"], home["weight"]);
  EXPECT_EQ(published()["lift"], home["pilots"]["lift"]);

  // The device keeps all three and decides offline.
  std::ofstream(network_.file("plan")) << plan.body;
  std::ofstream(network_.file("model")) << model.body;
  std::ofstream(network_.file("hint")) << test::bytes_of_hex(hint["hint"].get<std::string>());
  std::ofstream(network_.file("me.csv")) << "column,value\n3,1\n7,1\n";
  const auto decide = [&] {
    return run_ppgnn("decide --json --plan " + network_.file("plan") + " --model " + network_.file("model") +
                     " --hint " + network_.file("hint") + " --features " + network_.file("me.csv") + " --ledger " +
                     network_.file("ledger"));
  };
  const CommandResult decided = decide();
  ASSERT_EQ(decided.status, 0) << decided.error;
  EXPECT_EQ(json::parse(decided.out)["model"], hint["model"]);

  // A restart of the collector changes nothing that devices fetch.
  network_.stop(SIGTERM);
  network_.serve("--allow-seeded");
  EXPECT_EQ(ask("GET", "/v1/model").body, model.body);
  EXPECT_EQ(ask("GET", "/v1/hint", token).body, told.body);

  // After erasure there is no hint any more; what the device kept is its own.
  ASSERT_EQ(ask("DELETE", "/v1/reports", token).status, 200);
  EXPECT_EQ(ask("GET", "/v1/hint", token).status, 410);
  EXPECT_EQ(ask("GET", "/v1/model").status, 200);
  EXPECT_EQ(decide().out, decided.out);

  network_.must("campaign withdraw");
  for (int i = 0; i < 500 && !published()["withdrawn"]; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const std::string other = test::lines_of(network_.file("tokens.csv")).at("8");
  EXPECT_EQ(json::parse(ask("GET", "/v1/hint", other).body)["withdrawn"], true);
  EXPECT_EQ(json::parse(network_.run("campaign list", "--json").out)["campaigns"][0]["state"], "published");
  const CommandResult trail = network_.run("campaign trail");
  for (const char* what : {"keep home ", "keep model ", "hint 600 people", "keep withdrawn "}) {
    EXPECT_NE(trail.out.find(what), std::string::npos) << what << trail.out;
  }
}

}  // namespace
}  // namespace ppgnn
