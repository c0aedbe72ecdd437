#include <algorithm>
#include <filesystem>
#include <limits>
#include <mutex>
#include <system_error>

#include "store/open.hpp"
#include "store/receipt.hpp"
#include "store/sqlite_connections.hpp"
#include "store/sqlite_form.hpp"

namespace ppgnn::store {

namespace {

class SqliteStore final : public Store, private SqliteConnections {
 public:
  /// `name`: what its campaign is called; empty: anything.
  [[nodiscard]] static Result<std::unique_ptr<Store>> open(const std::string& where, std::string path, std::string name,
                                                           Opening opening) {
    std::unique_ptr<SqliteStore> store(new SqliteStore(where, std::move(path), std::move(name)));
    if (Result<void> opened = store->connect(opening); !opened) return opened.error();
    return std::unique_ptr<Store>(std::move(store));
  }

  [[nodiscard]] std::string where() const override { return where_; }
  [[nodiscard]] Promises promises() const noexcept override { return {.overwrites = true, .backup = true}; }

  Result<std::optional<Campaign>> campaign() override {
    const std::lock_guard lock(scan_mutex_);
    Transaction transaction(scanner_.get());
    if (const int code = sqlite3_exec(scanner_.get(), "BEGIN", nullptr, nullptr, nullptr); code != SQLITE_OK)
      return error(code);
    Campaign found;
    Statement read;
    int code = read.prepare(scanner_.get(),
                            "SELECT name, split, generation, predictions IS NOT NULL, archived, removed FROM campaign");
    if (code == SQLITE_OK) code = read.step();
    if (code == SQLITE_DONE) return std::optional<Campaign>();
    if (code != SQLITE_ROW) return error(code);
    found.name = read.text(0);
    found.split = read.text(1);
    found.generation = static_cast<std::uint64_t>(read.number(2));
    found.concluded = read.number(3) != 0;
    found.archived = read.number(4) != 0;
    found.removed = read.text(5);
    Statement rounds;
    code = rounds.prepare(scanner_.get(),
                          "SELECT plan, people, open FROM rounds JOIN progress ON round = number ORDER BY number");
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
    if (Result<void> sound = look_if_touched(); !sound) return sound.error();
    const int code = generation_.step();
    const std::uint64_t value = code == SQLITE_ROW ? static_cast<std::uint64_t>(generation_.number(0)) : 0;
    generation_.reset();
    if (code != SQLITE_ROW && code != SQLITE_DONE) return error(code);
    return value;
  }

  Result<void> begin(std::string_view name, std::string_view split) override {
    if (!name_.empty() && name != name_) {
      return Error{ErrorCode::mismatch, where_ + ": is of another campaign than " + std::string(name)};
    }
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
      return noted(done(code), "begin " + std::string(name));
    });
  }

  Result<void> enrol(std::span<const Person> people) override {
    return write([&]() -> Result<void> {
      if (Result<void> refused = refuse_archived(); !refused) return refused;
      Statement insert;
      Statement same;
      std::int64_t added = 0;
      int code = insert.prepare(database_.get(), "INSERT INTO people(name, level) VALUES(?, ?) ON CONFLICT DO NOTHING");
      if (code == SQLITE_OK)
        code = same.prepare(database_.get(), "SELECT level IS ? OR erased = 1 FROM people WHERE name = ?");
      for (const Person& person : people) {
        if (code != SQLITE_OK) break;
        insert.bind(1, person.name);
        if (person.level) insert.bind(2, *person.level);
        code = insert.run();
        if (code == SQLITE_OK) added += sqlite3_changes(database_.get());
        if (code != SQLITE_OK || sqlite3_changes(database_.get()) == 1) continue;
        if (person.level) same.bind(1, *person.level);
        const int found = same.bind(2, person.name).step();
        const bool alike = found == SQLITE_ROW && same.number(0) != 0;
        same.reset();
        if (found != SQLITE_ROW) return error(found);
        if (!alike) return Error{ErrorCode::mismatch, where_ + ": somebody is enrolled with another level"};
      }
      Statement count;
      if (code == SQLITE_OK) code = count.prepare(database_.get(), "UPDATE enrolled SET people = people + ?");
      if (code == SQLITE_OK) code = count.bind(1, added).run();
      return added == 0 ? done(code) : noted(done(code), "enrol " + std::to_string(added) + " people");
    });
  }

  Result<void> publish(std::uint32_t number, const Round& round, std::span<const Asked> asked) override {
    return write([&]() -> Result<void> {
      if (Result<void> refused = refuse_archived(); !refused) return refused;
      Statement read;
      int code = read.prepare(
          database_.get(), "SELECT number, open, plan = ? FROM rounds JOIN progress ON round = number ORDER BY number");
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
      Statement insert;
      code = insert.prepare(database_.get(), "INSERT INTO rounds(number, plan, people) VALUES(?, ?, ?)");
      if (code == SQLITE_OK) code = insert.bind(1, number).bind(2, round.plan).bind(3, round.people).run();
      Statement begin;
      if (code == SQLITE_OK) code = begin.prepare(database_.get(), "INSERT INTO progress VALUES(?, 1, 0)");
      if (code == SQLITE_OK) code = begin.bind(1, number).run();
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
      return noted(step_done(code), "publish round " + std::to_string(number));
    });
  }

  Result<void> close(std::uint32_t number) override {
    return write([&]() -> Result<void> {
      Statement read;
      int code = read.prepare(database_.get(), "SELECT open FROM progress WHERE round = ?");
      if (code == SQLITE_OK) code = read.bind(1, number).step();
      if (code == SQLITE_DONE) {
        return Error{ErrorCode::mismatch, where_ + ": there is no round " + std::to_string(number)};
      }
      if (code != SQLITE_ROW) return error(code);
      if (read.number(0) == 0) return {};
      read.reset();
      Statement update;
      code = update.prepare(database_.get(), "UPDATE progress SET open = 0 WHERE round = ?");
      if (code == SQLITE_OK) code = update.bind(1, number).run();
      return noted(step_done(code), "close round " + std::to_string(number));
    });
  }

  Result<void> conclude(std::string_view predictions) override {
    const std::lock_guard lock(mutex_);
    Result<void> written = write([&]() -> Result<void> {
      if (Result<void> refused = refuse_archived(); !refused) return refused;
      Statement update;
      int code = update.prepare(database_.get(), "UPDATE campaign SET predictions = ?");
      if (code == SQLITE_OK) code = update.bind(1, predictions).run();
      return noted(step_done(code), "conclude " + to_hex(sha256(predictions)));
    });
    if (written && alone_) replaced_ = true;
    return written && !alone_ ? wipe() : written;
  }

  Result<void> alone(const std::function<Result<void>()>& action) override {
    const std::lock_guard lock(mutex_);
    if (alone_) return action();
    replaced_ = false;
    const Result<void> written = write([&] {
      const std::shared_ptr<void> until(nullptr, [this](void*) { alone_ = false; });
      alone_ = true;
      return action();
    });
    return written && replaced_ ? wipe() : written;
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

  Result<void> keep(std::string_view name, std::string_view text) override { return keep_text(who_, name, text); }
  Result<std::optional<std::string>> kept(std::string_view name) override { return read_kept(name); }
  Result<void> hint(std::span<const Asked> hints) override { return put_hints(who_, hints); }
  Result<std::vector<std::uint8_t>> hint_of(std::string_view name) override { return read_hint(name); }
  Result<void> each_hint(const TakeBytes& take) override {
    return each_bytes("SELECT name, hint FROM hints WHERE ?1 IS NOT NULL ORDER BY name", 0, take);
  }

  Result<std::vector<Outcome>> put(std::span<const Submission> reports) override {
    std::vector<Outcome> outcomes;
    outcomes.reserve(reports.size());
    const Result<void> written = write([&]() -> Result<void> {
      std::int64_t open = -1;
      std::int64_t stored = 0;
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
            ++stored;
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
      if (stored > 0) return done(count_.bind(1, open).bind(2, stored).run());
      return {};
    });
    if (!written) return written.error();
    return outcomes;
  }

  Result<std::optional<std::string>> erase(std::string_view name, std::optional<std::string_view> given) override {
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
      receipt = given ? std::string(*given) : new_receipt();
      for (const char* sql :
           {"UPDATE progress SET reports = reports - 1 WHERE ?2 IS NOT NULL AND round = (SELECT round "
            "FROM reports WHERE name = ?1 AND bytes IS NOT NULL)",
            "INSERT INTO reports(name, round, receipt) VALUES(?1, -1, ?2) ON CONFLICT(name) "
            "DO UPDATE SET bytes = NULL, receipt = ?2",
            "UPDATE people SET level = NULL, erased = 1 WHERE name = ?1 AND ?2 IS NOT NULL",
            "UPDATE asked SET question = x'' WHERE name = ?1 AND ?2 IS NOT NULL",
            "DELETE FROM hints WHERE name = ?1 AND ?2 IS NOT NULL",
            "UPDATE campaign SET erasures = erasures + 1 WHERE ?1 IS NOT NULL AND ?2 IS NOT NULL"}) {
        Statement change;
        code = change.prepare(database_.get(), sql);
        if (code == SQLITE_OK) code = change.bind(1, name).bind(2, *receipt).run();
        if (code != SQLITE_OK) return error(code);
      }
      return note(who_, "erase " + *receipt);
    });
    if (erased && receipt) erased = wipe();
    if (!erased) return erased.error();
    return receipt;
  }

  Result<std::vector<std::string>> erased() override {
    return texts("SELECT name FROM people WHERE erased = 1 ORDER BY name");
  }
  Result<std::vector<std::string>> receipts() override {
    return texts(
        "SELECT receipt FROM people p JOIN reports r ON r.name = p.name WHERE p.erased = 1 ORDER BY "
        "p.name");
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

  Result<void> each_person(const TakePerson& take, std::optional<std::string_view> after, std::size_t most) override {
    const std::lock_guard lock(scan_mutex_);
    Statement read;
    const std::string sql = std::string(kStanding) + (after ? " WHERE p.name > ?1" : "") + " ORDER BY p.name LIMIT ?2";
    int code = read.prepare(scanner_.get(), sql.c_str());
    if (after) read.bind(1, *after);
    read.bind(2, static_cast<std::int64_t>(std::min<std::size_t>(most, std::numeric_limits<std::int64_t>::max())));
    while (code == SQLITE_OK && (code = read.step()) == SQLITE_ROW) {
      if (!take(read.text(4), read_standing(read))) return {};
      code = SQLITE_OK;
    }
    return code == SQLITE_DONE ? Result<void>() : error(code);
  }

  Result<void> each_asked(std::uint32_t round, const TakeBytes& take) override {
    return each_bytes("SELECT name, question FROM asked WHERE round = ? ORDER BY name", round, take);
  }
  Result<void> each_report(std::uint32_t round, const TakeBytes& take) override {
    return each_bytes("SELECT name, bytes FROM reports WHERE round = ? AND bytes IS NOT NULL ORDER BY number", round,
                      take);
  }

  Result<Counts> counts() override {
    const std::lock_guard lock(read_mutex_);
    const Transaction transaction(reader_.get());
    if (const int code = sqlite3_exec(reader_.get(), "BEGIN", nullptr, nullptr, nullptr); code != SQLITE_OK) {
      return error(code);
    }
    Counts found;
    int code = counts_.step();
    if (code == SQLITE_ROW) {
      found.enrolled = static_cast<std::uint64_t>(counts_.number(0));
      found.erased = static_cast<std::uint64_t>(counts_.number(1));
    }
    counts_.reset();
    if (code != SQLITE_ROW) return error(code);
    while ((code = counts_by_round_.step()) == SQLITE_ROW) {
      found.reports.push_back(static_cast<std::uint64_t>(counts_by_round_.number(0)));
    }
    counts_by_round_.reset();
    if (code != SQLITE_DONE) return error(code);
    return found;
  }

  Result<void> archive() override { return set_archived(who_); }
  Result<std::string> remove() override { return empty_campaign(who_); }
  Result<std::vector<Entry>> trail() override { return read_trail(); }
  Result<std::uint64_t> request(std::string_view step) override { return ask_for(step); }
  Result<std::optional<Work>> take_work() override { return take_one(); }
  Result<void> tell_work(std::uint64_t number, std::string_view state, std::string_view progress) override {
    return tell(number, state, progress);
  }
  Result<std::vector<Work>> work() override { return read_work(); }

  Result<void> backup(const std::filesystem::path& path) override { return copy_to(path); }

 private:
  SqliteStore(std::string where, std::string path, std::string name)
      : SqliteConnections(std::move(where), std::move(path)), name_(std::move(name)) {}

  // After a step, in its transaction.
  Result<void> noted(Result<void> stepped, const std::string& what) { return stepped ? note(who_, what) : stepped; }
  Result<void> each_bytes(const char* sql, std::uint32_t round, const TakeBytes& take) {
    const std::lock_guard lock(scan_mutex_);
    Statement read;
    int code = read.prepare(scanner_.get(), sql);
    read.bind(1, round);
    while (code == SQLITE_OK && (code = read.step()) == SQLITE_ROW) {
      if (!take(read.text(0), read.bytes(1))) return {};
      code = SQLITE_OK;
    }
    return code == SQLITE_DONE ? Result<void>() : error(code);
  }
  Result<std::vector<std::string>> texts(const char* sql) {
    const std::lock_guard lock(scan_mutex_);
    std::vector<std::string> all;
    Statement read;
    int code = read.prepare(scanner_.get(), sql);
    while (code == SQLITE_OK && (code = read.step()) == SQLITE_ROW) {
      all.emplace_back(read.text(0));
      code = SQLITE_OK;
    }
    if (code != SQLITE_DONE) return error(code);
    return all;
  }

  std::string name_;
};

}  // namespace

// One file, or one of a folder.
Result<std::unique_ptr<Store>> open_sqlite(const Where& where, Opening opening) {
  if (where.name.empty()) {
    const Result<std::vector<std::string>> names = list_sqlite(where);
    if (!names) return names.error();
    std::error_code ignored;
    if (!std::filesystem::is_directory(where.path, ignored)) {
      return SqliteStore::open(where.written, where.path, "", opening);
    }
    if (names->size() == 1) return open_sqlite({where.written, where.path, names->front()}, opening);
    return several(where, *names);
  }
  std::error_code wrong;
  if (opening == Opening::create && std::filesystem::create_directory(where.path, wrong)) {
    std::filesystem::permissions(where.path, std::filesystem::perms::owner_all, wrong);
  }
  return SqliteStore::open(where.written, where.path + '/' + where.name + ".db", where.name, opening);
}

}  // namespace ppgnn::store
