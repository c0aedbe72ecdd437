#include "store/postgres_connections.hpp"

#include <string_view>

#include "store/postgres_form.hpp"

namespace ppgnn::store {

namespace {

// Flushed at every commit, whatever the server's default; no waiting for ever; nobody's functions under our names.
constexpr std::string_view kGreeting =
    "SET search_path = pg_catalog; SET client_min_messages = error; SET lock_timeout = '10s';"
    "SET idle_in_transaction_session_timeout = 0;"
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';";

std::string lock_text(bool alone, std::int64_t key) {
  return std::string("SELECT pg_advisory_xact_lock") + (alone ? "(" : "_shared(") +
         std::to_string(kPostgresApplication) + ", " + std::to_string(key) + ")";
}

}  // namespace

PostgresConnections::PostgresConnections(const Where& where)
    : where_(where.written),
      name_(where.name),
      writer_(where.written, where.path, std::string(kGreeting)),
      reader_(where.written, where.path, std::string(kGreeting) + "LISTEN ppgnn"),
      scanner_(where.written, where.path, std::string(kGreeting)) {}

Result<std::int64_t> PostgresConnections::form(PostgresConnection& connection, Opening opening) const {
  const Result<Rows> there = connection.run(
      {"SELECT to_regclass('ppgnn.form') IS NOT NULL, count(c.oid) FROM pg_class c WHERE c.relnamespace = "
       "to_regnamespace('ppgnn')::oid"});
  if (!there) return there.error();
  if (there->number(0, 0) == 0) {
    if (opening == Opening::create && there->number(0, 1) == 0) return std::int64_t{0};
    return Error{ErrorCode::malformed, where_ + ": not a store"};
  }
  const Result<Rows> version = connection.run({"SELECT application, version FROM ppgnn.form"});
  if (!version) return version.error();
  if (version->count() != 1 || version->number(0, 0) != kPostgresApplication) {
    return Error{ErrorCode::malformed, where_ + ": not a store"};
  }
  const std::int64_t now = version->number(0, 1);
  constexpr auto kLast = static_cast<std::int64_t>(kPostgresMigrations.size());
  if (now >= 1 && now <= kLast) return now;
  return Error{ErrorCode::mismatch, where_ + ": written by another program or a later version (form " +
                                        std::to_string(now) + ", known: up to " + std::to_string(kLast) + ")"};
}

Result<void> PostgresConnections::connect(Opening opening) {
  if (Result<bool> connected = writer_.connect(); !connected) return connected.error();
  const Result<std::int64_t> now = form(writer_, opening);
  if (!now) return now.error();
  if (*now != static_cast<std::int64_t>(kPostgresMigrations.size())) {
    if (Result<void> migrated = migrate(); !migrated) return migrated;
  }
  return find_campaign(opening);
}

// The one of this name; without a name the only one.
Result<void> PostgresConnections::find_campaign(Opening opening) {
  const Result<Rows> all = writer_.run({"SELECT id, name FROM ppgnn.campaign ORDER BY id"});
  if (!all) return all.error();
  std::vector<std::string> names;
  for (int i = 0; i < all->count(); ++i) {
    if (!name_.empty() && all->text(i, 1) != name_) continue;
    key_ = all->number(i, 0);
    names.emplace_back(all->text(i, 1));
  }
  if (names.size() > 1) return several({where_, "", ""}, names);
  if (names.empty() && !name_.empty()) key_ = 0;
  return opening == Opening::create ? Result<void>() : is_chosen();
}

Result<void> PostgresConnections::migrate() {
  // Key 0 is no campaign's.
  const auto step = [&](const std::string& sql) -> Result<void> {
    if (Result<Rows> done = writer_.execute(sql); !done) return done.error();
    return {};
  };
  const auto all = [&]() -> Result<void> {
    Result<void> done = step("BEGIN ISOLATION LEVEL READ COMMITTED; " + lock_text(true, 0));
    if (!done) return done;
    const Result<std::int64_t> now = form(writer_, Opening::create);  // somebody may have been faster
    if (!now) return now.error();
    if (*now == 0) {
      const Result<Rows> missing = writer_.run({"SELECT to_regnamespace('ppgnn') IS NULL"});
      if (!missing) return missing.error();
      if (missing->number(0, 0) != 0) done = step("CREATE SCHEMA ppgnn");
    }
    for (auto i = static_cast<std::size_t>(*now); done && i < kPostgresMigrations.size(); ++i) {
      done = step(kPostgresMigrations[i]);
    }
    if (done) done = step("UPDATE ppgnn.form SET version = " + std::to_string(kPostgresMigrations.size()));
    return done ? commit() : done;
  };
  Result<void> done = all();
  if (!done && writer_.in_transaction()) static_cast<void>(writer_.execute("ROLLBACK"));
  return done;
}

void PostgresConnections::begin_writing(Hold hold) {
  first_ = {"BEGIN ISOLATION LEVEL READ COMMITTED", lock_text(hold == Hold::alone, key_)};
  last_.clear();
}

Result<Rows> PostgresConnections::run(const Sql& sql, const Parameters& parameters) {
  if (first_.empty()) return writer_.run(sql, parameters);
  return writer_.run_after(std::exchange(first_, {}), sql, parameters);
}

// PostgreSQL answers the commit of a failed transaction with success, and undoes it.
Result<void> PostgresConnections::commit() {
  const Result<Rows> done = writer_.execute(std::exchange(last_, "") + "COMMIT");
  if (!done) return done.error();
  if (done->tag() != "COMMIT") return Error{ErrorCode::unavailable, where_ + ": undone by the database"};
  return {};
}

Result<void> PostgresConnections::step_done(std::string_view who, const std::string& what) {
  const Result<Rows> stepped =
      run({"UPDATE ppgnn.campaign SET generation = generation + 1 WHERE id = $1::bigint"}, with_key());
  if (!stepped) return stepped.error();
  last_ = "NOTIFY ppgnn; ";
  return note(who, what);
}

Result<Rows> PostgresConnections::ask(PostgresConnection& connection, const Sql& sql, const Parameters& parameters) {
  for (int attempt = 0;; ++attempt) {
    if (Result<bool> connected = connection.connect(); !connected) return connected.error();
    Result<Rows> rows = connection.run(sql, parameters);
    if (rows || attempt == 1 || !connection.is_lost()) return rows;
  }
}

}  // namespace ppgnn::store
