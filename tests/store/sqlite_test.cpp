#include "store/sqlite.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include "ppgnn/core/sha256.hpp"
#include "ppgnn/store/store.hpp"
#include "store/sqlite_form.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::store {
namespace {

Database memory() {
  sqlite3* opened = nullptr;
  EXPECT_EQ(sqlite3_open(":memory:", &opened), SQLITE_OK);
  return Database(opened);
}

std::int64_t number_of(sqlite3* database, const char* sql) {
  Statement read;
  EXPECT_EQ(read.prepare(database, sql), SQLITE_OK);
  EXPECT_EQ(read.step(), SQLITE_ROW);
  return read.number(0);
}

TEST(Migrate, MissingStepsAreMade) {
  const Database database = memory();
  constexpr std::array first{"CREATE TABLE a(x)"};
  constexpr std::array both{"CREATE TABLE a(x)", "CREATE TABLE b(x); INSERT INTO b VALUES(7)"};
  ASSERT_TRUE(migrate(database.get(), first, "t"));
  ASSERT_TRUE(migrate(database.get(), first, "t"));
  ASSERT_TRUE(migrate(database.get(), both, "t"));
  EXPECT_EQ(number_of(database.get(), "SELECT x FROM b"), 7);
  const Result<void> older = migrate(database.get(), first, "t");
  ASSERT_FALSE(older);
  EXPECT_EQ(older.error().code, ErrorCode::mismatch);
  EXPECT_EQ(older.error().message, "t: written by another program or a later version (form 2, known: up to 1)");
}

TEST(Migrate, AFailedStepChangesNothing) {
  const Database database = memory();
  constexpr std::array broken{"CREATE TABLE a(x)", "CREATE TABLE b(x)", "CREATE TABLE a(x)"};
  ASSERT_FALSE(migrate(database.get(), broken, "t"));
  EXPECT_EQ(number_of(database.get(), "SELECT count(*) FROM sqlite_schema"), 0);
  EXPECT_EQ(number_of(database.get(), "PRAGMA user_version"), 0);
}

// What there is is on somebody's disk: a step that is changed afterwards never reaches it.
TEST(Migrate, StepsAreNeverChanged) {
  constexpr std::array<std::string_view, 4> kDigests{
      "e28ac0a122db2a65e96130e4bad387b3cbb0d8ebdf10899d4c35b0af76b4d7f6",
      "644c09617c338ffecce5f476aa4a17a604cd045a3d3ca9bc70b678e5ef88124a",
      "9a571aa4210eeb3d32fb2b5380bcea5edc3b3a5657e53a982e0853a23129f9dd",
      "e9b7f5d76c6585ff5898a89c5dfe39c490da5d745abf4bd93b887e3d5682ec42"};
  for (std::size_t i = 0; i < std::min(kMigrations.size(), kDigests.size()); ++i) {
    EXPECT_EQ(to_hex(sha256(std::string_view(kMigrations[i]))), kDigests[i])
        << "step " << i
        << " of kMigrations was changed: put it back as it was, and add another step after the last one";
  }
  EXPECT_EQ(kMigrations.size(), kDigests.size()) << "a step of kMigrations has no digest here: add its SHA-256, and "
                                                    "describe the new form in docs/formats/store.md";
}

class SqliteFile : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "campaign.db"; }
  [[nodiscard]] Result<std::unique_ptr<Store>> opened(Opening opening = Opening::create) const {
    return open("sqlite:" + path().string(), opening);
  }
  // A store with an open round for everybody.
  [[nodiscard]] std::unique_ptr<Store> begun() const {
    auto store = opened();
    EXPECT_TRUE(store) << store.error().message;
    EXPECT_TRUE((*store)->begin("spring", ""));
    EXPECT_TRUE((*store)->publish(0, {"plan", "", true}, {}));
    return std::move(store).value();
  }
  // Everything in every file of the store.
  [[nodiscard]] std::string all_bytes() const {
    std::stringstream all;
    for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
      all << std::ifstream(file.path(), std::ios::binary).rdbuf();
    }
    return all.str();
  }

  test::TemporaryFolder folder_;
};

TEST_F(SqliteFile, WhatIsNoStoreIsLeftAlone) {
  EXPECT_EQ(opened(Opening::existing).error().code, ErrorCode::io);
  std::ofstream(path()) << "some text of somebody's, long enough to be looked at as a header of a hundred bytes: "
                        << std::string(100, '.');
  const std::string before = all_bytes();
  EXPECT_EQ(opened().error().code, ErrorCode::malformed);
  EXPECT_EQ(all_bytes(), before);
  std::filesystem::remove(path());
  {
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open(path().c_str(), &other), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(other, "CREATE TABLE theirs(x)", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(other);
  }
  const auto refused = opened();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "sqlite:" + path().string() + ": not a store");
  // An empty file is a database without anything in it, and no store.
  std::filesystem::remove(path());
  std::ofstream(path()).flush();
  EXPECT_EQ(opened(Opening::existing).error().code, ErrorCode::malformed);
}

// Names and reports are the owner's alone, in the store, its log and its copies.
TEST_F(SqliteFile, NobodyElseReadsIt) {
  const auto store = begun();
  ASSERT_TRUE(store->backup(folder_.path() / "copy.db"));
  for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_EQ(file.status().permissions() & std::filesystem::perms(077), std::filesystem::perms::none) << file.path();
  }
}

// Somebody who reads for long keeps the log: then it is not said to be erased. What is asked again finds it done.
TEST_F(SqliteFile, ErasedIsSaidOnlyWhenItIs) {
  const auto store = begun();
  const std::vector<Person> people{{"a", std::nullopt}};
  ASSERT_TRUE(store->enrol(people));
  sqlite3* reader = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &reader), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM people", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto early = store->erase("a");
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, ErrorCode::unavailable);
  sqlite3_close(reader);
  const auto later = store->erase("a");
  ASSERT_TRUE(later) << later.error().message;
  EXPECT_TRUE(later->has_value());
}

// Nothing is scanned for them: what the counters say is said, also where somebody turned them to something else.
TEST_F(SqliteFile, CountsComeFromCounters) {
  const auto store = begun();
  sqlite3* opened = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &opened), SQLITE_OK);
  const Database raw(opened);
  ASSERT_EQ(sqlite3_exec(raw.get(),
                         "UPDATE enrolled SET people = 77; UPDATE progress SET reports = 66; UPDATE campaign SET "
                         "erasures = 55",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  EXPECT_EQ(store->counts()->enrolled, 77U);
  EXPECT_EQ(store->counts()->reports, (std::vector<std::uint64_t>{66}));
  EXPECT_EQ(store->counts()->erased, 55U);
  // And what is asked for at every group of reports reads no list of people: it is in another table.
  Statement columns;
  ASSERT_EQ(columns.prepare(raw.get(), "SELECT count(*) FROM pragma_table_info('rounds') WHERE name = 'open'"),
            SQLITE_OK);
  ASSERT_EQ(columns.step(), SQLITE_ROW);
  EXPECT_EQ(columns.number(0), 0);
}

TEST_F(SqliteFile, ALaterFormIsRefused) {
  begun().reset();
  {
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(path().c_str(), &raw), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(raw, "PRAGMA user_version = 99", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(raw);
  }
  EXPECT_EQ(opened().error().code, ErrorCode::mismatch);
}

// Names in no order, reports of many lengths, erased in no order while others come: pages are split and joined. What was
// erased is in no file; what was not is.
TEST_F(SqliteFile, ErasedBytesAreInNoFile) {
  std::mt19937_64 random(7);
  const auto store = begun();
  constexpr int kPeople = 600;
  std::vector<Person> people(kPeople);
  for (Person& person : people) person.name = std::to_string(random());
  ASSERT_TRUE(store->enrol(people));
  std::vector<std::vector<std::uint8_t>> reports(kPeople);
  std::vector<bool> erased(kPeople, false);
  std::vector<Submission> some;
  const auto is_in = [](const std::string& all, const std::vector<std::uint8_t>& bytes) {
    return std::search(
               all.begin(), all.end(),
               std::boyer_moore_horspool_searcher(bytes.begin(), bytes.end(), std::hash<int>(), [](int a, int b) {
                 return static_cast<std::uint8_t>(a) == static_cast<std::uint8_t>(b);
               })) != all.end();
  };
  for (int i = 0; i < kPeople; ++i) {
    reports[static_cast<std::size_t>(i)].resize(40 + random() % 400);
    for (std::uint8_t& byte : reports[static_cast<std::size_t>(i)]) byte = static_cast<std::uint8_t>(random());
    some.push_back({people[static_cast<std::size_t>(i)].name, 0, reports[static_cast<std::size_t>(i)]});
    if (i % 6 != 5) continue;
    ASSERT_TRUE(store->put(some));
    some.clear();
    const auto whom = static_cast<std::size_t>(random() % static_cast<std::uint64_t>(i));
    ASSERT_TRUE(store->erase(people[whom].name));
    erased[whom] = true;
  }
  const std::string all = all_bytes();
  for (std::size_t i = 0; i < kPeople; ++i) {
    // The first 24 bytes: part of a report is a report too.
    const std::vector<std::uint8_t> start(reports[i].begin(), reports[i].begin() + 24);
    const std::vector<std::uint8_t> end(reports[i].end() - 24, reports[i].end());
    EXPECT_EQ(is_in(all, start) || is_in(all, end), !erased[i]) << i;
  }
}

// A file that may not grow stands for a full disk: nothing is said to be stored that is not, and room again is enough.
TEST_F(SqliteFile, AFullDiskIsAnErrorAndPasses) {
  const auto store = begun();
  std::vector<Person> people(400);
  for (std::size_t i = 0; i < people.size(); ++i) people[i].name = std::to_string(i);
  ASSERT_TRUE(store->enrol(people));
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  std::size_t stored = 0;
  const auto put = [&](std::size_t person) {
    const Submission one{people[person].name, 0, std::vector<std::uint8_t>(3000, 'x')};
    const auto outcome = store->put({&one, 1});
    if (!outcome) {
      EXPECT_EQ(outcome.error().code, ErrorCode::io);
      return false;
    }
    EXPECT_EQ(outcome->at(0), Outcome::stored);
    ++stored;
    return true;
  };
  const rlimit little{200'000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  std::size_t person = 0;
  while (person < people.size() && put(person)) ++person;
  ASSERT_LT(person, people.size());
  EXPECT_FALSE(put(person));
  const auto during = store->counts();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_TRUE(during);
  EXPECT_EQ(during->reports.at(0), stored);
  for (; person < people.size(); ++person) EXPECT_TRUE(put(person));
  EXPECT_EQ(store->counts()->reports.at(0), people.size());
}

// SQLite's files with a disk that can be told what to say.
class FaultyDisk {
 public:
  static inline int write_code = SQLITE_OK;
  static inline int sync_code = SQLITE_OK;

  FaultyDisk() : real_(sqlite3_vfs_find(nullptr)), faulty_(*real_) {
    faulty_.zName = "faulty";
    faulty_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
    faulty_.pAppData = real_;
    faulty_.xOpen = [](sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out) {
      auto* real = static_cast<sqlite3_vfs*>(vfs->pAppData);
      auto* mine = reinterpret_cast<File*>(file);
      mine->real = reinterpret_cast<sqlite3_file*>(mine + 1);
      const int code = real->xOpen(real, name, mine->real, flags, out);
      mine->base.pMethods = nullptr;
      if (mine->real->pMethods == nullptr) return code;
      methods() = *mine->real->pMethods;
      methods().xClose = [](sqlite3_file* one) { return of(one)->pMethods->xClose(of(one)); };
      methods().xRead = [](sqlite3_file* one, void* to, int size, sqlite3_int64 at) {
        return of(one)->pMethods->xRead(of(one), to, size, at);
      };
      methods().xWrite = [](sqlite3_file* one, const void* from, int size, sqlite3_int64 at) {
        return write_code != SQLITE_OK ? write_code : of(one)->pMethods->xWrite(of(one), from, size, at);
      };
      methods().xTruncate = [](sqlite3_file* one, sqlite3_int64 size) {
        return write_code != SQLITE_OK ? write_code : of(one)->pMethods->xTruncate(of(one), size);
      };
      methods().xSync = [](sqlite3_file* one, int how) {
        return sync_code != SQLITE_OK ? sync_code : of(one)->pMethods->xSync(of(one), how);
      };
      methods().xFileSize = [](sqlite3_file* one, sqlite3_int64* size) {
        return of(one)->pMethods->xFileSize(of(one), size);
      };
      methods().xLock = [](sqlite3_file* one, int how) { return of(one)->pMethods->xLock(of(one), how); };
      methods().xUnlock = [](sqlite3_file* one, int how) { return of(one)->pMethods->xUnlock(of(one), how); };
      methods().xCheckReservedLock = [](sqlite3_file* one, int* held) {
        return of(one)->pMethods->xCheckReservedLock(of(one), held);
      };
      methods().xFileControl = [](sqlite3_file* one, int what, void* with) {
        return of(one)->pMethods->xFileControl(of(one), what, with);
      };
      methods().xSectorSize = [](sqlite3_file* one) { return of(one)->pMethods->xSectorSize(of(one)); };
      methods().xDeviceCharacteristics = [](sqlite3_file* one) {
        return of(one)->pMethods->xDeviceCharacteristics(of(one));
      };
      methods().xShmMap = [](sqlite3_file* one, int page, int size, int extend, void volatile** at) {
        return of(one)->pMethods->xShmMap(of(one), page, size, extend, at);
      };
      methods().xShmLock = [](sqlite3_file* one, int at, int count, int flags_) {
        return of(one)->pMethods->xShmLock(of(one), at, count, flags_);
      };
      methods().xShmBarrier = [](sqlite3_file* one) { of(one)->pMethods->xShmBarrier(of(one)); };
      methods().xShmUnmap = [](sqlite3_file* one, int gone) { return of(one)->pMethods->xShmUnmap(of(one), gone); };
      methods().iVersion = 2;  // no mapping of files
      mine->base.pMethods = &methods();
      return code;
    };
    sqlite3_vfs_register(&faulty_, 1);
  }
  ~FaultyDisk() {
    sqlite3_vfs_register(real_, 1);
    sqlite3_vfs_unregister(&faulty_);
  }
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

 private:
  struct File {
    sqlite3_file base;
    sqlite3_file* real;
  };
  static sqlite3_file* of(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real; }
  static sqlite3_io_methods& methods() {
    static sqlite3_io_methods table{};
    return table;
  }
  sqlite3_vfs* real_;
  sqlite3_vfs faulty_;
};

// Full, read only, broken while writing or flushing: an error, nothing stored, and good again once the disk is.
TEST_F(SqliteFile, WhateverTheDiskSaysNothingIsClaimed) {
  FaultyDisk disk;
  {
    const auto store = begun();
    std::vector<Person> people(200);
    for (std::size_t i = 0; i < people.size(); ++i) people[i].name = std::to_string(i);
    ASSERT_TRUE(store->enrol(people));
    std::uint64_t stored = 0;
    std::size_t person = 0;
    const auto put = [&](std::size_t who) {
      const Submission one{people[who].name, 0, {1, 2, 3}};
      return store->put({&one, 1});
    };
    for (const auto& [write, sync] : {std::pair{SQLITE_FULL, SQLITE_OK},
                                      {SQLITE_READONLY, SQLITE_OK},
                                      {SQLITE_IOERR_WRITE, SQLITE_OK},
                                      {SQLITE_OK, SQLITE_IOERR_FSYNC}}) {
      FaultyDisk::write_code = write;
      FaultyDisk::sync_code = sync;
      for (int i = 0; i < 3; ++i) {
        const auto outcome = put(person);
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().code, ErrorCode::io);
      }
      EXPECT_FALSE(store->erase(people[person].name));
      FaultyDisk::write_code = SQLITE_OK;
      FaultyDisk::sync_code = SQLITE_OK;
      EXPECT_EQ(store->counts()->reports.at(0), stored);
      EXPECT_EQ(store->counts()->erased, 0U);
      const auto again = put(person++);
      ASSERT_TRUE(again) << again.error().message;
      EXPECT_EQ(again->at(0), Outcome::stored);
      EXPECT_EQ(store->counts()->reports.at(0), ++stored);
    }
  }
}

}  // namespace
}  // namespace ppgnn::store
