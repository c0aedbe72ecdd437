// Groups of reports: one statement each, and one that counts.
#include <map>
#include <set>

#include "store/postgres_store.hpp"

namespace ppgnn::store {

namespace {

// Rows go in sorted by name: two collectors whose groups overlap then wait for each other in one direction only. The number keeps the order
// in which they came, and says which ones went in: its low half is the place in the group, from 1.
constexpr Sql kInsert{
    "INSERT INTO ppgnn.reports(campaign, round, number, name, bytes)"
    " SELECT $1::bigint, $2::bigint, (SELECT nextval('ppgnn.groups') << 32) + g.place, g.name, g.bytes"
    " FROM unnest($3::bytea[], $4::bytea[]) WITH ORDINALITY AS g(name, bytes, place)"
    " WHERE $2::bigint = (SELECT round FROM ppgnn.progress WHERE campaign = $1::bigint AND open)"
    " ORDER BY g.name, g.place ON CONFLICT (campaign, name) DO NOTHING RETURNING number",
    "insert_group"};
constexpr Sql kPresent{
    "SELECT g.place, r.receipt IS NOT NULL, r.bytes IS NOT DISTINCT FROM g.bytes"
    " FROM unnest($2::bytea[], $3::bytea[]) WITH ORDINALITY AS g(name, bytes, place)"
    " JOIN ppgnn.reports r ON r.campaign = $1::bigint AND r.name = g.name",
    "present"};

constexpr std::int64_t kPlace = 0xFFFFFFFF;

}  // namespace

Result<std::vector<Outcome>> PostgresStore::put(std::span<const Submission> reports) {
  std::vector<Outcome> outcomes;
  if (Result<void> written = write(Hold::shared, [&] { return write_group(reports, outcomes); }); !written) {
    return written.error();
  }
  return outcomes;
}

Result<void> PostgresStore::write_group(std::span<const Submission> reports, std::vector<Outcome>& outcomes) {
  outcomes.assign(reports.size(), Outcome::closed);
  std::vector<std::size_t> places;  // of those that one statement is about
  const auto name = [&](std::size_t i) { return std::string_view(reports[places[i]].name); };
  const auto bytes = [&](std::size_t i) { return std::span(reports[places[i]].bytes); };
  std::set<std::uint32_t> rounds;
  for (const Submission& one : reports) rounds.insert(one.round);
  std::size_t stored = 0;
  for (const std::uint32_t round : rounds) {  // nearly always one; of several, one at most is open
    places.clear();
    for (std::size_t i = 0; i < reports.size(); ++i) {
      if (reports[i].round == round) places.push_back(i);
    }
    const Result<Rows> added =
        run(kInsert, with_key().number(round).byte_arrays(places.size(), name).byte_arrays(places.size(), bytes));
    if (!added) return added.error();
    for (int i = 0; i < added->count(); ++i) {
      outcomes[places[static_cast<std::size_t>((added->number(i, 0) & kPlace) - 1)]] = Outcome::stored;
    }
    stored += static_cast<std::size_t>(added->count());
  }
  if (stored > 0) {
    // The open round stays the same until then: whoever closes it waits for us.
    last_ = "UPDATE ppgnn.progress SET reports = reports + " + std::to_string(stored) +
            " WHERE campaign = " + std::to_string(key_) + " AND open; ";
  }
  return stored == reports.size() ? Result<void>() : look_at_others(reports, outcomes);
}

// Of those that did not go in: what was there when they came. Nothing, for one that precedes its person's in this group.
Result<void> PostgresStore::look_at_others(std::span<const Submission> reports, std::vector<Outcome>& outcomes) {
  std::map<std::string_view, std::size_t> stored;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (outcomes[i] == Outcome::stored) stored[reports[i].name] = i;
  }
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const auto found = stored.find(reports[i].name);
    if (found == stored.end() || found->second < i) others.push_back(i);
  }
  const Result<Rows> present =
      run(kPresent,
          with_key()
              .byte_arrays(others.size(), [&](std::size_t i) { return std::string_view(reports[others[i]].name); })
              .byte_arrays(others.size(), [&](std::size_t i) { return std::span(reports[others[i]].bytes); }));
  if (!present) return present.error();
  for (int i = 0; i < present->count(); ++i) {
    outcomes[others[static_cast<std::size_t>(present->number(i, 0) - 1)]] = present->number(i, 1) != 0 ? Outcome::erased
                                                                            : present->number(i, 2) != 0
                                                                                ? Outcome::repeated
                                                                                : Outcome::differs;
  }
  return {};
}

}  // namespace ppgnn::store
