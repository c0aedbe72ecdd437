#pragma once

#include <array>
#include <cstdint>

#include "ppgnn/store/store.hpp"
#include "store/sqlite.hpp"

namespace ppgnn::store {

/// One step a version of the form, docs/formats/store.md. What is there is never changed: another version is another step.
/// A person has one row in `reports`: the report, or after erasure the receipt.
constexpr std::array<const char*, 4> kMigrations{
    "PRAGMA application_id = 1347438414;"
    "CREATE TABLE campaign(one INTEGER PRIMARY KEY CHECK(one = 1), name BLOB NOT NULL, split BLOB NOT NULL,"
    " generation INTEGER NOT NULL, erasures INTEGER NOT NULL, predictions BLOB) STRICT;"
    "CREATE TABLE rounds(number INTEGER PRIMARY KEY, plan BLOB NOT NULL, people BLOB NOT NULL, open INTEGER NOT NULL) "
    "STRICT;"
    "CREATE TABLE people(name BLOB PRIMARY KEY, level INTEGER, erased INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT "
    "ROWID;"
    "CREATE TABLE asked(name BLOB PRIMARY KEY, round INTEGER NOT NULL, question BLOB NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE reports(number INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, round INTEGER NOT NULL, bytes BLOB,"
    " receipt BLOB) STRICT;",
    // Counters, and `open` out of rows that hold long lists: what is asked for often is found without reading any of that.
    "CREATE TABLE progress(round INTEGER PRIMARY KEY, open INTEGER NOT NULL, reports INTEGER NOT NULL) STRICT;"
    "INSERT INTO progress SELECT number, open, coalesce(came, 0) FROM rounds LEFT JOIN (SELECT round, count(*) AS came "
    "FROM reports WHERE bytes IS NOT NULL GROUP BY round) ON round = number;"
    "ALTER TABLE rounds DROP COLUMN open;"
    "CREATE TABLE enrolled(one INTEGER PRIMARY KEY CHECK(one = 1), people INTEGER NOT NULL) STRICT;"
    "INSERT INTO enrolled SELECT 1, count(*) FROM people;"
    "CREATE INDEX erased ON people(name) WHERE erased = 1;",
    // Campaigns that ended, what was done, and steps that somebody asked for.
    "ALTER TABLE campaign ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE campaign ADD COLUMN removed BLOB;"
    "CREATE TABLE trail(number INTEGER PRIMARY KEY, time INTEGER NOT NULL, who BLOB NOT NULL, what BLOB NOT NULL, hash "
    "BLOB NOT NULL) STRICT;"
    "CREATE TABLE work(number INTEGER PRIMARY KEY, step BLOB NOT NULL, state BLOB NOT NULL, progress BLOB NOT NULL, "
    "told INTEGER NOT NULL) STRICT;",
    // Decisions at home: texts by name, and what each person's device is told.
    "CREATE TABLE kept(name BLOB PRIMARY KEY, text BLOB NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE hints(name BLOB PRIMARY KEY, hint BLOB NOT NULL) STRICT, WITHOUT ROWID;"};
constexpr std::int64_t kApplication = 1347438414;  // "PPGN"

/// What is known of a person, and how a row of it is read.
inline constexpr const char* kStanding =
    "SELECT p.level, a.round, a.question, p.erased, p.name FROM people p LEFT JOIN asked a ON a.name = p.name";

inline Standing read_standing(const Statement& row) {
  Standing one;
  one.enrolled = true;
  if (!row.is_null(0)) one.level = static_cast<std::uint32_t>(row.number(0));
  if (!row.is_null(1)) one.round = static_cast<std::uint32_t>(row.number(1));
  const auto question = row.bytes(2);
  one.question.assign(question.begin(), question.end());
  one.erased = row.number(3) != 0;
  return one;
}

}  // namespace ppgnn::store
