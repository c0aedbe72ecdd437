#include "store/postgres.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "ppgnn/core/sha256.hpp"
#include "ppgnn/store/store.hpp"
#include "store/postgres_form.hpp"
#include "support/postgres_server.hpp"

namespace ppgnn::store {
namespace {

// What there is is in somebody's database: a step that is changed afterwards never reaches it.
TEST(PostgresForm, StepsAreNeverChanged) {
  constexpr std::array<std::string_view, 3> kDigests{
      "e7ee78eb6c6215020ea6049313666dd075e950f996cc441b67547aa46e2a16e1",
      "43a55498af8d52caf39ff9409e3a4f216ede5dc74e5ecaa11a05f6b964c7c2c4",
      "6c1ee364d6f62e2d0af0cdf9fb62bcac5760ac855e24083fddd2001334c7a374"};
  for (std::size_t i = 0; i < std::min(kPostgresMigrations.size(), kDigests.size()); ++i) {
    EXPECT_EQ(to_hex(sha256(std::string_view(kPostgresMigrations[i]))), kDigests[i])
        << "step " << i
        << " of kPostgresMigrations was changed: put it back as it was, and add another step after the last one";
  }
  EXPECT_EQ(kPostgresMigrations.size(), kDigests.size())
      << "a step of kPostgresMigrations has no digest here: add its SHA-256, and describe the new form in "
         "docs/formats/store.md";
}

TEST(PostgresPlace, NoSecretsAndNoOtherWords) {
  for (const char* where : {"postgres:x", "postgres:host=a password=s3cret", "postgres:postgresql://me:s3cret@a/b",
                            "postgres:s3cret=1", "postgres:host='a"}) {
    const auto opened = open(where, Opening::create);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::invalid_argument) << where;
    EXPECT_EQ(opened.error().message.find("s3cret"), std::string::npos);
    EXPECT_TRUE(opened.error().message.starts_with("store: ")) << opened.error().message;
    EXPECT_EQ(file_of(where), "");
  }
  const auto nobody = open("postgres:host=/nonexistent dbname=a", Opening::existing);
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().code, ErrorCode::unavailable);
}

TEST(PostgresErrors, SayWhatToDo) {
  EXPECT_EQ(postgres_error("s", "").code, ErrorCode::unavailable);
  EXPECT_EQ(postgres_error("s", "57P03").code, ErrorCode::unavailable);
  EXPECT_EQ(postgres_error("s", "40P01").code, ErrorCode::unavailable);
  EXPECT_EQ(postgres_error("s", "55P03").message, "s: somebody else holds it");
  EXPECT_EQ(postgres_error("s", "53100").message, "s: the disk is full");
  EXPECT_EQ(postgres_error("s", "53300").code, ErrorCode::unavailable);
  EXPECT_EQ(postgres_error("s", "22003").message, "s: PostgreSQL's error 22003");
}

// A store with an open round for everybody; the database's name is the last word of its place.
class PostgresDatabase : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = test::PostgresServer::missing(); !why.empty()) GTEST_SKIP() << why;
    use(*test::PostgresServer::shared());
  }
  void use(test::PostgresServer& server) {
    server_ = &server;
    place_ = server.new_database();
    database_ = place_.substr(place_.find("dbname=") + 7);
    database_ = database_.substr(0, database_.find(' '));
  }
  [[nodiscard]] Result<std::unique_ptr<Store>> opened(Opening opening = Opening::create) const {
    return open("postgres:" + place_, opening);
  }
  [[nodiscard]] std::unique_ptr<Store> begun() const {
    auto store = opened();
    EXPECT_TRUE(store) << store.error().message;
    EXPECT_TRUE((*store)->begin("spring", ""));
    EXPECT_TRUE((*store)->publish(0, {"plan", "", true}, {}));
    return std::move(store).value();
  }
  // Ends every connection to this database but psql's.
  void cut() const {
    server_->sql("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + database_ +
                                 "' AND pid <> pg_backend_pid()");
  }
  static std::size_t count(Store& store) {
    std::size_t found = 0;
    const auto take = [&](std::string_view, std::span<const std::uint8_t>) { return ++found > 0; };
    EXPECT_TRUE(store.each_report(0, take));
    return found;
  }

  test::PostgresServer* server_ = nullptr;
  std::string place_;
  std::string database_;
};

TEST_F(PostgresDatabase, WhatIsNoStoreIsLeftAlone) {
  EXPECT_EQ(opened(Opening::existing).error().message, "postgres:" + place_ + ": not a store");
  ASSERT_EQ(server_->sql(database_, "CREATE SCHEMA ppgnn; CREATE TABLE ppgnn.theirs(x int)"), 0);
  EXPECT_EQ(opened().error().code, ErrorCode::malformed);
  ASSERT_EQ(server_->sql(database_, "DROP TABLE ppgnn.theirs"), 0);
  ASSERT_TRUE(opened());  // an empty schema that somebody made for it
  ASSERT_EQ(server_->sql(database_, "UPDATE ppgnn.form SET version = 9"), 0);
  EXPECT_EQ(opened().error().message, "postgres:" + place_ +
                                          ": written by another program or a later version (form 9, known: up to " +
                                          std::to_string(kPostgresMigrations.size()) + ")");
}

TEST_F(PostgresDatabase, TwoMayMakeItAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto store = opened();
      EXPECT_TRUE(store) << store.error().message;
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// A connection that is lost is made again, for every call.
TEST_F(PostgresDatabase, LostConnectionsAreMadeAgain) {
  const auto store = begun();
  ASSERT_TRUE(store->enrol(std::vector<Person>{{"a", 1}}));
  EXPECT_EQ(*store->generation(), 2U);
  const std::string_view name = "a";
  cut();
  EXPECT_EQ(store->put(std::vector<Submission>{{"a", 0, {1}}})->at(0), Outcome::stored);
  cut();
  EXPECT_EQ(store->put(std::vector<Submission>{{"a", 0, {1}}})->at(0), Outcome::repeated);
  cut();
  EXPECT_TRUE(store->standings({&name, 1})->at(0).enrolled);
  cut();
  EXPECT_EQ(*store->generation(), 2U);
  cut();
  EXPECT_EQ(count(*store), 1U);
  // Not within a larger step: what was done of it is gone.
  EXPECT_EQ(store
                ->alone([&]() -> Result<void> {
                  EXPECT_TRUE(store->close(0));
                  cut();
                  return store->conclude("text");
                })
                .error()
                .code,
            ErrorCode::unavailable);
  EXPECT_TRUE((*store->campaign())->rounds[0].open);
  ASSERT_TRUE(store->close(0));
}

// Cut again and again while groups are written: what is said to be there is there, once, and is counted.
TEST_F(PostgresDatabase, NothingIsLostOrDoubledWhenConnectionsAre) {
  const auto store = begun();
  std::atomic<bool> over = false;
  std::thread cutting([&] {
    while (!over) cut();
  });
  std::size_t said = 0;
  int failed = 0;
  for (int i = 0; i < 60; ++i) {
    std::vector<Submission> group;
    for (int k = 0; k < 50; ++k) group.push_back({std::to_string(i) + '-' + std::to_string(k), 0, {1}});
    const auto outcomes = store->put(group);
    if (!outcomes) {
      EXPECT_EQ(outcomes.error().code, ErrorCode::unavailable) << outcomes.error().message;
      ++failed;
      continue;
    }
    for (const Outcome one : *outcomes) EXPECT_TRUE(one == Outcome::stored || one == Outcome::repeated);
    said += group.size();
  }
  over = true;
  cutting.join();
  const std::size_t there = count(*store);
  EXPECT_GE(there, said);
  EXPECT_LE(there, said + 50U * static_cast<unsigned>(failed));
  EXPECT_EQ(store->counts()->reports[0], there);
}

TEST_F(PostgresDatabase, RecoversWithItsServer) {
  test::PostgresServer own;
  use(own);
  const auto store = begun();
  EXPECT_EQ(store->put(std::vector<Submission>{{"a", 0, {1}}})->at(0), Outcome::stored);
  own.stop(SIGQUIT);
  EXPECT_EQ(store->put(std::vector<Submission>{{"b", 0, {1}}}).error().code, ErrorCode::unavailable);
  EXPECT_EQ(store->generation().error().code, ErrorCode::unavailable);
  EXPECT_EQ(store->counts().error().code, ErrorCode::unavailable);
  own.run();
  EXPECT_EQ(*store->generation(), 2U);
  EXPECT_EQ(store->put(std::vector<Submission>{{"a", 0, {1}}, {"b", 0, {1}}}).value(),
            (std::vector{Outcome::repeated, Outcome::stored}));
  EXPECT_EQ(store->counts()->reports[0], 2U);
}

// A step of somebody else's is announced: nobody asks the database for it.
TEST_F(PostgresDatabase, StepsAreAnnounced) {
  const auto store = begun();
  const auto second = opened(Opening::existing).value();
  EXPECT_EQ(*second->generation(), 2U);
  // Whoever asked now would be told that there is no such table.
  ASSERT_EQ(server_->sql(database_, "ALTER TABLE ppgnn.campaign RENAME TO hidden"), 0);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(second->generation().value(), 2U);
  ASSERT_EQ(server_->sql(database_, "ALTER TABLE ppgnn.hidden RENAME TO campaign"), 0);
  ASSERT_TRUE(store->close(0));
  for (int i = 0; i < 500 && *second->generation() == 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(*second->generation(), 3U);
}

// The rights of packaging/postgres_roles.sql are enough, and no more.
TEST_F(PostgresDatabase, LeastRights) {
  const auto owner = begun();
  ASSERT_EQ(server_->script(database_, std::filesystem::path(PPGNN_SOURCE_DIR) / "packaging/postgres_roles.sql"), 0);
  ASSERT_EQ(
      server_->sql(database_,
                   "CREATE ROLE collects LOGIN IN ROLE ppgnn_collector; CREATE ROLE steers LOGIN IN ROLE ppgnn_steps"),
      0);
  const auto steps = open("postgres:" + server_->place(database_, "steers"), Opening::existing).value();
  ASSERT_TRUE(steps->begin("spring", ""));
  ASSERT_TRUE(steps->enrol(std::vector<Person>{{"a", 1}, {"b", 1}}));
  const auto collector = open("postgres:" + server_->place(database_, "collects"), Opening::existing).value();
  ASSERT_TRUE(*collector->campaign());
  EXPECT_TRUE(*collector->generation());
  EXPECT_EQ(collector->put(std::vector<Submission>{{"a", 0, {1}}})->at(0), Outcome::stored);
  const std::string_view name = "a";
  EXPECT_TRUE(collector->standings({&name, 1})->at(0).enrolled);
  EXPECT_TRUE(*collector->reported("a"));
  EXPECT_EQ(count(*collector), 1U);
  EXPECT_EQ(collector->counts()->reports[0], 1U);
  for (const char* text : {"model", "the same, once more"}) ASSERT_TRUE(steps->keep("model", text));
  ASSERT_TRUE(steps->hint(std::vector<Asked>{{"a", {1, 0}}, {"b", {1, 0}}}));
  EXPECT_EQ(**collector->kept("model"), "the same, once more");
  EXPECT_EQ(collector->hint_of("a")->size(), 2U);
  EXPECT_TRUE(*collector->erase("a"));
  EXPECT_TRUE(collector->hint_of("a")->empty());
  EXPECT_TRUE(collector->each_person([](std::string_view, const Standing&) { return true; }));
  ASSERT_TRUE(collector->close(0));
  ASSERT_TRUE(steps->publish(1, {"plan 1", "", true}, std::vector<Asked>{{"b", {7}}}));
  ASSERT_TRUE(steps->alone([&] { return steps->conclude("node,class\n"); }));
  EXPECT_EQ(**steps->predictions(), "node,class\n");
  EXPECT_TRUE(*steps->erase("b"));
  for (const auto& refused : {collector->conclude("x"), collector->enrol(std::vector<Person>{{"c", 1}}),
                              collector->publish(2, {"plan 2", "", true}, {}), collector->keep("model", "x"),
                              collector->hint(std::vector<Asked>{{"c", {1, 0}}})}) {
    EXPECT_FALSE(refused);
  }
  EXPECT_EQ(collector->predictions().error().message,
            collector->where() + ": the role has no right to this (docs/postgres.md)");
  EXPECT_EQ(*collector->request("train"), 1U);
  EXPECT_EQ((*steps->take_work())->step, "train");
  EXPECT_TRUE(steps->tell_work(1, "done", ""));
  ASSERT_TRUE(steps->close(1));
  ASSERT_TRUE(steps->archive());
  EXPECT_FALSE(steps->remove());
  EXPECT_EQ(check_trail(*collector->trail(), "t")->size(), 32U);
  for (const char* user : {"collects", "steers"}) {
    for (const char* sql : {"UPDATE ppgnn.trail SET who = ''", "DELETE FROM ppgnn.trail", "DROP TABLE ppgnn.reports",
                            "DELETE FROM ppgnn.reports", "TRUNCATE ppgnn.reports", "DELETE FROM ppgnn.people",
                            "CREATE TABLE ppgnn.more(x int)", "UPDATE ppgnn.reports SET name = ''",
                            "UPDATE ppgnn.form SET version = 2", "DROP SCHEMA ppgnn CASCADE"}) {
      EXPECT_NE(server_->sql(database_, sql, user), 0) << user << ": " << sql;
    }
  }
}

// Erased bytes are in no row that anybody can read; from the tables' files they go with VACUUM FULL.
TEST_F(PostgresDatabase, ErasureAndWhatItNeeds) {
  test::PostgresServer own;  // of few files
  use(own);
  const auto store = begun();
  ASSERT_TRUE(store->enrol(std::vector<Person>{{"a", 1}}));
  const std::string secret = "what nobody else has in a report 8127364";
  ASSERT_EQ(store->put(std::vector<Submission>{{"a", 0, {secret.begin(), secret.end()}}})->at(0), Outcome::stored);
  const auto in_tables = [&] {
    EXPECT_EQ(server_->sql(database_, "CHECKPOINT"), 0);
    for (const auto& file : std::filesystem::recursive_directory_iterator(server_->folder() / "data" / "base")) {
      if (file.is_regular_file() && test::content_of(file.path()).find(secret) != std::string::npos) return true;
    }
    return false;
  };
  EXPECT_TRUE(in_tables());
  EXPECT_FALSE(store->promises().overwrites);
  ASSERT_TRUE(store->erase("a").value());
  EXPECT_EQ(server_->sql(database_,
                         "DO $$ BEGIN IF EXISTS (SELECT FROM ppgnn.reports WHERE bytes IS NOT NULL) OR EXISTS (SELECT "
                         "FROM ppgnn.people WHERE level IS NOT NULL) THEN RAISE EXCEPTION 'there'; END IF; END $$"),
            0);
  ASSERT_EQ(server_->sql(database_, "VACUUM FULL ppgnn.reports"), 0);
  EXPECT_FALSE(in_tables());
}

// Names that no index of PostgreSQL's can hold are refused, and nothing is done.
TEST_F(PostgresDatabase, NamesHaveALimit) {
  const auto store = begun();
  std::string longest;
  for (int i = 0; i < 1200; ++i) longest += to_hex(sha256(std::to_string(i))).substr(0, 8);
  const auto refused = store->enrol(std::vector<Person>{{"a", 1}, {longest, 1}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, store->where() + ": a name is too long");
  EXPECT_EQ(store->counts()->enrolled, 0U);
}

}  // namespace
}  // namespace ppgnn::store
