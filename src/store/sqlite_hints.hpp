#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/store/store.hpp"
#include "store/sqlite.hpp"

/// Texts by name, and hints, in a SQLite file. All return SQLite's code, SQLITE_OK where it is done.
namespace ppgnn::store {

int keep_text(sqlite3* database, std::string_view name, std::string_view text);
int read_kept(sqlite3* database, std::string_view name, std::optional<std::string>& text);
/// SQLITE_MISMATCH where somebody has another one.
int put_hints(sqlite3* database, std::span<const Asked> hints);
int read_hint(sqlite3* database, std::string_view name, std::vector<std::uint8_t>& hint);

}  // namespace ppgnn::store
