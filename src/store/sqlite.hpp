#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"

/// SQLite, as much of it as the store needs.
namespace ppgnn::store {

struct CloseDatabase {
  void operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

/// The error of a result code: what a person can do something about, in words; never a bound value.
[[nodiscard]] Error sqlite_error(const std::string& where, int code);

/// A prepared statement, used again and again.
class Statement {
 public:
  Statement() = default;
  [[nodiscard]] int prepare(sqlite3* database, const char* sql) noexcept {
    sqlite3_stmt* made = nullptr;
    const int code = sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &made, nullptr);
    statement_.reset(made);
    return code;
  }

  // Bound text and bytes must live until the statement is reset.
  Statement& bind(int place, std::string_view text) noexcept {
    sqlite3_bind_blob64(statement_.get(), place, text.data() == nullptr ? "" : text.data(), text.size(), SQLITE_STATIC);
    return *this;
  }
  Statement& bind(int place, std::span<const std::uint8_t> bytes) noexcept {
    return bind(place, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  /// As text, where SQLite itself reads it.
  Statement& bind_text(int place, std::string_view text) noexcept {
    sqlite3_bind_text64(statement_.get(), place, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
    return *this;
  }
  Statement& bind(int place, std::int64_t number) noexcept {
    sqlite3_bind_int64(statement_.get(), place, number);
    return *this;
  }

  [[nodiscard]] int step() noexcept { return sqlite3_step(statement_.get()); }
  /// Runs it to its end; SQLITE_OK, or the error.
  [[nodiscard]] int run() noexcept {
    int code = step();
    while (code == SQLITE_ROW) code = step();
    reset();
    return code == SQLITE_DONE ? SQLITE_OK : code;
  }
  void reset() noexcept {
    sqlite3_reset(statement_.get());
    sqlite3_clear_bindings(statement_.get());
  }

  [[nodiscard]] bool is_null(int column) const noexcept {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
  }
  [[nodiscard]] std::int64_t number(int column) const noexcept {
    return sqlite3_column_int64(statement_.get(), column);
  }
  /// Lives until the next step.
  [[nodiscard]] std::span<const std::uint8_t> bytes(int column) const noexcept {
    const auto* data = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_.get(), column));
    return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
  }
  [[nodiscard]] std::string_view text(int column) const noexcept {
    const auto view = bytes(column);
    return {reinterpret_cast<const char*>(view.data()), view.size()};
  }

 private:
  struct Finalise {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalise> statement_;
};

/// A transaction that is undone unless it is committed.
class Transaction {
 public:
  explicit Transaction(sqlite3* database) : database_(database) {}
  ~Transaction() {
    if (sqlite3_get_autocommit(database_) == 0) sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  /// To write, from the start: what is read is what is true when it is committed.
  [[nodiscard]] int begin() noexcept { return sqlite3_exec(database_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr); }
  [[nodiscard]] int commit() noexcept { return sqlite3_exec(database_, "COMMIT", nullptr, nullptr, nullptr); }

 private:
  sqlite3* database_;
};

/// Brings a database up to date: step k makes version k + 1, all missing steps in one transaction. The version is SQLite's
/// user_version.
///
/// Errors  mismatch for a version after the last step; those of the statements, and then nothing is changed.
[[nodiscard]] Result<void> migrate(sqlite3* database, std::span<const char* const> steps, const std::string& where);

}  // namespace ppgnn::store
