#include "store/sqlite_log.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <random>
#include <thread>

#include "ppgnn/store/store.hpp"
#include "store/sqlite.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::store {
namespace {

class Log : public testing::Test {
 protected:
  void SetUp() override {
    store_ = opened(path());
    ASSERT_TRUE(store_->begin("spring", ""));
    std::vector<Person> people(2000);
    for (std::size_t i = 0; i < people.size(); ++i) people[i].name = std::to_string(i);
    ASSERT_TRUE(store_->enrol(people));
    ASSERT_TRUE(store_->publish(0, {"plan", "", true}, {}));
  }

  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "campaign.db"; }
  [[nodiscard]] std::filesystem::path log() const { return path().string() + "-wal"; }
  [[nodiscard]] static std::unique_ptr<Store> opened(const std::filesystem::path& path) {
    auto store = open("sqlite:" + path.string(), Opening::create);
    EXPECT_TRUE(store) << store.error().message;
    return std::move(store).value();
  }
  [[nodiscard]] static Result<void> put(Store& store, int person, std::size_t size = 300) {
    const Submission one{std::to_string(person), 0, std::vector<std::uint8_t>(size, static_cast<std::uint8_t>(person))};
    const auto outcome = store.put({&one, 1});
    if (!outcome) return outcome.error();
    EXPECT_TRUE(outcome->at(0) == Outcome::stored || outcome->at(0) == Outcome::repeated);
    return {};
  }
  // What the next start finds if everybody is killed now.
  [[nodiscard]] std::uint64_t found_after_a_kill() {
    const std::filesystem::path copy = folder_.path() / ("copy" + std::to_string(++copies_) + ".db");
    std::filesystem::copy_file(path(), copy);
    if (std::filesystem::exists(log())) std::filesystem::copy_file(log(), copy.string() + "-wal");
    const auto counts = opened(copy)->counts();
    EXPECT_TRUE(counts);
    return counts ? counts->reports.at(0) : 0;
  }
  void overwrite(std::uintmax_t at, std::size_t size) const {
    std::fstream file(log(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file << std::string(size, 'x');
  }

  test::TemporaryFolder folder_;
  int copies_ = 0;
  std::unique_ptr<Store> store_;
};

// What was acknowledged is there whatever somebody does to the log; the first who writes is told, the next is served.
TEST_F(Log, WhatIsCutOrOverwrittenIsPutBack) {
  const std::function<void(std::uintmax_t)> damages[] = {
      [&](std::uintmax_t) { std::filesystem::resize_file(log(), 0); },
      [&](std::uintmax_t) { std::filesystem::resize_file(log(), 32); },
      [&](std::uintmax_t size) { std::filesystem::resize_file(log(), size / 2); },
      [&](std::uintmax_t size) { std::filesystem::resize_file(log(), size - 1); },
      [&](std::uintmax_t) { overwrite(0, 4); },    // the magic
      [&](std::uintmax_t) { overwrite(16, 8); },   // the salts
      [&](std::uintmax_t) { overwrite(3000, 1); }  // in the middle
  };
  int person = 0;
  std::uint64_t acknowledged = 0;
  for (const auto& damage : damages) {
    SCOPED_TRACE(person);
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(put(*store_, person++));
      ++acknowledged;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(40));  // a file's times go by ticks
    damage(std::filesystem::file_size(log()));
    const Result<void> refused = put(*store_, person);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::io);
    EXPECT_NE(refused.error().message.find("-wal, was cut or overwritten"), std::string::npos);
    EXPECT_EQ(found_after_a_kill(), acknowledged);
    for (int i = 0; i < 5; ++i) {
      const Result<void> again = put(*store_, person++);
      ASSERT_TRUE(again) << again.error().message;
      ++acknowledged;
    }
    EXPECT_EQ(found_after_a_kill(), acknowledged);
  }
  store_.reset();
  EXPECT_EQ(opened(path())->counts()->reports.at(0), acknowledged);
}

// Nobody has to write: whoever looks at the campaign notices.
TEST_F(Log, ALookPutsItBack) {
  ASSERT_TRUE(put(*store_, 1));
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  std::filesystem::resize_file(log(), 0);
  EXPECT_FALSE(store_->generation());
  EXPECT_TRUE(store_->generation());
  EXPECT_EQ(found_after_a_kill(), 1U);
}

// Closing copies the log into the store, and must not copy holes.
TEST_F(Log, ItIsWholeWhenTheStoreIsClosed) {
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(put(*store_, i));
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  overwrite(4000, 20'000);
  store_.reset();
  EXPECT_EQ(opened(path())->counts()->reports.at(0), 20U);
}

// A look within a step that writes alone would be a transaction within one, and end it.
TEST_F(Log, ALookLeavesAStepThatWritesAloneItsTransaction) {
  ASSERT_TRUE(put(*store_, 1));
  const Result<void> stepped = store_->alone([&]() -> Result<void> {
    if (Result<void> closed = store_->close(0); !closed) return closed;
    std::filesystem::last_write_time(log(), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    if (const auto seen = store_->generation(); !seen) return seen.error();
    return store_->publish(1, {"another plan", "", true}, {});
  });
  ASSERT_TRUE(stepped) << stepped.error().message;
  const auto campaign = store_->campaign();
  ASSERT_TRUE(campaign);
  ASSERT_EQ((*campaign)->rounds.size(), 2U);
  EXPECT_FALSE((*campaign)->rounds[0].open);
}

// Somebody who comes later does not know what was there, and writes nothing; who knows it puts it back.
TEST_F(Log, WhoDoesNotKnowItWaits) {
  ASSERT_TRUE(put(*store_, 1));
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  overwrite(3000, 100);
  {
    const auto other = opened(path());
    const Result<void> refused = put(*other, 2);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("restart"), std::string::npos);
    EXPECT_FALSE(other->erase("1"));
    EXPECT_FALSE(put(*store_, 2));
    EXPECT_TRUE(put(*store_, 2));
    EXPECT_TRUE(put(*other, 3));
  }
  EXPECT_EQ(found_after_a_kill(), 3U);
}

// Nobody knows it: nothing is written, and closing leaves it to the next start, which reads what is good.
TEST_F(Log, WhatCannotBePutBackIsLeftAsItIs) {
  store_.reset();
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(raw, "PRAGMA wal_autocheckpoint = 0", nullptr, nullptr, nullptr), SQLITE_OK);
  for (const char* name : {"1", "2", "3", "4"}) {
    const std::string sql =
        std::string("INSERT INTO reports(name, round, bytes) VALUES(x'") + "3" + name + "', 0, x'00')";
    ASSERT_EQ(sqlite3_exec(raw, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  }
  std::filesystem::resize_file(log(), std::filesystem::file_size(log()) - 100);  // of the fourth
  {
    const auto store = opened(path());
    EXPECT_FALSE(put(*store, 5));
    sqlite3_db_config(raw, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    sqlite3_close(raw);
  }
  ASSERT_TRUE(std::filesystem::exists(log()));
  const auto store = opened(path());
  int reports = 0;  // counted one by one: whoever wrote them beside the store counted none
  ASSERT_TRUE(store->each_report(0, [&](std::string_view, auto) { return ++reports > 0; }));
  EXPECT_EQ(reports, 3);
  EXPECT_TRUE(put(*store, 5));
}

// A log that grows beyond what is kept in it, is emptied by either of two who write, or is held by a reader: nothing of it is a doubt.
TEST_F(Log, NothingHonestIsRefused) {
  const auto other = opened(path());
  sqlite3* reader = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &reader), SQLITE_OK);
  std::vector<Submission> some;
  std::uint64_t stored = 0;
  for (int i = 0; i < 1800; ++i) {
    some.push_back({std::to_string(i), 0, std::vector<std::uint8_t>(7000, static_cast<std::uint8_t>(i))});
    if (some.size() < 60) continue;
    const auto put = (i / 60 % 3 == 0 ? *other : *store_).put(some);
    ASSERT_TRUE(put) << put.error().message;
    stored += some.size();
    some.clear();
    if (i / 60 == 5) sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM reports", nullptr, nullptr, nullptr);
    if (i / 60 == 20) sqlite3_exec(reader, "COMMIT", nullptr, nullptr, nullptr);
    if (i / 60 % 10 == 9 && i / 60 > 20) {
      EXPECT_TRUE(other->erase(std::to_string(i)));
      --stored;
    }
    if (i / 60 == 12) {
      EXPECT_TRUE(store_->backup(folder_.path() / "backup.db"));
    }
    ASSERT_TRUE(store_->generation());
  }
  sqlite3_close(reader);
  EXPECT_LT(std::filesystem::file_size(log()), 30U << 20) << "the log is never emptied";
  EXPECT_EQ(found_after_a_kill(), stored);
}

}  // namespace
}  // namespace ppgnn::store
