// Decisions at home: texts by name, and what each person's device is told.
#include <algorithm>

#include "ppgnn/core/sha256.hpp"
#include "store/postgres_store.hpp"

namespace ppgnn::store {

namespace {

constexpr std::size_t kHintsAtATime = 10'000;  // in one statement

// From a name on, and after one: the empty name is one, too. An erased person's is empty.
constexpr Sql kHintsFrom{
    "SELECT name, hint FROM ppgnn.hints WHERE campaign = $1::bigint AND name >= $2::bytea AND hint <> '' ORDER BY name "
    "LIMIT 10000",
    "hints_from"};
constexpr Sql kHintsAfter{
    "SELECT name, hint FROM ppgnn.hints WHERE campaign = $1::bigint AND name > $2::bytea AND hint <> '' ORDER BY name "
    "LIMIT 10000",
    "hints_after"};
constexpr Sql kHint{"SELECT hint FROM ppgnn.hints WHERE campaign = $1::bigint AND name = $2::bytea", "hint"};

}  // namespace

Result<void> PostgresStore::keep(std::string_view name, std::string_view text) {
  return write(Hold::alone, [&]() -> Result<void> {
    if (Result<void> refused = refuse_archived(); !refused) return refused;
    const Result<Rows> kept = run(
        {"INSERT INTO ppgnn.kept VALUES($1::bigint, $2::bytea, $3::bytea) ON CONFLICT (campaign, name) DO UPDATE SET "
         "text = excluded.text"},
        with_key().bytes(name).bytes(text));
    return kept ? step_done(who_, "keep " + std::string(name) + ' ' + to_hex(sha256(text))) : kept.error();
  });
}

Result<std::optional<std::string>> PostgresStore::kept(std::string_view name) {
  const std::lock_guard lock(scan_mutex_);
  const Result<Rows> rows =
      ask(scanner_, {"SELECT text FROM ppgnn.kept WHERE campaign = $1::bigint AND name = $2::bytea"},
          with_key().bytes(name));
  if (!rows) return rows.error();
  if (rows->count() == 0) return std::optional<std::string>();
  return std::optional(std::string(rows->text(0, 0)));
}

Result<void> PostgresStore::hint(std::span<const Asked> hints) {
  return write(Hold::alone, [&]() -> Result<void> {
    if (Result<void> refused = refuse_archived(); !refused) return refused;
    std::size_t number = 0;
    for (std::size_t first = 0; first < hints.size(); first += kHintsAtATime) {
      const auto some = hints.subspan(first, std::min(kHintsAtATime, hints.size() - first));
      const auto given = [&] {
        return with_key()
            .byte_arrays(some.size(), [&](std::size_t i) { return std::string_view(some[i].name); })
            .byte_arrays(some.size(), [&](std::size_t i) { return std::span(some[i].question); });
      };
      const Result<Rows> added = run(
          {"INSERT INTO ppgnn.hints(campaign, name, hint) SELECT $1::bigint, g.name, g.hint FROM unnest($2::bytea[], "
           "$3::bytea[]) AS g(name, hint) ON CONFLICT DO NOTHING"},
          given());
      if (!added) return added.error();
      number += static_cast<std::size_t>(added->changed());
      const Result<Rows> others =
          run({"SELECT 1 FROM unnest($2::bytea[], $3::bytea[]) AS g(name, hint) JOIN ppgnn.hints h ON h.campaign = "
               "$1::bigint AND h.name = g.name WHERE h.hint <> g.hint LIMIT 1"},
              given());
      if (!others) return others.error();
      if (others->count() > 0) return mismatch("somebody has another hint");
    }
    return number == 0 ? Result<void>() : note(who_, "hint " + std::to_string(number) + " people");
  });
}

Result<std::vector<std::uint8_t>> PostgresStore::hint_of(std::string_view name) {
  const std::lock_guard lock(read_mutex_);
  const Result<Rows> rows = ask(reader_, kHint, with_key().bytes(name));
  if (!rows) return rows.error();
  std::vector<std::uint8_t> hint;
  if (rows->count() > 0) {
    const auto bytes = rows->bytes(0, 0);
    hint.assign(bytes.begin(), bytes.end());
  }
  return hint;
}

Result<void> PostgresStore::each_hint(const TakeBytes& take) {
  std::string last;
  for (bool first = true;; first = false) {
    const std::lock_guard lock(scan_mutex_);
    const Result<Rows> rows = ask(scanner_, first ? kHintsFrom : kHintsAfter, with_key().bytes(last));
    if (!rows) return rows.error();
    const int count = rows->count();
    for (int i = 0; i < count; ++i) {
      if (!take(rows->text(i, 0), rows->bytes(i, 1))) return {};
    }
    if (count < static_cast<int>(kHintsAtATime)) return {};
    last = rows->text(count - 1, 0);
  }
}

}  // namespace ppgnn::store
