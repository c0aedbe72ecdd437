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

// Two collectors under load, whose database is stopped as by a crash, and one of which is killed: whoever asks meanwhile is told to come again,
// and then nothing is lost or doubled, without a restart.
TEST_F(Postgres, NothingIsLostWhenTheDatabaseStops) {
  test::PostgresServer own;
  const std::string store = "postgres:" + own.new_database();
  CollectorProcess network(kPeople, store);
  CollectorProcess other(kPeople, store);
  network.must("campaign start", network.data() + "--campaign simulated");
  network.must("enrol", network.data() + "--keys " + network.file("keys") + " --out " + network.file("tokens.csv"));
  std::filesystem::create_symlink(network.file("keys"), other.file("keys"));
  network.serve();
  other.serve();
  const test::Round round = test::round_of(network, 0);
  test::FaultLoad load(round.people, 7);
  const std::size_t part = round.people.size() / 3;
  test::FaultLoad::Told told;
  for (std::size_t i = 0; i < 3; ++i) {
    load.start({network.port(), other.port()}, i * part, (i + 1) * part);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    own.stop(SIGQUIT);
    const auto refused = test::RawConnection(network.port())
                             .exchange(test::request_text("POST", "/v1/reports", round.people[0].token,
                                                          "application/cbor", round.people[0].report));
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 503);
    EXPECT_TRUE(refused->headers.contains("retry-after"));
    EXPECT_EQ(test::RawConnection(network.port()).status(test::request_text("GET", "/readyz")), 503);
    own.run();
    for (int k = 0; k < 200; ++k) {  // a failure is told for some seconds
      if (test::RawConnection(network.port()).status(test::request_text("GET", "/readyz")) == 200) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    told += load.stop();
    other.stop(SIGKILL);
    other.serve();
  }
  EXPECT_EQ(told.wrong, 0U);
  EXPECT_GT(told.refused, 0U);
  EXPECT_GT(told.stored, 0U);
  test::RawConnection connection(other.port());
  const auto acknowledged = load.acknowledged();
  for (const test::FaultLoad::Person& person : round.people) {
    const int status = load.send(connection, person);
    EXPECT_TRUE(status == 200 || (status == 201 && !acknowledged.contains(person.name))) << status;
  }
  EXPECT_EQ(load.stored_twice(), 0);
  const json state = json::parse(network.run("campaign status", "--json").out);
  EXPECT_EQ(state["rounds"][0]["reports"], round.people.size());
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
