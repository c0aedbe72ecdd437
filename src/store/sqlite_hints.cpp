// Decisions at home: texts by name, and what each person's device is told.
#include "ppgnn/core/sha256.hpp"
#include "store/sqlite_connections.hpp"

namespace ppgnn::store {

Result<void> SqliteConnections::keep_text(std::string_view who, std::string_view name, std::string_view text) {
  return write([&]() -> Result<void> {
    if (Result<void> refused = refuse_archived(); !refused) return refused;
    Statement insert;
    int code =
        insert.prepare(database_.get(), "INSERT INTO kept VALUES(?1, ?2) ON CONFLICT(name) DO UPDATE SET text = ?2");
    if (code == SQLITE_OK) code = insert.bind(1, name).bind(2, text).run();
    Result<void> done = step_done(code);
    return done ? note(who, "keep " + std::string(name) + ' ' + to_hex(sha256(text))) : done;
  });
}

Result<std::optional<std::string>> SqliteConnections::read_kept(std::string_view name) {
  const std::lock_guard lock(scan_mutex_);
  Statement read;
  int code = read.prepare(scanner_.get(), "SELECT text FROM kept WHERE name = ?");
  if (code == SQLITE_OK) code = read.bind(1, name).step();
  if (code == SQLITE_DONE) return std::optional<std::string>();
  if (code != SQLITE_ROW) return error(code);
  return std::optional(std::string(read.text(0)));
}

Result<void> SqliteConnections::put_hints(std::string_view who, std::span<const Asked> hints) {
  return write([&]() -> Result<void> {
    if (Result<void> refused = refuse_archived(); !refused) return refused;
    Statement insert;
    Statement other;
    std::size_t added = 0;
    int code = insert.prepare(database_.get(), "INSERT INTO hints VALUES(?, ?) ON CONFLICT DO NOTHING");
    if (code == SQLITE_OK) code = other.prepare(database_.get(), "SELECT 1 FROM hints WHERE name = ? AND hint <> ?");
    for (const Asked& one : hints) {
      if (code == SQLITE_OK) code = insert.bind(1, one.name).bind(2, one.question).run();
      if (code != SQLITE_OK) return error(code);
      if (sqlite3_changes(database_.get()) == 1) {
        ++added;
        continue;
      }
      const int found = other.bind(1, one.name).bind(2, one.question).step();
      other.reset();
      if (found == SQLITE_ROW) return Error{ErrorCode::mismatch, where_ + ": somebody has another hint"};
      if (found != SQLITE_DONE) return error(found);
    }
    return added == 0 ? done(code) : note(who, "hint " + std::to_string(added) + " people");
  });
}

Result<std::vector<std::uint8_t>> SqliteConnections::read_hint(std::string_view name) {
  const std::lock_guard lock(read_mutex_);
  std::vector<std::uint8_t> hint;
  Statement read;
  int code = read.prepare(reader_.get(), "SELECT hint FROM hints WHERE name = ?");
  if (code == SQLITE_OK) code = read.bind(1, name).step();
  if (code == SQLITE_ROW) {
    const auto bytes = read.bytes(0);
    hint.assign(bytes.begin(), bytes.end());
  }
  if (code != SQLITE_ROW && code != SQLITE_DONE) return error(code);
  return hint;
}

}  // namespace ppgnn::store
