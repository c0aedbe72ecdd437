#include "store/postgres_store.hpp"

#include <algorithm>
#include <numeric>

#include "store/open.hpp"
#include "store/postgres_form.hpp"
#include "store/receipt.hpp"

namespace ppgnn::store {

namespace {

constexpr std::size_t kRowsAtATime = 10'000;  // in one statement

// Calls `write` with some at a time; the first error ends it.
template <class Write>
Result<void> in_pieces(std::size_t count, Write&& write) {
  for (std::size_t first = 0; first < count; first += kRowsAtATime) {
    if (Result<void> written = write(first, std::min(kRowsAtATime, count - first)); !written) return written;
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Store>> PostgresStore::open(const Where& where, Opening opening) {
  if (Result<void> good = check_place(where.path); !good) return good.error();
  std::unique_ptr<PostgresStore> store(new PostgresStore(where));
  if (Result<void> opened = store->connect(opening); !opened) return opened.error();
  return std::unique_ptr<Store>(std::move(store));
}

Result<void> PostgresStore::begin(std::string_view name, std::string_view split) {
  if (!name_.empty() && name != name_) return mismatch("is of another campaign than " + std::string(name));
  const std::int64_t before = key_;
  Result<void> begun = write_in_any(Hold::alone, [&]() -> Result<void> {
    if (before == 0) {  // whoever looks for a new key holds the lock of key 0, which is no campaign's
      const Result<Rows> key = run(
          {"SELECT coalesce((SELECT id FROM ppgnn.campaign WHERE name = $1::bytea), (SELECT coalesce(max(id), 0) + 1 "
           "FROM ppgnn.campaign))"},
          std::move(Parameters().bytes(name)));
      if (!key) return key.error();
      key_ = key->number(0, 0);
    }
    return write_beginning(name, split);
  });
  if (!begun) key_ = before;
  return begun;
}

Result<void> PostgresStore::write_beginning(std::string_view name, std::string_view split) {
  const Result<Rows> there =
      run({"SELECT name = $2::bytea AND split = $3::bytea FROM ppgnn.campaign WHERE id = $1::bigint"},
          with_key().bytes(name).bytes(split));
  if (!there) return there.error();
  if (there->count() > 0) {
    if (there->number(0, 0) != 0) return {};
    return mismatch("has another campaign, or the same with other parts of the data");
  }
  const Result<Rows> made =
      run({"INSERT INTO ppgnn.campaign(id, name, split, generation, erasures) VALUES($1::bigint, $2::bytea, $3::bytea, "
           "0, 0)"},
          with_key().bytes(name).bytes(split));
  return made ? step_done(who_, "begin " + std::string(name)) : made.error();
}

Result<void> PostgresStore::enrol(std::span<const Person> people) {
  return write(Hold::shared, [&] { return write_enrolment(people); });
}

Result<void> PostgresStore::write_enrolment(std::span<const Person> people) {
  if (Result<void> refused = refuse_archived(); !refused) return refused;
  std::vector<const Person*> sorted;
  for (const Person& person : people) sorted.push_back(&person);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Person* a, const Person* b) { return a->name < b->name; });
  std::int64_t added = 0;
  Result<void> written = in_pieces(sorted.size(), [&](std::size_t first, std::size_t count) -> Result<void> {
    const auto given = [&] {
      return with_key()
          .byte_arrays(count, [&](std::size_t i) { return std::string_view(sorted[first + i]->name); })
          .numbers(count, [&](std::size_t i) { return std::optional<std::int64_t>(sorted[first + i]->level); });
    };
    const Result<Rows> inserted =
        run({"INSERT INTO ppgnn.people(campaign, name, level) SELECT $1::bigint, g.name, g.level FROM "
             "unnest($2::bytea[], $3::bigint[]) AS g(name, level) ON CONFLICT DO NOTHING"},
            given());
    if (!inserted) return inserted.error();
    added += inserted->changed();
    const Result<Rows> others =
        run({"SELECT 1 FROM unnest($2::bytea[], $3::bigint[]) AS g(name, level) JOIN ppgnn.people p ON p.campaign = "
             "$1::bigint AND p.name = g.name WHERE p.level IS DISTINCT FROM g.level AND NOT p.erased LIMIT 1"},
            given());
    if (!others) return others.error();
    return others->count() == 0 ? Result<void>() : mismatch("somebody is enrolled with another level");
  });
  if (!written) return written;
  const Result<Rows> counted = run(
      {"INSERT INTO ppgnn.enrolled AS e VALUES($1::bigint, $2::bigint) ON CONFLICT (campaign) DO UPDATE SET people = "
       "e.people + excluded.people"},
      with_key().number(added));
  if (!counted) return counted.error();
  return added == 0 ? Result<void>() : note(who_, "enrol " + std::to_string(added) + " people");
}

Result<void> PostgresStore::publish(std::uint32_t number, const Round& round, std::span<const Asked> asked) {
  return write(Hold::alone, [&] { return write_round(number, round, asked); });
}

Result<void> PostgresStore::write_round(std::uint32_t number, const Round& round, std::span<const Asked> asked) {
  if (Result<void> refused = refuse_archived(); !refused) return refused;
  const Result<Rows> before =
      run({"SELECT r.number, p.open, r.plan = $2::bytea FROM ppgnn.rounds r JOIN ppgnn.progress p ON p.campaign = "
           "r.campaign AND p.round = r.number WHERE r.campaign = $1::bigint ORDER BY r.number"},
          with_key().bytes(round.plan));
  if (!before) return before.error();
  const int next = before->count();
  for (int i = 0; i < next; ++i) {
    if (before->number(i, 0) != number) continue;
    return before->number(i, 2) != 0 ? Result<void>() : mismatch("this round was published with another plan");
  }
  if (next > 0 && before->number(next - 1, 1) != 0) return mismatch("the round before is still open");
  if (number != static_cast<std::uint32_t>(next)) return mismatch("the next round is " + std::to_string(next));
  const Result<Rows> made = run({"INSERT INTO ppgnn.rounds VALUES($1::bigint, $2::bigint, $3::bytea, $4::bytea)"},
                                with_key().number(number).bytes(round.plan).bytes(round.people));
  if (!made) return made.error();
  const Result<Rows> opened =
      run({"INSERT INTO ppgnn.progress VALUES($1::bigint, $2::bigint, true, 0)"}, with_key().number(number));
  if (!opened) return opened.error();
  Result<void> written = in_pieces(asked.size(), [&](std::size_t first, std::size_t count) -> Result<void> {
    // No error of the server's, whose log would name somebody.
    const Result<Rows> inserted = run(
        {"INSERT INTO ppgnn.asked(campaign, name, round, question) SELECT $1::bigint, g.name, $2::bigint, g.question "
         "FROM unnest($3::bytea[], $4::bytea[]) AS g(name, question) ON CONFLICT DO NOTHING"},
        with_key()
            .number(number)
            .byte_arrays(count, [&](std::size_t i) { return std::string_view(asked[first + i].name); })
            .byte_arrays(count, [&](std::size_t i) { return std::span(asked[first + i].question); }));
    if (!inserted) return inserted.error();
    if (inserted->changed() == static_cast<std::int64_t>(count)) return {};
    return mismatch("somebody is in two rounds, and people report once a campaign");
  });
  return written ? step_done(who_, "publish round " + std::to_string(number)) : written;
}

Result<void> PostgresStore::close(std::uint32_t number) {
  return write(Hold::alone, [&]() -> Result<void> {
    const Result<Rows> there =
        run({"SELECT open FROM ppgnn.progress WHERE campaign = $1::bigint AND round = $2::bigint"},
            with_key().number(number));
    if (!there) return there.error();
    if (there->count() == 0) return mismatch("there is no round " + std::to_string(number));
    if (there->number(0, 0) == 0) return {};
    const Result<Rows> closed =
        run({"UPDATE ppgnn.progress SET open = false WHERE campaign = $1::bigint AND round = $2::bigint"},
            with_key().number(number));
    return closed ? step_done(who_, "close round " + std::to_string(number)) : closed.error();
  });
}

Result<void> PostgresStore::conclude(std::string_view predictions) {
  return write(Hold::alone, [&]() -> Result<void> {
    if (Result<void> refused = refuse_archived(); !refused) return refused;
    const Result<Rows> written =
        run({"UPDATE ppgnn.campaign SET predictions = $2::bytea, concluded = true WHERE id = $1::bigint"},
            with_key().bytes(predictions));
    return written ? step_done(who_, "conclude " + to_hex(sha256(predictions))) : written.error();
  });
}

Result<void> PostgresStore::alone(const std::function<Result<void>()>& action) {
  const std::lock_guard lock(mutex_);
  if (alone_) return part(action);
  return once(Hold::alone, [&]() -> Result<void> {
    if (Result<Rows> held = run({"SELECT 1"}, {}); !held) return held.error();  // from now on
    const std::shared_ptr<void> until(nullptr, [this](void*) { alone_ = false; });
    alone_ = true;
    return action();
  });
}

Result<std::optional<std::string>> PostgresStore::erase(std::string_view name, std::optional<std::string_view> given) {
  std::optional<std::string> receipt;
  if (Result<void> erased = write(Hold::shared, [&] { return write_erasure(name, given, receipt); }); !erased) {
    return erased.error();
  }
  return receipt;
}

Result<void> PostgresStore::write_erasure(std::string_view name, std::optional<std::string_view> given,
                                          std::optional<std::string>& receipt) {
  receipt.reset();
  // Two erasures of one person: the second waits here, and finds the receipt.
  const Result<Rows> enrolled =
      run({"SELECT erased FROM ppgnn.people WHERE campaign = $1::bigint AND name = $2::bytea FOR UPDATE"},
          with_key().bytes(name));
  if (!enrolled) return enrolled.error();
  if (enrolled->count() == 0) return {};
  if (enrolled->number(0, 0) != 0) {
    const Result<Rows> before = run(
        {"SELECT receipt FROM ppgnn.reports WHERE campaign = $1::bigint AND name = $2::bytea"}, with_key().bytes(name));
    if (!before) return before.error();
    receipt = before->text(0, 0);
    return {};
  }
  const std::string made = given ? std::string(*given) : new_receipt();
  // A row for people without a report, so that none is taken; a report that is on its way is waited for.
  const Result<Rows> taken = run(
      {"INSERT INTO ppgnn.reports(campaign, round, number, name, receipt) VALUES($1::bigint, -1, "
       "nextval('ppgnn.groups') << 32, $2::bytea, $3::bytea) ON CONFLICT (campaign, name) DO UPDATE SET bytes = NULL, "
       "receipt = excluded.receipt RETURNING round"},
      with_key().bytes(name).bytes(made));
  if (!taken) return taken.error();
  constexpr const char* kChanges[] = {
      "UPDATE ppgnn.people SET level = NULL, erased = true WHERE campaign = $1::bigint AND name = $2::bytea",
      "UPDATE ppgnn.asked SET question = '' WHERE campaign = $1::bigint AND name = $2::bytea",
      "UPDATE ppgnn.hints SET hint = '' WHERE campaign = $1::bigint AND name = $2::bytea",
      "UPDATE ppgnn.campaign SET erasures = erasures + 1 WHERE id = $1::bigint AND $2::bytea IS NOT NULL"};
  const Result<Rows> counted =
      run({"UPDATE ppgnn.progress SET reports = reports - 1 WHERE campaign = $1::bigint AND round = $2::bigint"},
          with_key().number(taken->number(0, 0)));
  if (!counted) return counted.error();
  for (const char* sql : kChanges) {
    if (Result<Rows> changed = run({sql}, with_key().bytes(name)); !changed) return changed.error();
  }
  receipt = made;
  return note(who_, "erase " + made);
}

Result<void> PostgresStore::backup(const std::filesystem::path&) {
  return Error{ErrorCode::invalid_argument,
               where_ +
                   ": PostgreSQL makes its own backups (pg_dump, pg_basebackup); ppgnn campaign copy --to "
                   "sqlite:PATH makes a file that opens like a store"};
}

Result<std::unique_ptr<Store>> open_postgres(const Where& where, Opening opening) {
  return PostgresStore::open(where, opening);
}

}  // namespace ppgnn::store
