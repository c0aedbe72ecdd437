#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace ppgnn {

/// What went wrong, for programs; the CLI and the collector each map it to their own status in one table.
enum class ErrorCode {
  invalid_argument,  ///< a parameter the caller chose is out of its range
  malformed,         ///< bytes or text do not have the documented form
  mismatch,       ///< well-formed, but it does not belong to the thing it was given with (another plan, another size)
  certificate,    ///< the privacy claim does not hold
  io,             ///< a file or peer could not be read or written
  diverged,       ///< training: no epoch had a finite loss
  over_limit,     ///< it costs more than the person agreed to
  reported,       ///< the campaign has its report, and this would be another
  rolled_back,    ///< a ledger is older than the counter says
  not_permitted,  ///< only with the person's explicit word, which was not given
  unavailable,    ///< not now: a peer is gone or somebody holds it for long; the same may succeed later
};

/// Why a call failed. `message` names the field, file or line and public values; it never contains a private value.
struct Error {
  ErrorCode code = ErrorCode::invalid_argument;
  std::string message;
};

/// A value or the reason there is none. Reading the wrong side is a bug and asserts.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error&& error) : error_(std::move(error)) {}
  Result(const Error& error) : error_(error) {}

  [[nodiscard]] bool ok() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return ok(); }

  [[nodiscard]] T& value() & noexcept { return *checked(value_); }
  [[nodiscard]] const T& value() const& noexcept { return *checked(value_); }
  [[nodiscard]] T&& value() && noexcept { return std::move(*checked(value_)); }
  T* operator->() noexcept { return &value(); }
  const T* operator->() const noexcept { return &value(); }
  T& operator*() & noexcept { return value(); }
  const T& operator*() const& noexcept { return value(); }
  T&& operator*() && noexcept { return std::move(*this).value(); }

  [[nodiscard]] const Error& error() const noexcept {
    assert(!ok());
    return error_;
  }

 private:
  template <class Value>
  static Value& checked(Value& value) noexcept {
    assert(value.has_value());
    return value;
  }

  std::optional<T> value_;  // and an empty error: half the code of a variant
  Error error_;
};

/// Success, or the reason there is none.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error&& error) : error_(std::move(error)), ok_(false) {}
  Result(const Error& error) : error_(error), ok_(false) {}

  [[nodiscard]] bool ok() const noexcept { return ok_; }
  explicit operator bool() const noexcept { return ok_; }
  [[nodiscard]] const Error& error() const noexcept {
    assert(!ok_);
    return error_;
  }

 private:
  Error error_;
  bool ok_ = true;
};

}  // namespace ppgnn
