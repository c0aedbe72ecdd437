#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace ppgnn {

/// What went wrong, for programs; the CLI and the collector each map it to their own status in one table.
enum class ErrorCode {
  invalid_argument,  ///< a parameter the caller chose is out of its range
  malformed,         ///< bytes or text do not have the documented form
  mismatch,     ///< well-formed, but it does not belong to the thing it was given with (another plan, another size)
  certificate,  ///< the privacy claim does not hold
  io,           ///< a file or peer could not be read or written
  diverged,     ///< training: no epoch had a finite loss
  over_limit,   ///< it costs more than the person agreed to
  reported,     ///< the campaign has its report, and this would be another
  rolled_back,  ///< a ledger is older than the counter says
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
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  [[nodiscard]] T& value() & noexcept { return *get<0>(state_); }
  [[nodiscard]] const T& value() const& noexcept { return *get<0>(state_); }
  [[nodiscard]] T&& value() && noexcept { return std::move(*get<0>(state_)); }
  T* operator->() noexcept { return get<0>(state_); }
  const T* operator->() const noexcept { return get<0>(state_); }
  T& operator*() & noexcept { return value(); }
  const T& operator*() const& noexcept { return value(); }
  T&& operator*() && noexcept { return std::move(*this).value(); }

  [[nodiscard]] const Error& error() const noexcept { return *get<1>(state_); }

 private:
  template <int Side, class State>
  static auto* get(State& state) noexcept {
    auto* side = std::get_if<Side>(&state);
    assert(side != nullptr);
    return side;
  }

  std::variant<T, Error> state_;
};

/// Success, or the reason there is none.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}

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
