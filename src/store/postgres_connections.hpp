#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "ppgnn/core/result.hpp"
#include "ppgnn/store/store.hpp"
#include "store/open.hpp"
#include "store/postgres.hpp"

namespace ppgnn::store {

/// The connections of a store to its database, and what every use of them needs.
///
/// Locks  Whoever writes holds the campaign's advisory lock until the transaction ends: steps alone, groups of reports and erasures
///        beside each other. Then rows: people, reports in the order of their names, counters. That order is the same everywhere, so
///        that nobody waits for each other in a circle.
class PostgresConnections {
 protected:
  explicit PostgresConnections(const Where& where);

  /// Looks whether there is a store, brings its form up to date, and finds the campaign in it.
  [[nodiscard]] Result<void> connect(Opening opening);

  enum class Hold { shared, alone };
  /// A transaction. Where the connection is lost, also while it commits, all of it is done once more: every call that writes may be repeated.
  /// Within `alone` it is part of the larger one, and undone by itself.
  template <class Action>
  Result<void> write(Hold hold, Action&& action) {
    if (Result<void> there = is_chosen(); !there) return there;
    return write_in_any(hold, action);
  }
  /// Also where the campaign that was chosen is not there yet.
  template <class Action>
  Result<void> write_in_any(Hold hold, Action&& action) {
    const std::lock_guard lock(mutex_);
    if (alone_) return part(action);
    Result<void> done = once(hold, action);
    if (!done && writer_.is_lost()) done = once(hold, action);
    return done;
  }
  template <class Action>
  Result<void> once(Hold hold, Action&& action) {
    if (Result<bool> connected = writer_.connect(); !connected) return connected.error();
    begin_writing(hold);
    const std::shared_ptr<void> undone(nullptr, [this](void*) {
      if (writer_.in_transaction()) static_cast<void>(writer_.execute("ROLLBACK"));
    });
    Result<void> done = action();
    if (done) done = commit();
    if (done && hold == Hold::alone) stepped_ = true;
    return done;
  }
  template <class Action>
  Result<void> part(Action&& action) {
    if (Result<Rows> begun = writer_.execute("SAVEPOINT part"); !begun) return begun.error();
    Result<void> done = action();
    const std::string last = std::exchange(last_, "");
    const Result<Rows> ended =
        writer_.execute(done ? last + "RELEASE SAVEPOINT part" : "ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part");
    return done && !ended ? ended.error() : done;
  }
  /// One statement of what is written; the first one of a transaction goes together with its beginning.
  [[nodiscard]] Result<Rows> run(const Sql& sql, const Parameters& parameters);
  /// A step of the campaign was made, and stands in the trail: whoever remembers the state looks again.
  [[nodiscard]] Result<void> step_done(std::string_view who, const std::string& what);
  /// `who` did `what`. Last in a transaction: until it ends nobody else adds to the trail.
  [[nodiscard]] Result<void> note(std::string_view who, const std::string& what);
  /// No step follows once a campaign is archived.
  [[nodiscard]] Result<void> refuse_archived();

  /// What one statement says; once more where the connection was lost.
  [[nodiscard]] Result<Rows> ask(PostgresConnection& connection, const Sql& sql, const Parameters& parameters);
  /// $1 of every statement: the campaign's key.
  [[nodiscard]] Parameters with_key() const { return std::move(Parameters().number(key_)); }
  [[nodiscard]] Error mismatch(const std::string& what) const { return {ErrorCode::mismatch, where_ + ": " + what}; }

  const std::string where_;
  const std::string name_;  // of the campaign, as somebody chose it; empty: the only one
  std::int64_t key_ = 1;    // its key; 0: there is none of this name yet
  std::recursive_mutex mutex_;
  bool alone_ = false;  // within `alone`
  PostgresConnection writer_;
  std::vector<std::string> first_;  // what begins the transaction, until it was sent
  std::string last_;                // a statement that goes together with the transaction's end
  std::mutex read_mutex_;
  PostgresConnection reader_;  // short questions; also told of steps
  std::mutex scan_mutex_;
  PostgresConnection scanner_;  // long reading
  // The generation as it was last read, by the reader.
  std::atomic<bool> stepped_ = true;  // by this process since then
  std::uint64_t generation_ = 0;
  std::chrono::steady_clock::time_point asked_at_;

 private:
  void begin_writing(Hold hold);
  [[nodiscard]] Result<void> find_campaign(Opening opening);
  [[nodiscard]] Result<void> is_chosen() const {
    return key_ != 0 ? Result<void>() : mismatch("there is no campaign called " + name_);
  }
  [[nodiscard]] Result<void> commit();
  [[nodiscard]] Result<void> migrate();
  /// The version of the form; 0 where there is none and one may be made.
  [[nodiscard]] Result<std::int64_t> form(PostgresConnection& connection, Opening opening) const;
};

}  // namespace ppgnn::store
