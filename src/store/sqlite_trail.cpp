// Beside the reports: what was done and by whom, steps that somebody asked for, and the end of a campaign.
#include <filesystem>
#include <system_error>

#include "store/now.hpp"
#include "store/open.hpp"
#include "store/receipt.hpp"
#include "store/sqlite_connections.hpp"
#include "store/sqlite_form.hpp"

namespace ppgnn::store {

namespace {

Entry read_entry(const Statement& row) {
  Entry entry{
      static_cast<std::uint64_t>(row.number(0)), row.number(1), std::string(row.text(2)), std::string(row.text(3)), {}};
  const auto hash = row.bytes(4);
  if (hash.size() == entry.hash.size()) std::copy(hash.begin(), hash.end(), entry.hash.begin());
  return entry;
}

Work read_one(const Statement& row) {
  return {static_cast<std::uint64_t>(row.number(0)), std::string(row.text(1)), std::string(row.text(2)),
          std::string(row.text(3)), row.number(4)};
}

}  // namespace

Result<void> SqliteConnections::note(std::string_view who, const std::string& what) {
  Statement last;
  int code =
      last.prepare(database_.get(), "SELECT number, time, who, what, hash FROM trail ORDER BY number DESC LIMIT 1");
  if (code == SQLITE_OK) code = last.step();
  if (code != SQLITE_ROW && code != SQLITE_DONE) return error(code);
  std::optional<Entry> before;
  if (code == SQLITE_ROW) before = read_entry(last);
  last.reset();
  const Entry entry = next_entry(before ? &*before : nullptr, seconds_now(), who, what);
  Statement insert;
  code = insert.prepare(database_.get(), "INSERT INTO trail VALUES(?, ?, ?, ?, ?)");
  if (code == SQLITE_OK) {
    code = insert.bind(1, static_cast<std::int64_t>(entry.number))
               .bind(2, entry.time)
               .bind(3, std::string_view(entry.who))
               .bind(4, std::string_view(entry.what))
               .bind(5, std::span<const std::uint8_t>(entry.hash))
               .run();
  }
  return done(code);
}

Result<std::vector<Entry>> SqliteConnections::read_trail() {
  const std::lock_guard lock(scan_mutex_);
  std::vector<Entry> all;
  Statement read;
  int code = read.prepare(scanner_.get(), "SELECT number, time, who, what, hash FROM trail ORDER BY number");
  while (code == SQLITE_OK && (code = read.step()) == SQLITE_ROW) {
    all.push_back(read_entry(read));
    code = SQLITE_OK;
  }
  if (code != SQLITE_DONE) return error(code);
  return all;
}

Result<void> SqliteConnections::refuse_archived() {
  Statement read;
  int code = read.prepare(database_.get(), "SELECT archived FROM campaign WHERE archived = 1");
  if (code == SQLITE_OK) code = read.step();
  if (code == SQLITE_ROW) return Error{ErrorCode::mismatch, where_ + ": the campaign is archived"};
  return code == SQLITE_DONE ? Result<void>() : error(code);
}

Result<void> SqliteConnections::set_archived(std::string_view who) {
  return write([&]() -> Result<void> {
    Statement read;
    int code =
        read.prepare(database_.get(), "SELECT archived, (SELECT count(*) FROM progress WHERE open = 1) FROM campaign");
    if (code == SQLITE_OK) code = read.step();
    if (code == SQLITE_DONE) return Error{ErrorCode::mismatch, where_ + ": there is no campaign in it"};
    if (code != SQLITE_ROW) return error(code);
    if (read.number(0) != 0) return {};
    if (read.number(1) != 0) return Error{ErrorCode::mismatch, where_ + ": a round is open"};
    read.reset();
    Result<void> done = step_done(execute("UPDATE campaign SET archived = 1"));
    return done ? note(who, "archive") : done;
  });
}

Result<std::string> SqliteConnections::empty_campaign(std::string_view who) {
  Result<std::string> receipt = write_and_say<std::string>([&]() -> Result<std::string> {
    Statement read;
    int code = read.prepare(database_.get(), "SELECT archived, removed FROM campaign");
    if (code == SQLITE_OK) code = read.step();
    if (code != SQLITE_ROW && code != SQLITE_DONE) return error(code);
    if (code == SQLITE_DONE || read.number(0) == 0) {
      return Error{ErrorCode::mismatch, where_ + ": only a campaign that is archived can be removed"};
    }
    if (!read.is_null(1)) return std::string(read.text(1));
    read.reset();
    code = execute(
        "DELETE FROM reports; DELETE FROM asked; DELETE FROM people; DELETE FROM progress; DELETE FROM rounds; DELETE "
        "FROM work; DELETE FROM kept; DELETE FROM hints; UPDATE enrolled SET people = 0");
    if (code != SQLITE_OK) return error(code);
    const std::string made = new_receipt();
    Statement update;
    code = update.prepare(database_.get(),
                          "UPDATE campaign SET split = x'', predictions = NULL, erasures = 0, removed = ?");
    if (code == SQLITE_OK) code = update.bind(1, std::string_view(made)).run();
    if (Result<void> stepped = step_done(code); !stepped) return stepped.error();
    if (Result<void> noted = note(who, "remove " + made); !noted) return noted.error();
    return made;
  });
  if (!receipt) return receipt;
  if (Result<void> wiped = wipe(); !wiped) return wiped.error();
  return receipt;
}

Result<std::uint64_t> SqliteConnections::ask_for(std::string_view step) {
  return write_and_say<std::uint64_t>([&]() -> Result<std::uint64_t> {
    if (Result<void> refused = refuse_archived(); !refused) return refused.error();
    Statement read;
    int code =
        read.prepare(database_.get(), "SELECT number FROM work WHERE step = ? AND state = CAST('waiting' AS BLOB)");
    if (code == SQLITE_OK) code = read.bind(1, step).step();
    if (code == SQLITE_ROW) return static_cast<std::uint64_t>(read.number(0));
    if (code != SQLITE_DONE) return error(code);
    Statement insert;
    code = insert.prepare(database_.get(),
                          "INSERT INTO work(step, state, progress, told) VALUES(?, CAST('waiting' AS BLOB), x'', ?)");
    if (code == SQLITE_OK) code = insert.bind(1, step).bind(2, seconds_now()).run();
    if (code != SQLITE_OK) return error(code);
    return static_cast<std::uint64_t>(sqlite3_last_insert_rowid(database_.get()));
  });
}

Result<std::optional<Work>> SqliteConnections::take_one() {
  return write_and_say<std::optional<Work>>([&]() -> Result<std::optional<Work>> {
    const std::int64_t now = seconds_now();
    Statement update;
    int code = update.prepare(
        database_.get(),
        "UPDATE work SET state = CAST('working' AS BLOB), told = ?1 WHERE number = (SELECT min(number) FROM work WHERE "
        "state = CAST('waiting' AS BLOB) OR (state = CAST('working' AS BLOB) AND told < ?2)) RETURNING number, step, "
        "state, progress, told");
    if (code == SQLITE_OK) code = update.bind(1, now).bind(2, now - kSilence).step();
    if (code != SQLITE_ROW && code != SQLITE_DONE) return error(code);
    return code == SQLITE_ROW ? std::optional(read_one(update)) : std::nullopt;
  });
}

Result<void> SqliteConnections::tell(std::uint64_t number, std::string_view state, std::string_view progress) {
  return write([&]() -> Result<void> {
    Statement update;
    int code = update.prepare(database_.get(),
                              "UPDATE work SET state = ?1, progress = ?2, told = ?3 WHERE number = ?4 AND state = "
                              "CAST('working' AS BLOB)");
    if (code == SQLITE_OK) {
      code = update.bind(1, state)
                 .bind(2, progress)
                 .bind(3, seconds_now())
                 .bind(4, static_cast<std::int64_t>(number))
                 .run();
    }
    if (code != SQLITE_OK) return error(code);
    if (sqlite3_changes(database_.get()) == 1) return {};
    return Error{ErrorCode::mismatch, where_ + ": nobody works on request " + std::to_string(number)};
  });
}

Result<std::vector<Work>> SqliteConnections::read_work() {
  const std::lock_guard lock(scan_mutex_);
  std::vector<Work> all;
  Statement read;
  int code = read.prepare(scanner_.get(), "SELECT number, step, state, progress, told FROM work ORDER BY number");
  while (code == SQLITE_OK && (code = read.step()) == SQLITE_ROW) {
    all.push_back(read_one(read));
    code = SQLITE_OK;
  }
  if (code != SQLITE_DONE) return error(code);
  return all;
}

// A folder has a file per campaign.
Result<std::vector<std::string>> list_sqlite(const Where& where) {
  std::vector<std::string> names;
  std::error_code wrong;
  if (!std::filesystem::is_directory(where.path, wrong)) return names;
  for (const auto& file : std::filesystem::directory_iterator(where.path, wrong)) {
    if (file.path().extension() == ".db" && is_plain_name(file.path().stem().string())) {
      names.push_back(file.path().stem().string());
    }
  }
  if (wrong) return Error{ErrorCode::io, where.written + ": " + wrong.message()};
  return names;
}

}  // namespace ppgnn::store
