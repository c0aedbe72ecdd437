#include <algorithm>
#include <array>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>

#include "ppgnn/core/sha256.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/random/secure_source.hpp"
#include "ppgnn/store/store.hpp"
#include "store/open.hpp"
#include "store/sqlite_connections.hpp"
#include "store/sqlite_form.hpp"

namespace ppgnn::store {

namespace {

std::string new_receipt() {
  random::SecureSource source;
  const std::array<std::uint64_t, 2> words{source.next(), source.next()};
  return to_hex({reinterpret_cast<const std::uint8_t*>(words.data()), sizeof(words)});
}

class SqliteStore final : public Store, private SqliteConnections {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Store>> open(const std::string& where, std::string path,
                                                           Opening opening) {
    std::unique_ptr<SqliteStore> store(new SqliteStore(where, std::move(path)));
    if (Result<void> opened = store->connect(opening); !opened) return opened.error();
    return std::unique_ptr<Store>(std::move(store));
  }

  [[nodiscard]] std::string where() const override { return where_; }

  Result<std::optional<Campaign>> campaign() override {
    const std::lock_guard lock(scan_mutex_);
    Transaction transaction(scanner_.get());
    if (const int code = sqlite3_exec(scanner_.get(), "BEGIN", nullptr, nullptr, nullptr); code != SQLITE_OK)
      return error(code);
    Campaign found;
    Statement read;
    int code =
        read.prepare(scanner_.get(), "SELECT name, split, generation, predictions IS NOT NULL, erasures FROM campaign");
    if (code == SQLITE_OK) code = read.step();
    if (code == SQLITE_DONE) return std::optional<Campaign>();
    if (code != SQLITE_ROW) return error(code);
    found.name = read.text(0);
    found.split = read.text(1);
    found.generation = static_cast<std::uint64_t>(read.number(2));
    found.concluded = read.number(3) != 0;
    found.erasures = static_cast<std::uint64_t>(read.number(4));
    Statement rounds;
    code = rounds.prepare(scanner_.get(), "SELECT plan, people, open FROM rounds ORDER BY number");
    while (code == SQLITE_OK && (code = rounds.step()) == SQLITE_ROW) {
      found.rounds.push_back({std::string(rounds.text(0)), std::string(rounds.text(1)), rounds.number(2) != 0});
      code = SQLITE_OK;
    }
    if (code != SQLITE_DONE) return error(code);
    return std::optional(std::move(found));
  }

  Result<std::uint64_t> generation() override {
    const std::lock_guard lock(read_mutex_);
    if (Result<void> there = in_place(reader_.get(), read_); !there) return there.error();
    const int code = generation_.step();
    const std::uint64_t value = code == SQLITE_ROW ? static_cast<std::uint64_t>(generation_.number(0)) : 0;
    generation_.reset();
    if (code != SQLITE_ROW && code != SQLITE_DONE) return error(code);
    return value;
  }

  Result<void> begin(std::string_view name, std::string_view split) override {
    return write([&]() -> Result<void> {
      Statement read;
      int code = read.prepare(database_.get(), "SELECT name = ? AND split = ? FROM campaign");
      if (code == SQLITE_OK) code = read.bind(1, name).bind(2, split).step();
      if (code == SQLITE_ROW) {
        if (read.number(0) != 0) return {};
        return Error{ErrorCode::mismatch, where_ + ": has another campaign, or the same with other parts of the data"};
      }
      if (code != SQLITE_DONE) return error(code);
      Statement insert;
      code = insert.prepare(database_.get(),
                            "INSERT INTO campaign(one, name, split, generation, erasures) VALUES(1, ?, ?, 1, 0)");
      if (code == SQLITE_OK) code = insert.bind(1, name).bind(2, split).run();
      return done(code);
    });
  }

  Result<void> enrol(std::span<const Person> people) override {
    return write([&]() -> Result<void> {
      Statement insert;
      Statement same;
      int code = insert.prepare(database_.get(), "INSERT INTO people(name, level) VALUES(?, ?) ON CONFLICT DO NOTHING");
      if (code == SQLITE_OK)
        code = same.prepare(database_.get(), "SELECT level IS ? OR erased = 1 FROM people WHERE name = ?");
      for (const Person& person : people) {
        if (code != SQLITE_OK) break;
        insert.bind(1, person.name);
        if (person.level) insert.bind(2, *person.level);
        code = insert.run();
        if (code != SQLITE_OK || sqlite3_changes(database_.get()) == 1) continue;
        if (person.level) same.bind(1, *person.level);
        const int found = same.bind(2, person.name).step();
        const bool alike = found == SQLITE_ROW && same.number(0) != 0;
        same.reset();
        if (found != SQLITE_ROW) return error(found);
        if (!alike) return Error{ErrorCode::mismatch, where_ + ": somebody is enrolled with another level"};
      }
      return done(code);
    });
  }

  Result<void> publish(std::uint32_t number, const Round& round, std::span<const Asked> asked,
                       std::optional<std::uint64_t> erasures) override {
    return write([&]() -> Result<void> {
      Statement read;
      int code = read.prepare(database_.get(), "SELECT number, open, plan = ? FROM rounds ORDER BY number");
      read.bind(1, round.plan);
      std::uint32_t next = 0;
      bool open = false;
      while (code == SQLITE_OK && (code = read.step()) == SQLITE_ROW) {
        if (read.number(0) == number) {
          if (read.number(2) != 0) return {};
          return Error{ErrorCode::mismatch, where_ + ": this round was published with another plan"};
        }
        open = read.number(1) != 0;
        ++next;
        code = SQLITE_OK;
      }
      if (code != SQLITE_DONE) return error(code);
      if (open) return Error{ErrorCode::mismatch, where_ + ": the round before is still open"};
      if (next != number) return Error{ErrorCode::mismatch, where_ + ": the next round is " + std::to_string(next)};
      if (Result<void> same = nobody_erased_since(erasures); !same) return same;
      Statement insert;
      code = insert.prepare(database_.get(), "INSERT INTO rounds(number, plan, people, open) VALUES(?, ?, ?, 1)");
      if (code == SQLITE_OK) code = insert.bind(1, number).bind(2, round.plan).bind(3, round.people).run();
      Statement ask;
      if (code == SQLITE_OK) {
        code = ask.prepare(database_.get(), "INSERT INTO asked(name, round, question) VALUES(?, ?, ?)");
      }
      for (const Asked& one : asked) {
        if (code != SQLITE_OK) break;
        code = ask.bind(1, one.name).bind(2, number).bind(3, one.question).run();
      }
      if ((code & 0xFF) == SQLITE_CONSTRAINT) {
        return Error{ErrorCode::mismatch, where_ + ": somebody is in two rounds, and people report once a campaign"};
      }
      return step_done(code);
    });
  }

  Result<void> close(std::uint32_t number) override {
    return write([&]() -> Result<void> {
      Statement read;
      int code = read.prepare(database_.get(), "SELECT open FROM rounds WHERE number = ?");
      if (code == SQLITE_OK) code = read.bind(1, number).step();
      if (code == SQLITE_DONE) {
        return Error{ErrorCode::mismatch, where_ + ": there is no round " + std::to_string(number)};
      }
      if (code != SQLITE_ROW) return error(code);
      if (read.number(0) == 0) return {};
      read.reset();
      Statement update;
      code = update.prepare(database_.get(), "UPDATE rounds SET open = 0 WHERE number = ?");
      if (code == SQLITE_OK) code = update.bind(1, number).run();
      return step_done(code);
    });
  }

  Result<void> conclude(std::string_view predictions, std::optional<std::uint64_t> erasures) override {
    Result<void> written = write([&]() -> Result<void> {
      if (Result<void> same = nobody_erased_since(erasures); !same) return same;
      Statement update;
      int code = update.prepare(database_.get(), "UPDATE campaign SET predictions = ?");
      if (code == SQLITE_OK) code = update.bind(1, predictions).run();
      return step_done(code);
    });
    return written ? wipe() : written;
  }

  Result<std::optional<std::string>> predictions() override {
    const std::lock_guard lock(scan_mutex_);
    Statement read;
    int code = read.prepare(scanner_.get(), "SELECT predictions FROM campaign WHERE predictions IS NOT NULL");
    if (code == SQLITE_OK) code = read.step();
    if (code == SQLITE_DONE) return std::optional<std::string>();
    if (code != SQLITE_ROW) return error(code);
    return std::optional(std::string(read.text(0)));
  }

  Result<std::vector<Outcome>> put(std::span<const Submission> reports) override {
    std::vector<Outcome> outcomes;
    outcomes.reserve(reports.size());
    const Result<void> written = write([&]() -> Result<void> {
      std::int64_t open = -1;
      int code = open_round_.step();
      if (code == SQLITE_ROW) open = open_round_.number(0);
      open_round_.reset();
      if (code != SQLITE_ROW && code != SQLITE_DONE) return error(code);
      for (const Submission& one : reports) {
        if (one.round == open) {
          code = insert_.bind(1, one.name).bind(2, one.round).bind(3, one.bytes).run();
          if (code != SQLITE_OK) return error(code);
          if (sqlite3_changes(database_.get()) == 1) {
            outcomes.push_back(Outcome::stored);
            continue;
          }
        }
        code = present_.bind(1, one.name).step();
        Outcome outcome = Outcome::closed;
        if (code == SQLITE_ROW) {
          const auto there = present_.bytes(0);
          outcome = present_.is_null(0)                                                          ? Outcome::erased
                    : std::equal(there.begin(), there.end(), one.bytes.begin(), one.bytes.end()) ? Outcome::repeated
                                                                                                 : Outcome::differs;
        }
        present_.reset();
        if (code != SQLITE_ROW && code != SQLITE_DONE) return error(code);
        outcomes.push_back(outcome);
      }
      return {};
    });
    if (!written) return written.error();
    return outcomes;
  }

  Result<std::optional<std::string>> erase(std::string_view name) override {
    std::optional<std::string> receipt;
    Result<void> erased = write([&]() -> Result<void> {
      Statement read;
      int code = read.prepare(database_.get(),
                              "SELECT r.receipt FROM people p LEFT JOIN reports r ON r.name = p.name WHERE p.name = ?");
      if (code == SQLITE_OK) code = read.bind(1, name).step();
      if (code == SQLITE_DONE) return {};
      if (code != SQLITE_ROW) return error(code);
      if (!read.is_null(0)) {
        receipt = read.text(0);
        return {};
      }
      read.reset();
      receipt = new_receipt();
      for (const char* sql : {"INSERT INTO reports(name, round, receipt) VALUES(?1, -1, ?2) ON CONFLICT(name) "
                              "DO UPDATE SET bytes = NULL, receipt = ?2",
                              "UPDATE people SET level = NULL, erased = 1 WHERE name = ?1 AND ?2 IS NOT NULL",
                              "UPDATE asked SET question = x'' WHERE name = ?1 AND ?2 IS NOT NULL",
                              "UPDATE campaign SET erasures = erasures + 1 WHERE ?1 IS NOT NULL AND ?2 IS NOT NULL"}) {
        Statement change;
        code = change.prepare(database_.get(), sql);
        if (code == SQLITE_OK) code = change.bind(1, name).bind(2, *receipt).run();
        if (code != SQLITE_OK) return error(code);
      }
      return {};
    });
    if (erased && receipt) erased = wipe();
    if (!erased) return erased.error();
    return receipt;
  }

  Result<std::vector<Standing>> standings(std::span<const std::string_view> names) override {
    std::vector<Standing> found(names.size());
    const std::lock_guard lock(read_mutex_);
    // One look at the file for all of them.
    const Transaction transaction(reader_.get());
    if (const int code = sqlite3_exec(reader_.get(), "BEGIN", nullptr, nullptr, nullptr); code != SQLITE_OK) {
      return error(code);
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      const int code = standing_.bind(1, names[i]).step();
      if (code == SQLITE_ROW) found[i] = read_standing(standing_);
      standing_.reset();
      if (code != SQLITE_ROW && code != SQLITE_DONE) return error(code);
    }
    return found;
  }

  Result<bool> reported(std::string_view name) override {
    const std::lock_guard lock(read_mutex_);
    const int code = reported_.bind(1, name).step();
    reported_.reset();
    if (code != SQLITE_ROW && code != SQLITE_DONE) return error(code);
    return code == SQLITE_ROW;
  }

  Result<void> each_person(const std::function<void(std::string_view name, const Standing& standing)>& take) override {
    const std::lock_guard lock(scan_mutex_);
    Statement read;
    int code = read.prepare(scanner_.get(), (std::string(kStanding) + " ORDER BY p.name").c_str());
    while (code == SQLITE_OK && (code = read.step()) == SQLITE_ROW) {
      take(read.text(4), read_standing(read));
      code = SQLITE_OK;
    }
    return code == SQLITE_DONE ? Result<void>() : error(code);
  }

  Result<void> each_report(
      std::uint32_t round,
      const std::function<void(std::string_view name, std::span<const std::uint8_t> bytes)>& take) override {
    const std::lock_guard lock(scan_mutex_);
    Statement read;
    int code = read.prepare(scanner_.get(),
                            "SELECT name, bytes FROM reports WHERE round = ? AND bytes IS NOT NULL ORDER BY number");
    read.bind(1, round);
    while (code == SQLITE_OK && (code = read.step()) == SQLITE_ROW) {
      take(read.text(0), read.bytes(1));
      code = SQLITE_OK;
    }
    return code == SQLITE_DONE ? Result<void>() : error(code);
  }

  Result<Counts> counts() override {
    const std::lock_guard lock(scan_mutex_);
    Counts found;
    Statement read;
    int code = read.prepare(scanner_.get(),
                            "SELECT (SELECT count(*) FROM people), (SELECT count(*) FROM reports WHERE receipt IS NOT "
                            "NULL), (SELECT count(*) FROM rounds)");
    if (code == SQLITE_OK) code = read.step();
    if (code != SQLITE_ROW) return error(code);
    found.enrolled = static_cast<std::uint64_t>(read.number(0));
    found.erased = static_cast<std::uint64_t>(read.number(1));
    found.reports.resize(static_cast<std::size_t>(read.number(2)));
    Statement by_round;
    code =
        by_round.prepare(scanner_.get(), "SELECT round, count(*) FROM reports WHERE bytes IS NOT NULL GROUP BY round");
    while (code == SQLITE_OK && (code = by_round.step()) == SQLITE_ROW) {
      found.reports.at(static_cast<std::size_t>(by_round.number(0))) = static_cast<std::uint64_t>(by_round.number(1));
      code = SQLITE_OK;
    }
    if (code != SQLITE_DONE) return error(code);
    return found;
  }

  Result<void> backup(const std::filesystem::path& path) override {
    Result<io::AtomicFile> file = io::AtomicFile::create(path);
    if (!file) return file.error();
    std::error_code wrong;  // names and reports are nobody else's
    std::filesystem::permissions(file->temporary(),
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, wrong);
    if (wrong) return Error{ErrorCode::io, path.string() + ": " + wrong.message()};
    {
      const std::lock_guard lock(read_mutex_);  // writing goes on
      Statement copy;
      int code = copy.prepare(reader_.get(), "VACUUM INTO ?");
      const std::string target = file->temporary().string();
      if (code == SQLITE_OK) code = copy.bind_text(1, target).run();
      if (code != SQLITE_OK) return sqlite_error(path.string(), code);
    }
    return file->commit();
  }

 private:
  SqliteStore(std::string where, std::string path) : SqliteConnections(std::move(where), std::move(path)) {}
};

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite(const std::string& where, const std::string& place, Opening opening) {
  return SqliteStore::open(where, place, opening);
}

}  // namespace ppgnn::store
