#include "store/sqlite_hints.hpp"

namespace ppgnn::store {

int keep_text(sqlite3* database, std::string_view name, std::string_view text) {
  Statement insert;
  const int code =
      insert.prepare(database, "INSERT INTO kept VALUES(?1, ?2) ON CONFLICT(name) DO UPDATE SET text = ?2");
  return code == SQLITE_OK ? insert.bind(1, name).bind(2, text).run() : code;
}

int read_kept(sqlite3* database, std::string_view name, std::optional<std::string>& text) {
  Statement read;
  int code = read.prepare(database, "SELECT text FROM kept WHERE name = ?");
  if (code == SQLITE_OK) code = read.bind(1, name).step();
  if (code == SQLITE_ROW) text = read.text(0);
  return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

int put_hints(sqlite3* database, std::span<const Asked> hints) {
  Statement insert;
  Statement other;
  int code = insert.prepare(database, "INSERT INTO hints VALUES(?, ?) ON CONFLICT DO NOTHING");
  if (code == SQLITE_OK) code = other.prepare(database, "SELECT 1 FROM hints WHERE name = ? AND hint <> ?");
  for (const Asked& one : hints) {
    if (code == SQLITE_OK) code = insert.bind(1, one.name).bind(2, one.question).run();
    if (code != SQLITE_OK) return code;
    if (sqlite3_changes(database) == 1) continue;
    code = other.bind(1, one.name).bind(2, one.question).step();
    other.reset();
    if (code == SQLITE_ROW) return SQLITE_MISMATCH;
    if (code != SQLITE_DONE) return code;
    code = SQLITE_OK;
  }
  return code;
}

int read_hint(sqlite3* database, std::string_view name, std::vector<std::uint8_t>& hint) {
  Statement read;
  int code = read.prepare(database, "SELECT hint FROM hints WHERE name = ?");
  if (code == SQLITE_OK) code = read.bind(1, name).step();
  if (code == SQLITE_ROW) {
    const auto bytes = read.bytes(0);
    hint.assign(bytes.begin(), bytes.end());
  }
  return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

}  // namespace ppgnn::store
