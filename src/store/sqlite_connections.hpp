#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/store/store.hpp"
#include "store/sqlite.hpp"
#include "store/sqlite_log.hpp"

namespace ppgnn::store {

/// The connections of a store to its file, and what every use of them needs.
class SqliteConnections {
 protected:
  SqliteConnections(std::string where, std::string path) : where_(std::move(where)), path_(std::move(path)) {}
  ~SqliteConnections();
  SqliteConnections(const SqliteConnections&) = delete;
  SqliteConnections& operator=(const SqliteConnections&) = delete;

  /// Opens the file, brings its form up to date, prepares what is used again and again.
  [[nodiscard]] Result<void> connect(Opening opening);
  /// Overwritten content stays in the log until it is cut: waits a little for readers, writes all of it back, cuts it. On a
  /// connection that nobody else waits for.
  [[nodiscard]] Result<void> wipe();

  [[nodiscard]] Error error(int code) const { return sqlite_error(where_, code); }
  [[nodiscard]] Result<void> done(int code) const { return code == SQLITE_OK ? Result<void>() : error(code); }
  // A step of the campaign was made: whoever remembers the state looks again.
  [[nodiscard]] Result<void> step_done(int code) {
    if (code == SQLITE_OK) code = execute("UPDATE campaign SET generation = generation + 1");
    return done(code);
  }
  // What sqlite_trail.cpp has. Within a transaction: `who` did `what`; and a refusal where no step follows any more.
  [[nodiscard]] Result<void> note(std::string_view who, const std::string& what);
  [[nodiscard]] Result<void> refuse_archived();
  // Each in a transaction of its own.
  [[nodiscard]] Result<void> set_archived(std::string_view who);
  [[nodiscard]] Result<std::string> empty_campaign(std::string_view who);
  [[nodiscard]] Result<std::uint64_t> ask_for(std::string_view step);
  [[nodiscard]] Result<std::optional<Work>> take_one();
  [[nodiscard]] Result<void> tell(std::uint64_t number, std::string_view state, std::string_view progress);
  [[nodiscard]] Result<std::vector<Entry>> read_trail();
  [[nodiscard]] Result<std::vector<Work>> read_work();
  // What sqlite_hints.cpp has: texts by name, and what each person's device is told.
  [[nodiscard]] Result<void> keep_text(std::string_view who, std::string_view name, std::string_view text);
  [[nodiscard]] Result<std::optional<std::string>> read_kept(std::string_view name);
  [[nodiscard]] Result<void> put_hints(std::string_view who, std::span<const Asked> hints);
  [[nodiscard]] Result<std::vector<std::uint8_t>> read_hint(std::string_view name);
  /// A copy of the file that opens like it, made while others write.
  [[nodiscard]] Result<void> copy_to(const std::filesystem::path& path);
  [[nodiscard]] int execute(const char* sql) noexcept {
    return sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr);
  }

  /// A transaction that says something.
  template <class Said, class Action>
  Result<Said> write_and_say(Action&& action) {
    Result<Said> said = Said();
    const Result<void> written = write([&]() -> Result<void> {
      said = action();
      return said ? Result<void>() : said.error();
    });
    if (!written) return written.error();
    return said;
  }
  template <class Action>
  Result<void> write(Action&& action) {
    const std::lock_guard lock(mutex_);
    if (alone_) {  // part of a larger one, undone by itself
      if (const int code = execute("SAVEPOINT part"); code != SQLITE_OK) return error(code);
      Result<void> result = action();
      const int code = execute(result ? "RELEASE part" : "ROLLBACK TO part; RELEASE part");
      return result && code != SQLITE_OK ? error(code) : result;
    }
    {
      Transaction transaction(database_.get());
      if (const int code = transaction.begin(); code != SQLITE_OK) return error(code);
      if (Result<void> there = in_place(database_.get(), written_); !there) return there;
      if (Result<void> there = log_.look(where_, database_.get(), SqliteLog::Look::before); !there) return there;
      if (Result<void> result = action(); !result) return result;
      if (const int code = transaction.commit(); code != SQLITE_OK) return error(code);
    }
    // Once more: what is said to be stored is where the next start looks for it.
    return look_at_log(SqliteLog::Look::after);
  }
  /// A look at the files between two transactions; and where the log is long, what is in it goes into the store.
  [[nodiscard]] Result<void> look_at_log(SqliteLog::Look look);
  /// A look where somebody wrote to the log since the last one, unless that has to wait.
  [[nodiscard]] Result<void> look_if_touched();

  /// What is known of the store's files: which ones they are, and how long the store's own was.
  struct Files {
    struct Which {
      std::uint64_t device = 0;
      std::uint64_t number = 0;
    };
    std::optional<Which> log, index;
    std::int64_t length = 0;
  };
  /// Whether the files at the store's path are still those that a connection has open, and no shorter: somebody may have moved,
  /// replaced, removed or cut them, and nothing else would notice until the next start.
  [[nodiscard]] Result<void> in_place(sqlite3* database, Files& known) const;

  std::string where_;
  std::string path_;
  // Writing; and a connection of its own for questions about people, which do not wait for a flush to the disk.
  std::recursive_mutex mutex_;
  bool alone_ = false;     // within `alone`
  bool replaced_ = false;  // something there, of which nothing is to stay
  Database database_;
  Files written_;
  SqliteLog log_;
  std::uint32_t copied_ = 0;  // pages of the log, when they last went into the store as far as readers let them
  Statement open_round_, insert_, present_, count_;
  std::mutex scan_mutex_;
  Database scanner_;  // long reading, and cutting the log
  std::mutex read_mutex_;
  Database reader_;
  Files read_;
  Statement generation_, reported_, standing_, counts_, counts_by_round_;

 private:
  [[nodiscard]] Result<Database> connection(int flags, int patience) const;
  /// Somebody else's database is left alone.
  [[nodiscard]] Result<void> check_ours(Opening opening);
};

}  // namespace ppgnn::store
