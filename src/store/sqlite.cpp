#include "store/sqlite.hpp"

namespace ppgnn::store {

Error sqlite_error(const std::string& where, int code) {
  const auto say = [&](ErrorCode kind, const char* what) { return Error{kind, where + ": " + what}; };
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return say(ErrorCode::io, "the disk is full");
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return say(ErrorCode::io, "cannot be written: read only");
    case SQLITE_CANTOPEN:
      return say(ErrorCode::io, "cannot be opened");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return say(ErrorCode::unavailable, "somebody else holds it");
    case SQLITE_NOTADB:
      return say(ErrorCode::malformed, "not a store");
    case SQLITE_CORRUPT:
      return say(ErrorCode::malformed, "damaged");
    case SQLITE_NOMEM:
      throw std::bad_alloc();
    default:
      return {ErrorCode::io, where + ": " + sqlite3_errstr(code)};
  }
}

Result<void> migrate(sqlite3* database, std::span<const char* const> steps, const std::string& where) {
  const auto execute = [&](const char* sql) { return sqlite3_exec(database, sql, nullptr, nullptr, nullptr); };
  const auto version = [&](std::int64_t& number) {
    Statement read;
    if (const int code = read.prepare(database, "PRAGMA user_version"); code != SQLITE_OK) return code;
    if (const int code = read.step(); code != SQLITE_ROW) return code;
    number = read.number(0);
    return SQLITE_OK;
  };
  std::int64_t now = 0;
  if (const int code = version(now); code != SQLITE_OK) return sqlite_error(where, code);
  const auto last = static_cast<std::int64_t>(steps.size());
  if (now == last) return {};
  if (int code = execute("BEGIN EXCLUSIVE"); code != SQLITE_OK) return sqlite_error(where, code);
  int code = version(now);  // somebody may have been faster
  if (code == SQLITE_OK && (now < 0 || now > last)) {
    execute("ROLLBACK");
    return Error{ErrorCode::mismatch, where + ": written by another program or a later version (form " +
                                          std::to_string(now) + ", known: up to " + std::to_string(last) + ")"};
  }
  for (; code == SQLITE_OK && now < last; ++now) code = execute(steps[static_cast<std::size_t>(now)]);
  if (code == SQLITE_OK) code = execute(("PRAGMA user_version = " + std::to_string(last)).c_str());
  if (code == SQLITE_OK) code = execute("COMMIT");
  if (code == SQLITE_OK) return {};
  execute("ROLLBACK");
  return sqlite_error(where, code);
}

}  // namespace ppgnn::store
