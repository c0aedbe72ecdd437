// Beside the reports: what was done and by whom, steps that somebody asked for, and the end of a campaign.
#include <algorithm>

#include "store/now.hpp"
#include "store/open.hpp"
#include "store/postgres_form.hpp"
#include "store/postgres_store.hpp"
#include "store/receipt.hpp"

namespace ppgnn::store {

namespace {

Entry read_entry(const Rows& rows, int row) {
  Entry entry{static_cast<std::uint64_t>(rows.number(row, 0)),
              rows.number(row, 1),
              std::string(rows.text(row, 2)),
              std::string(rows.text(row, 3)),
              {}};
  const auto hash = rows.bytes(row, 4);
  if (hash.size() == entry.hash.size()) std::copy(hash.begin(), hash.end(), entry.hash.begin());
  return entry;
}

Work read_one(const Rows& rows, int row) {
  return {static_cast<std::uint64_t>(rows.number(row, 0)), std::string(rows.text(row, 1)),
          std::string(rows.text(row, 2)), std::string(rows.text(row, 3)), rows.number(row, 4)};
}

constexpr const char* kEmptied[] = {
    "DELETE FROM ppgnn.reports WHERE campaign = $1::bigint",  "DELETE FROM ppgnn.asked WHERE campaign = $1::bigint",
    "DELETE FROM ppgnn.people WHERE campaign = $1::bigint",   "DELETE FROM ppgnn.progress WHERE campaign = $1::bigint",
    "DELETE FROM ppgnn.rounds WHERE campaign = $1::bigint",   "DELETE FROM ppgnn.work WHERE campaign = $1::bigint",
    "DELETE FROM ppgnn.enrolled WHERE campaign = $1::bigint", "DELETE FROM ppgnn.kept WHERE campaign = $1::bigint",
    "DELETE FROM ppgnn.hints WHERE campaign = $1::bigint"};

}  // namespace

// The lock is taken last, so that nobody who has it waits for a row.
Result<void> PostgresConnections::note(std::string_view who, const std::string& what) {
  const Result<Rows> held = run({"SELECT pg_advisory_xact_lock($2::bigint::integer, $1::bigint::integer)"},
                                with_key().number(kPostgresTrail));
  if (!held) return held.error();
  const Result<Rows> last = run({"SELECT number, time, who, what, hash FROM ppgnn.trail WHERE campaign = $1::bigint "
                                 "ORDER BY number DESC LIMIT 1"},
                                with_key());
  if (!last) return last.error();
  std::optional<Entry> before;
  if (last->count() > 0) before = read_entry(*last, 0);
  const Entry entry = next_entry(before ? &*before : nullptr, seconds_now(), who, what);
  const Result<Rows> added =
      run({"INSERT INTO ppgnn.trail VALUES($1::bigint, $2::bigint, $3::bigint, $4::bytea, $5::bytea, $6::bytea)"},
          with_key()
              .number(static_cast<std::int64_t>(entry.number))
              .number(entry.time)
              .bytes(entry.who)
              .bytes(entry.what)
              .bytes(std::span<const std::uint8_t>(entry.hash)));
  return added ? Result<void>() : added.error();
}

Result<void> PostgresConnections::refuse_archived() {
  const Result<Rows> archived = run({"SELECT 1 FROM ppgnn.campaign WHERE id = $1::bigint AND archived"}, with_key());
  if (!archived) return archived.error();
  return archived->count() == 0 ? Result<void>() : mismatch("the campaign is archived");
}

Result<void> PostgresStore::archive() {
  return write(Hold::alone, [&]() -> Result<void> {
    const Result<Rows> there =
        run({"SELECT archived, EXISTS (SELECT 1 FROM ppgnn.progress WHERE campaign = $1::bigint AND open) FROM "
             "ppgnn.campaign WHERE id = $1::bigint"},
            with_key());
    if (!there) return there.error();
    if (there->count() == 0) return mismatch("there is no campaign in it");
    if (there->number(0, 0) != 0) return {};
    if (there->number(0, 1) != 0) return mismatch("a round is open");
    const Result<Rows> archived = run({"UPDATE ppgnn.campaign SET archived = true WHERE id = $1::bigint"}, with_key());
    return archived ? step_done(who_, "archive") : archived.error();
  });
}

Result<std::string> PostgresStore::remove() {
  std::string receipt;
  const Result<void> removed = write(Hold::alone, [&]() -> Result<void> {
    const Result<Rows> there = run({"SELECT archived, removed FROM ppgnn.campaign WHERE id = $1::bigint"}, with_key());
    if (!there) return there.error();
    if (there->count() == 0 || there->number(0, 0) == 0) {
      return mismatch("only a campaign that is archived can be removed");
    }
    receipt = there->text(0, 1);
    if (!receipt.empty()) return {};
    for (const char* sql : kEmptied) {
      if (const Result<Rows> emptied = run({sql}, with_key()); !emptied) return emptied.error();
    }
    receipt = new_receipt();
    const Result<Rows> done = run({"UPDATE ppgnn.campaign SET split = '', predictions = NULL, concluded = false, "
                                   "erasures = 0, removed = $2::bytea WHERE id = "
                                   "$1::bigint"},
                                  with_key().bytes(receipt));
    return done ? step_done(who_, "remove " + receipt) : done.error();
  });
  if (!removed) return removed.error();
  return receipt;
}

Result<std::vector<Entry>> PostgresStore::trail() {
  const std::lock_guard lock(scan_mutex_);
  const Result<Rows> rows = ask(
      scanner_, {"SELECT number, time, who, what, hash FROM ppgnn.trail WHERE campaign = $1::bigint ORDER BY number"},
      with_key());
  if (!rows) return rows.error();
  std::vector<Entry> all;
  for (int i = 0; i < rows->count(); ++i) all.push_back(read_entry(*rows, i));
  return all;
}

Result<std::uint64_t> PostgresStore::request(std::string_view step) {
  std::uint64_t number = 0;
  const Result<void> written = write(Hold::alone, [&]() -> Result<void> {
    if (Result<void> refused = refuse_archived(); !refused) return refused;
    const Result<Rows> waits =
        run({"SELECT number FROM ppgnn.work WHERE campaign = $1::bigint AND step = $2::bytea AND state = 'waiting'"},
            with_key().bytes(step));
    if (!waits) return waits.error();
    if (waits->count() > 0) {
      number = static_cast<std::uint64_t>(waits->number(0, 0));
      return {};
    }
    const Result<Rows> added =
        run({"INSERT INTO ppgnn.work SELECT $1::bigint, coalesce(max(number), 0) + 1, $2::bytea, 'waiting', '', "
             "$3::bigint FROM ppgnn.work WHERE campaign = $1::bigint RETURNING number"},
            with_key().bytes(step).number(seconds_now()));
    if (!added) return added.error();
    number = static_cast<std::uint64_t>(added->number(0, 0));
    return {};
  });
  if (!written) return written.error();
  return number;
}

Result<std::optional<Work>> PostgresStore::take_work() {
  std::optional<Work> one;
  const Result<void> written = write(Hold::alone, [&]() -> Result<void> {
    const std::int64_t now = seconds_now();
    const Result<Rows> taken = run(
        {"UPDATE ppgnn.work SET state = 'working', told = $2::bigint WHERE campaign = $1::bigint AND number = (SELECT "
         "min(number) FROM ppgnn.work WHERE campaign = $1::bigint AND (state = 'waiting' OR (state = 'working' AND "
         "told < $3::bigint))) RETURNING number, step, state, progress, told"},
        with_key().number(now).number(now - kSilence));
    if (!taken) return taken.error();
    if (taken->count() > 0) one = read_one(*taken, 0);
    return {};
  });
  if (!written) return written.error();
  return one;
}

Result<void> PostgresStore::tell_work(std::uint64_t number, std::string_view state, std::string_view progress) {
  return write(Hold::shared, [&]() -> Result<void> {
    const Result<Rows> told =
        run({"UPDATE ppgnn.work SET state = $3::bytea, progress = $4::bytea, told = $5::bigint WHERE campaign = "
             "$1::bigint AND number = $2::bigint AND state = 'working'"},
            with_key().number(static_cast<std::int64_t>(number)).bytes(state).bytes(progress).number(seconds_now()));
    if (!told) return told.error();
    return told->changed() == 1 ? Result<void>() : mismatch("nobody works on request " + std::to_string(number));
  });
}

Result<std::vector<Work>> PostgresStore::work() {
  const std::lock_guard lock(scan_mutex_);
  const Result<Rows> rows =
      ask(scanner_,
          {"SELECT number, step, state, progress, told FROM ppgnn.work WHERE campaign = $1::bigint ORDER BY number"},
          with_key());
  if (!rows) return rows.error();
  std::vector<Work> all;
  for (int i = 0; i < rows->count(); ++i) all.push_back(read_one(*rows, i));
  return all;
}

Result<std::vector<std::string>> list_postgres(const Where& where) {
  if (Result<void> good = check_place(where.path); !good) return good.error();
  PostgresConnection connection(where.written, where.path, "SET search_path = pg_catalog");
  if (const Result<bool> connected = connection.connect(); !connected) return connected.error();
  const Result<Rows> rows = connection.run({"SELECT name FROM ppgnn.campaign"});
  if (!rows) return rows.error();
  std::vector<std::string> names;
  for (int i = 0; i < rows->count(); ++i) names.emplace_back(rows->text(i, 0));
  return names;
}

}  // namespace ppgnn::store
