#include "store/postgres.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace ppgnn::store {

namespace {

struct Words {
  std::string_view state;  // an SQLSTATE, or the class that it begins with
  ErrorCode code;
  const char* what;
};

// The first that fits.
constexpr Words kWords[] = {
    {"08", ErrorCode::unavailable, "the database does not answer"},
    {"40", ErrorCode::unavailable, "somebody else wrote at the same time"},
    {"55P03", ErrorCode::unavailable, "somebody else holds it"},
    {"57", ErrorCode::unavailable, "the database is stopping, starting, or ended this"},
    {"53300", ErrorCode::unavailable, "the database has no connection left"},
    {"53200", ErrorCode::unavailable, "the database has no memory left"},
    {"53", ErrorCode::io, "the disk is full"},
    {"58", ErrorCode::io, "the database cannot read or write its files"},
    {"25006", ErrorCode::io, "cannot be written: read only"},
    {"42501", ErrorCode::io, "the role has no right to this (docs/postgres.md)"},
    {"54000", ErrorCode::invalid_argument, "a name is too long"},
    {"42", ErrorCode::malformed, "not a store"},
    {"XX", ErrorCode::malformed, "damaged"},
};

}  // namespace

Error postgres_error(const std::string& where, std::string_view state) {
  if (state.empty()) state = "08";
  const auto* found = std::find_if(std::begin(kWords), std::end(kWords),
                                   [&](const Words& one) { return state.starts_with(one.state); });
  if (found == std::end(kWords)) return {ErrorCode::io, where + ": PostgreSQL's error " + std::string(state)};
  return {found->code, where + ": " + found->what};
}

void Parameters::append_number(std::string& text, std::uint64_t value, int bytes) {
  for (int i = bytes; i-- > 0;) text += static_cast<char>(value >> (8 * i) & 0xFF);
}

std::string Parameters::array_begin(std::uint32_t type, std::size_t count, bool nulls) {
  std::string text;
  append_number(text, count == 0 ? 0 : 1, 4);  // dimensions
  append_number(text, nulls ? 1 : 0, 4);
  append_number(text, type, 4);
  if (count == 0) return text;
  append_number(text, count, 4);
  append_number(text, 1, 4);  // the first one's number
  return text;
}

Parameters& Parameters::own(std::string text) {
  return bytes(*owned_.emplace_back(std::make_shared<const std::string>(std::move(text))));
}

Parameters& Parameters::number(std::int64_t value) {
  std::string text;
  append_number(text, static_cast<std::uint64_t>(value), 8);
  return own(std::move(text));
}

Parameters& Parameters::bytes(std::string_view value) {
  values_.push_back(value.data() == nullptr ? "" : value.data());  // no pointer means null
  lengths_.push_back(static_cast<int>(value.size()));
  return *this;
}

std::int64_t Rows::number(int row, int column) const noexcept {
  const auto all = bytes(row, column);
  std::uint64_t value = !all.empty() && all[0] >= 0x80 ? ~std::uint64_t{0} : 0;
  for (const std::uint8_t one : all) value = value << 8 | one;
  return static_cast<std::int64_t>(value);
}

std::int64_t Rows::changed() const noexcept {
  return std::strtoll(PQcmdTuples(result_.get()), nullptr, 10);
}

Result<bool> PostgresConnection::connect() {
  if (!is_lost()) return false;
  prepared_.clear();
  // What is written in the place comes later and counts.
  const std::array<const char*, 7> names{
      "connect_timeout",  "tcp_user_timeout",          "keepalives_idle", "keepalives_interval",
      "keepalives_count", "fallback_application_name", "dbname"};
  std::array<const char*, 8> keywords{};
  std::copy(names.begin(), names.end(), keywords.begin());
  const std::array<const char*, 8> values{"5", "10000", "30", "10", "3", "ppgnn", place_.c_str(), nullptr};
  connection_.reset(PQconnectdbParams(keywords.data(), values.data(), 1));
  if (is_lost()) {
    std::string why = connection_ == nullptr ? "" : PQerrorMessage(connection_.get());
    while (why.ends_with('\n')) why.pop_back();
    std::replace(why.begin(), why.end(), '\n', ';');
    return Error{ErrorCode::unavailable, where_ + ": " + why};
  }
  PQsetNoticeReceiver(
      connection_.get(), [](void*, const PGresult*) {}, nullptr);
  if (Result<Rows> greeted = execute(greeting_); !greeted) {
    connection_.reset();
    return greeted.error();
  }
  return true;
}

bool PostgresConnection::was_told() noexcept {
  if (is_lost() || PQconsumeInput(connection_.get()) == 0 || is_lost()) return true;
  bool told = false;
  while (PGnotify* one = PQnotifies(connection_.get())) {
    told = true;
    PQfreemem(one);
  }
  return told;
}

Result<Rows> PostgresConnection::checked(PGresult* result) const {
  Rows rows(result);
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return rows;
  const char* state = result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_SQLSTATE);
  return postgres_error(where_, state == nullptr ? "" : state);
}

Result<Rows> PostgresConnection::run(const Sql& sql, const Parameters& parameters) {
  const auto count = static_cast<int>(parameters.values_.size());
  const std::vector<int> binary(parameters.values_.size(), 1);
  if (*sql.name == '\0') {
    return checked(PQexecParams(connection_.get(), sql.text, count, nullptr, parameters.values_.data(),
                                parameters.lengths_.data(), binary.data(), 1));
  }
  if (Result<void> made = prepare(sql); !made) return made.error();
  return checked(PQexecPrepared(connection_.get(), sql.name, count, parameters.values_.data(),
                                parameters.lengths_.data(), binary.data(), 1));
}

Result<void> PostgresConnection::prepare(const Sql& sql) {
  if (*sql.name == '\0' || prepared_.contains(sql.name)) return {};
  if (Result<Rows> made = checked(PQprepare(connection_.get(), sql.name, sql.text, 0, nullptr)); !made) {
    return made.error();
  }
  prepared_.insert(sql.name);
  return {};
}

Result<Rows> PostgresConnection::run_after(std::span<const std::string> before, const Sql& sql,
                                           const Parameters& parameters) {
  if (Result<void> made = prepare(sql); !made) return made.error();
  PGconn* to = connection_.get();
  const auto count = static_cast<int>(parameters.values_.size());
  const std::vector<int> binary(parameters.values_.size(), 1);
  bool sent = PQenterPipelineMode(to) == 1;
  for (const std::string& one : before) {
    sent = sent && PQsendQueryParams(to, one.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 1) == 1;
  }
  const char* const* values = parameters.values_.data();
  const int* lengths = parameters.lengths_.data();
  if (*sql.name == '\0') {
    sent = sent && PQsendQueryParams(to, sql.text, count, nullptr, values, lengths, binary.data(), 1) == 1;
  } else {
    sent = sent && PQsendQueryPrepared(to, sql.name, count, values, lengths, binary.data(), 1) == 1;
  }
  sent = sent && PQpipelineSync(to) == 1;
  Result<Rows> answer = postgres_error(where_, "");
  for (std::size_t i = 0; sent && i <= before.size(); ++i) {
    Result<Rows> one = checked(PQgetResult(to));
    if (i == 0 || answer) answer = std::move(one);
    while (PGresult* more = PQgetResult(to)) PQclear(more);  // ends with nothing, after each statement
  }
  if (sent) PQclear(PQgetResult(to));  // that all of it was seen
  if (!sent || PQexitPipelineMode(to) != 1) {
    connection_.reset();
    return postgres_error(where_, "");
  }
  return answer;
}

Result<Rows> PostgresConnection::execute(const std::string& sql) {
  return checked(PQexec(connection_.get(), sql.c_str()));
}

Result<void> check_place(const std::string& place) {
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options(PQconninfoParse(place.c_str(), nullptr),
                                                                               PQconninfoFree);
  // libpq's own words quote what may be a secret.
  if (!options)
    return Error{ErrorCode::invalid_argument,
                 "store: after postgres: libpq's KEYWORD=VALUE are expected, or postgresql://HOST/DATABASE"};
  for (const PQconninfoOption* one = options.get(); one->keyword != nullptr; ++one) {
    const std::string_view keyword = one->keyword;
    if (one->val != nullptr && (keyword == "password" || keyword == "sslpassword")) {
      return Error{ErrorCode::invalid_argument,
                   "store: no password on a command line, where everybody reads it: a service file, a password file "
                   "(passfile=), or PGPASSWORD"};
    }
  }
  return {};
}

}  // namespace ppgnn::store
