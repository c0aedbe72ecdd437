// A campaign in PostgreSQL, over the network and by commands.
#include <gtest/gtest.h>

#include "cli/calm_campaign.hpp"
#include "support/end_to_end.hpp"
#include "support/postgres_server.hpp"

namespace ppgnn {
namespace {

using nlohmann::json;
using test::CollectorProcess;
using test::CommandResult;
using test::run_ppgnn;

const std::string kPeople = "synthetic:social,nodes=600,attributes=40,signal=.6";

class Postgres : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = test::PostgresServer::missing(); !why.empty()) GTEST_SKIP() << why;
    store_ = "postgres:" + test::PostgresServer::shared()->new_database();
  }
  std::string store_;
};

TEST_F(Postgres, EndToEndIsTheCampaignOfOneProcess) {
  test::end_to_end(kPeople, "--budgets 4,4.5,5,6,8", true, store_);
}

// Two collectors under load, with people whose two devices send different reports, while the database is stopped as by a crash and one or the
// other collector is killed: people who ask meanwhile are told to come again; and then everybody has exactly one report, without a restart.
// PPGNN_KILLS: how often.
TEST_F(Postgres, EverybodyHasOneReportWhateverIsKilled) {
  test::PostgresServer own;
  const std::string store = "postgres:" + own.new_database();
  CollectorProcess network(kPeople, store);
  CollectorProcess other(kPeople, store);
  network.must("campaign start", network.data() + "--campaign simulated");
  network.must("enrol", network.data() + "--keys " + network.file("keys") + " --out " + network.file("tokens.csv"));
  std::filesystem::create_symlink(network.file("keys"), other.file("keys"));
  network.serve();
  other.serve();
  test::FaultLoad load(test::round_of(network, 0).people, 7);
  test::FaultLoad rival(test::round_of(network, 0).people, 8);  // other noise
  const std::size_t people = load.people().size();
  ASSERT_NE(load.people()[0].report, rival.people()[0].report);
  const char* chosen = std::getenv("PPGNN_KILLS");
  const std::size_t kills = chosen == nullptr ? 3 : std::strtoul(chosen, nullptr, 10);
  test::FaultLoad::Told told;
  for (std::size_t i = 0; i < kills; ++i) {
    load.start({network.port(), other.port()}, i * people / kills, (i + 1) * people / kills);
    rival.start({other.port(), network.port()}, i * people / kills, (i + 1) * people / kills);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    CollectorProcess& killed = i % 2 == 0 ? other : network;
    CollectorProcess& left = i % 2 == 0 ? network : other;
    own.stop(SIGQUIT);
    const test::FaultLoad::Person& somebody = load.people().front();
    const auto refused =
        test::RawConnection(left.port())
            .exchange(test::request_text("POST", "/v1/reports", somebody.token, "application/cbor", somebody.report));
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 503);
    EXPECT_TRUE(refused->headers.contains("retry-after"));
    EXPECT_EQ(test::RawConnection(left.port()).status(test::request_text("GET", "/readyz")), 503);
    own.run();
    for (int k = 0; k < 200; ++k) {  // a failure is told for some seconds
      if (test::RawConnection(left.port()).status(test::request_text("GET", "/readyz")) == 200) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    killed.stop(SIGKILL);
    told += load.stop();
    told += rival.stop();
    killed.serve();
  }
  EXPECT_EQ(told.wrong, 0U);
  EXPECT_GT(told.refused, 0U);
  EXPECT_GT(told.stored, 0U);
  EXPECT_GT(told.differs, 0U);
  test::RawConnection connection(other.port());
  const auto mine = load.acknowledged();
  const auto theirs = rival.acknowledged();
  for (std::size_t i = 0; i < people; ++i) {
    const std::string& name = load.people()[i].name;
    const int first = load.send(connection, load.people()[i]);
    const int second = rival.send(connection, rival.people()[i]);
    EXPECT_FALSE(mine.contains(name) && theirs.contains(name)) << "two reports of one person were acknowledged";
    EXPECT_TRUE(second == (first == 409 ? 200 : 409)) << first << ' ' << second;
    if (mine.contains(name)) EXPECT_EQ(first, 200);
    if (theirs.contains(name)) EXPECT_EQ(second, 200);
  }
  EXPECT_EQ(load.stored_twice() + rival.stored_twice(), 0);
  const json state = json::parse(network.run("campaign status", "--json").out);
  EXPECT_EQ(state["rounds"][0]["reports"], people);
}

// There and back; the second copy finds nothing to do, and a store with something else is refused.
TEST_F(Postgres, CampaignsMoveBetweenStores) {
  CollectorProcess network(kPeople);
  network.must("campaign start", network.data() + "--campaign simulated");
  network.must("enrol", network.data() + "--keys " + network.file("keys") + " --out " + network.file("tokens.csv"));
  network.serve("--allow-seeded");
  const CommandResult handed = run_ppgnn("submit --json --server " + network.url() + " --simulate " + kPeople +
                                         " --tokens " + network.file("tokens.csv") + " --seed 0");
  ASSERT_EQ(handed.status, 0) << handed.error;
  EXPECT_EQ(network.stop(SIGTERM), 0);
  network.must("campaign erase", "--person 7");
  const std::string first = "sqlite:" + network.file("c.db");
  const std::string last = "sqlite:" + network.file("again.db");
  for (const auto& [from, to] : {std::pair{first, store_}, {first, store_}, {store_, last}}) {
    const CommandResult copied = run_ppgnn("campaign copy --json --from '" + from + "' --to '" + to + "'");
    ASSERT_EQ(copied.status, 0) << copied.error;
    EXPECT_EQ(json::parse(copied.out)["people"], 600);
    EXPECT_GT(json::parse(copied.out)["reports"], 0);
  }
  const auto status = [](const std::string& store) {
    return json::parse(run_ppgnn("campaign status --json --store '" + store + "'").out);
  };
  EXPECT_EQ(status(first), status(store_));
  EXPECT_EQ(status(first), status(last));
  EXPECT_EQ(status(first)["erased"], 1);
  const auto receipt = [](const std::string& store) {
    return json::parse(run_ppgnn("campaign erase --json --person 7 --store '" + store + "'").out)["receipts"];
  };
  EXPECT_EQ(receipt(first), receipt(last));
  ASSERT_EQ(run_ppgnn("campaign close --round 0 --store '" + last + "'").status, 0);
  const CommandResult differs = run_ppgnn("campaign copy --from '" + store_ + "' --to '" + last + "'");
  EXPECT_EQ(differs.status, 3);
  EXPECT_NE(differs.error.find("does not hold the same"), std::string::npos) << differs.error;
  EXPECT_EQ(run_ppgnn("campaign copy --from '" + last + "' --to '" + last + "'").status, 2);
}

TEST_F(Postgres, NoSecretOnACommandLine) {
  const CommandResult refused = run_ppgnn("campaign status --store 'postgres:host=a password=s3cret'");
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.error.find("s3cret"), std::string::npos);
  const CommandResult backup = run_ppgnn("campaign backup --store '" + store_ + "' --out copy.db");
  EXPECT_NE(backup.status, 0);
}

}  // namespace
}  // namespace ppgnn
