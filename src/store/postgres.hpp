#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"

/// libpq, as much of it as the store needs. All parameters and results are binary.
namespace ppgnn::store {

/// The error of an SQLSTATE: what a person can do something about, in words; never the server's text, which may quote a row. Empty: the
/// connection was lost, and whether a commit under way was done is unknown.
[[nodiscard]] Error postgres_error(const std::string& where, std::string_view state);

/// What a statement is given, in order, from $1.
class Parameters {
 public:
  Parameters& number(std::int64_t value);
  /// Not copied.
  Parameters& bytes(std::string_view value);
  Parameters& bytes(std::span<const std::uint8_t> value) {
    return bytes(std::string_view(reinterpret_cast<const char*>(value.data()), value.size()));
  }
  /// One array, of `count` elements: `element(i)` is a view of bytes.
  template <class Element>
  Parameters& byte_arrays(std::size_t count, Element&& element) {
    std::string text = array_begin(kBytea, count, false);
    for (std::size_t i = 0; i < count; ++i) {
      const auto one = element(i);
      append_number(text, static_cast<std::uint32_t>(one.size()), 4);
      text.append(reinterpret_cast<const char*>(one.data()), one.size());
    }
    return own(std::move(text));
  }
  /// One array, of `count` numbers of 64 bits: `element(i)` is one, or nothing for null.
  template <class Element>
  Parameters& numbers(std::size_t count, Element&& element) {
    std::string text = array_begin(kInt8, count, true);
    for (std::size_t i = 0; i < count; ++i) {
      const std::optional<std::int64_t> one = element(i);
      append_number(text, one ? 8 : 0xFFFFFFFFU, 4);
      if (one) append_number(text, static_cast<std::uint64_t>(*one), 8);
    }
    return own(std::move(text));
  }

 private:
  friend class PostgresConnection;
  static constexpr std::uint32_t kBytea = 17;  // as PostgreSQL numbers its types
  static constexpr std::uint32_t kInt8 = 20;
  static void append_number(std::string& text, std::uint64_t value, int bytes);
  static std::string array_begin(std::uint32_t type, std::size_t count, bool nulls);
  Parameters& own(std::string text);

  std::vector<std::shared_ptr<const std::string>> owned_;
  std::vector<const char*> values_;
  std::vector<int> lengths_;
};

/// The rows of an answer.
class Rows {
 public:
  explicit Rows(PGresult* result) : result_(result) {}
  [[nodiscard]] int count() const noexcept { return PQntuples(result_.get()); }
  [[nodiscard]] bool is_null(int row, int column) const noexcept {
    return PQgetisnull(result_.get(), row, column) != 0;
  }
  /// Lives as long as the rows.
  [[nodiscard]] std::string_view text(int row, int column) const noexcept {
    return {PQgetvalue(result_.get(), row, column), static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
  }
  [[nodiscard]] std::span<const std::uint8_t> bytes(int row, int column) const noexcept {
    const std::string_view view = text(row, column);
    return {reinterpret_cast<const std::uint8_t*>(view.data()), view.size()};
  }
  /// Of a number of any size, or a truth value.
  [[nodiscard]] std::int64_t number(int row, int column) const noexcept;
  /// What the statement says of itself: "COMMIT".
  [[nodiscard]] std::string_view tag() const noexcept { return PQcmdStatus(result_.get()); }
  /// How many rows it changed.
  [[nodiscard]] std::int64_t changed() const noexcept;

 private:
  struct Clear {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
  };
  std::unique_ptr<PGresult, Clear> result_;
};

/// A statement. One with a name is prepared once per connection.
struct Sql {
  const char* text;
  const char* name = "";
};

/// One connection, made when it is needed and again when it was lost.
///
/// Threads  One at a time.
class PostgresConnection {
 public:
  /// `place`: libpq's keywords and values, or an address; `greeting`: what is executed on each new connection.
  PostgresConnection(std::string where, std::string place, std::string greeting)
      : where_(std::move(where)), place_(std::move(place)), greeting_(std::move(greeting)) {}

  /// Connects, unless it is connected. Whether it had to, for those who remember something.
  [[nodiscard]] Result<bool> connect();
  /// Whether the last failure was the connection's: it is made again by `connect`.
  [[nodiscard]] bool is_lost() const noexcept {
    return connection_ == nullptr || PQstatus(connection_.get()) != CONNECTION_OK;
  }
  [[nodiscard]] bool in_transaction() const noexcept {
    return connection_ != nullptr && PQtransactionStatus(connection_.get()) > PQTRANS_IDLE;
  }
  /// Whether somebody announced something since the last call, or it is lost; asks the server nothing.
  [[nodiscard]] bool was_told() noexcept;

  [[nodiscard]] Result<Rows> run(const Sql& sql, const Parameters& parameters = {});
  /// Likewise, after other statements that go to the server together with it; the first error is the answer.
  [[nodiscard]] Result<Rows> run_after(std::span<const std::string> before, const Sql& sql,
                                       const Parameters& parameters);
  /// Statements without parameters; the answer is that of the last one.
  [[nodiscard]] Result<Rows> execute(const std::string& sql);

 private:
  struct Finish {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
  };
  [[nodiscard]] Result<Rows> checked(PGresult* result) const;
  [[nodiscard]] Result<void> prepare(const Sql& sql);

  std::string where_;
  std::string place_;
  std::string greeting_;
  std::unique_ptr<PGconn, Finish> connection_;
  std::set<std::string_view> prepared_;
};

/// Whether libpq can read this and no secret stands in it.
[[nodiscard]] Result<void> check_place(const std::string& place);

}  // namespace ppgnn::store
