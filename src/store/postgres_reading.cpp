// What only reads. A long reading is cut into pieces that each begin after the last one of the piece before: no statement takes long, and
// whoever has enough stops.
#include <algorithm>

#include "store/postgres_form.hpp"
#include "store/postgres_store.hpp"

namespace ppgnn::store {

namespace {

constexpr std::size_t kRowsRead = 10'000;
constexpr auto kTrusted = std::chrono::seconds(30);  // a generation of which nobody announced the end

// From a name on, and after one: the empty name is one, too.
constexpr Sql kPeopleFrom{"SELECT " PPGNN_STANDING " FROM ppgnn.people p" PPGNN_ASKED
                          "WHERE p.campaign = $1::bigint AND p.name >= $2::bytea ORDER BY p.name LIMIT $3::bigint",
                          "people_from"};
constexpr Sql kPeopleAfter{"SELECT " PPGNN_STANDING " FROM ppgnn.people p" PPGNN_ASKED
                           "WHERE p.campaign = $1::bigint AND p.name > $2::bytea ORDER BY p.name LIMIT $3::bigint",
                           "people_after"};
constexpr Sql kAskedFrom{
    "SELECT name, question FROM ppgnn.asked WHERE campaign = $1::bigint AND round = $2::bigint AND name >= $3::bytea "
    "ORDER BY name LIMIT 10000",
    "asked_from"};
constexpr Sql kAskedAfter{
    "SELECT name, question FROM ppgnn.asked WHERE campaign = $1::bigint AND round = $2::bigint AND name > $3::bytea "
    "ORDER BY name LIMIT 10000",
    "asked_after"};
constexpr Sql kReports{
    "SELECT name, bytes, number FROM ppgnn.reports WHERE campaign = $1::bigint AND round = $2::bigint AND number > "
    "$3::bigint AND bytes IS NOT NULL ORDER BY number LIMIT 10000",
    "reports"};
constexpr Sql kStandings{
    "SELECT " PPGNN_STANDING
    ", g.place FROM unnest($2::bytea[]) WITH ORDINALITY AS g(name, place) JOIN ppgnn.people p ON p.campaign = "
    "$1::bigint AND p.name = g.name" PPGNN_ASKED,
    "standings"};
constexpr Sql kReported{
    "SELECT 1 FROM ppgnn.reports WHERE campaign = $1::bigint AND name = $2::bytea AND bytes IS NOT NULL", "reported"};
constexpr Sql kGeneration{"SELECT generation FROM ppgnn.campaign WHERE id = $1::bigint", "generation"};
constexpr Sql kCounts{
    "SELECT coalesce(e.people, 0), coalesce(c.erasures, 0), p.reports FROM (SELECT $1::bigint AS key) one"
    " LEFT JOIN ppgnn.enrolled e ON e.campaign = key LEFT JOIN ppgnn.campaign c ON c.id = key"
    " LEFT JOIN ppgnn.progress p ON p.campaign = key ORDER BY p.round",
    "counts"};

}  // namespace

Result<std::optional<Campaign>> PostgresStore::campaign() {
  const std::lock_guard lock(scan_mutex_);
  // One statement, so that all of it is of one moment.
  const Result<Rows> rows =
      ask(scanner_,
          {"SELECT c.name, c.split, c.generation, c.concluded, r.plan, r.people, p.open, c.archived, c.removed FROM "
           "ppgnn.campaign c"
           " LEFT JOIN (ppgnn.rounds r JOIN ppgnn.progress p ON p.campaign = r.campaign AND p.round = r.number)"
           " ON r.campaign = c.id WHERE c.id = $1::bigint ORDER BY r.number"},
          with_key());
  if (!rows) return rows.error();
  if (rows->count() == 0) return std::optional<Campaign>();
  Campaign found;
  found.name = rows->text(0, 0);
  found.split = rows->text(0, 1);
  found.generation = static_cast<std::uint64_t>(rows->number(0, 2));
  found.concluded = rows->number(0, 3) != 0;
  found.archived = rows->number(0, 7) != 0;
  found.removed = rows->text(0, 8);
  for (int i = 0; i < rows->count() && !rows->is_null(i, 4); ++i) {
    found.rounds.push_back({std::string(rows->text(i, 4)), std::string(rows->text(i, 5)), rows->number(i, 6) != 0});
  }
  return std::optional(std::move(found));
}

// Steps are announced to the connection that listens: the database is asked when there was one, or now and then.
Result<std::uint64_t> PostgresStore::generation() {
  const std::lock_guard lock(read_mutex_);
  const auto now = std::chrono::steady_clock::now();
  const bool told = reader_.was_told();
  if (!stepped_.exchange(false) && !told && now - asked_at_ < kTrusted) return generation_;
  const Result<Rows> rows = ask(reader_, kGeneration, with_key());
  if (!rows) {
    stepped_ = true;  // perhaps
    return rows.error();
  }
  generation_ = rows->count() == 0 ? 0 : static_cast<std::uint64_t>(rows->number(0, 0));
  asked_at_ = now;
  return generation_;
}

Result<std::optional<std::string>> PostgresStore::predictions() {
  const std::lock_guard lock(scan_mutex_);
  const Result<Rows> rows =
      ask(scanner_, {"SELECT predictions FROM ppgnn.campaign WHERE id = $1::bigint AND predictions IS NOT NULL"},
          with_key());
  if (!rows) return rows.error();
  if (rows->count() == 0) return std::optional<std::string>();
  return std::optional(std::string(rows->text(0, 0)));
}

Result<std::vector<std::string>> PostgresStore::texts(const Sql& sql) {
  const std::lock_guard lock(scan_mutex_);
  const Result<Rows> rows = ask(scanner_, sql, with_key());
  if (!rows) return rows.error();
  std::vector<std::string> all;
  for (int i = 0; i < rows->count(); ++i) all.emplace_back(rows->text(i, 0));
  return all;
}

Result<std::vector<std::string>> PostgresStore::erased() {
  return texts({"SELECT name FROM ppgnn.people WHERE campaign = $1::bigint AND erased ORDER BY name"});
}

Result<std::vector<std::string>> PostgresStore::receipts() {
  return texts(
      {"SELECT r.receipt FROM ppgnn.people p JOIN ppgnn.reports r ON r.campaign = p.campaign AND r.name = p.name WHERE "
       "p.campaign = $1::bigint AND p.erased ORDER BY p.name"});
}

Result<std::vector<Standing>> PostgresStore::standings(std::span<const std::string_view> names) {
  std::vector<Standing> found(names.size());
  const std::lock_guard lock(read_mutex_);
  const Result<Rows> rows =
      ask(reader_, kStandings, with_key().byte_arrays(names.size(), [&](std::size_t i) { return names[i]; }));
  if (!rows) return rows.error();
  for (int i = 0; i < rows->count(); ++i) {
    found[static_cast<std::size_t>(rows->number(i, 5) - 1)] = read_standing(*rows, i);
  }
  return found;
}

Result<bool> PostgresStore::reported(std::string_view name) {
  const std::lock_guard lock(read_mutex_);
  const Result<Rows> rows = ask(reader_, kReported, with_key().bytes(name));
  if (!rows) return rows.error();
  return rows->count() > 0;
}

Result<void> PostgresStore::each_person(const TakePerson& take, std::optional<std::string_view> after,
                                        std::size_t most) {
  std::string last(after.value_or(""));
  for (bool first = !after; most > 0; first = false) {
    const std::size_t piece = std::min(most, kRowsRead);
    const std::lock_guard lock(scan_mutex_);
    const Result<Rows> rows = ask(scanner_, first ? kPeopleFrom : kPeopleAfter,
                                  with_key().bytes(last).number(static_cast<std::int64_t>(piece)));
    if (!rows) return rows.error();
    const int count = rows->count();
    for (int i = 0; i < count; ++i) {
      if (!take(rows->text(i, 4), read_standing(*rows, i))) return {};
    }
    if (count < static_cast<int>(piece)) return {};
    last = rows->text(count - 1, 4);
    most -= piece;
  }
  return {};
}

Result<void> PostgresStore::each_asked(std::uint32_t round, const TakeBytes& take) {
  std::string last;
  for (bool first = true;; first = false) {
    const std::lock_guard lock(scan_mutex_);
    const Result<Rows> rows = ask(scanner_, first ? kAskedFrom : kAskedAfter, with_key().number(round).bytes(last));
    if (!rows) return rows.error();
    const int count = rows->count();
    for (int i = 0; i < count; ++i) {
      if (!take(rows->text(i, 0), rows->bytes(i, 1))) return {};
    }
    if (count < static_cast<int>(kRowsRead)) return {};
    last = rows->text(count - 1, 0);
  }
}

Result<void> PostgresStore::each_report(std::uint32_t round, const TakeBytes& take) {
  std::int64_t last = -1;
  while (true) {
    const std::lock_guard lock(scan_mutex_);
    const Result<Rows> rows = ask(scanner_, kReports, with_key().number(round).number(last));
    if (!rows) return rows.error();
    const int count = rows->count();
    for (int i = 0; i < count; ++i) {
      if (!take(rows->text(i, 0), rows->bytes(i, 1))) return {};
    }
    if (count < static_cast<int>(kRowsRead)) return {};
    last = rows->number(count - 1, 2);
  }
}

Result<Counts> PostgresStore::counts() {
  const std::lock_guard lock(read_mutex_);
  const Result<Rows> rows = ask(reader_, kCounts, with_key());
  if (!rows) return rows.error();
  Counts found;
  found.enrolled = static_cast<std::uint64_t>(rows->number(0, 0));
  found.erased = static_cast<std::uint64_t>(rows->number(0, 1));
  for (int i = 0; i < rows->count() && !rows->is_null(i, 2); ++i) {
    found.reports.push_back(static_cast<std::uint64_t>(rows->number(i, 2)));
  }
  return found;
}

}  // namespace ppgnn::store
