#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ppgnn/client/limits.hpp"
#include "ppgnn/client/ppgnn_client.h"
#include "ppgnn/core/result.hpp"
#include "ppgnn/core/sha256.hpp"

namespace ppgnn::client {

/// Where a host keeps a ledger: callbacks, one definition for C and C++.
using Storage = ppgnn_storage;

enum class EntryState : std::uint8_t {
  not_asked = PPGNN_STATE_NOT_ASKED,  ///< the person spent nothing
  reported = PPGNN_STATE_REPORTED,
  decides = PPGNN_STATE_DECIDES,  ///< the device decides by a model; beside what else there is of the campaign
};

/// One campaign of a ledger.
struct LedgerEntry {
  EntryState state = EntryState::reported;
  std::string_view campaign{};  ///< empty: the plan is a campaign of its own
  Digest plan{};                ///< hash of the plan; of a model where the device decides
  Digest question{};    ///< digest of the question, zeros where there is none; of the hint where the device decides
  double counted = 0;   ///< nats at the plan's most relaxed level: what limits count
  double features = 0;  ///< the person's own nats; private, only to be shown
  double level = 0;     ///< the same about the level; infinity where it was sent
  std::span<const std::uint8_t> report{};  ///< what was sent
  std::string_view recipient{};            ///< whom it was made for; empty: nobody said
};

/// Whether `text` can be a recipient's address or name: 1 to 255 bytes that are shown as themselves.
[[nodiscard]] bool is_recipient(std::string_view text) noexcept;

/// What is said where a report was made for another recipient.
[[nodiscard]] Error not_for_this_recipient();

/// Why a stored report is not handed out where `wanted` is; nothing: it is. `permitted`: of ppgnn_permission.
///
/// Errors  reported, where it is of another plan or question; not_permitted, where it was made for another recipient.
[[nodiscard]] Result<void> check_same(const LedgerEntry& stored, const LedgerEntry& wanted, std::uint32_t permitted);

/// What a ledger adds up to.
struct Spending {
  std::uint32_t entries = 0;
  std::uint64_t reports = 0;
  double counted = 0;   ///< each report at its plan's most relaxed level: what limits count
  double features = 0;  ///< the person's own sum
  double level = 0;     ///< the same about the level; infinity where it was ever sent
};

/// What a person reported, on the person's device: docs/formats/ledger.md. One report a campaign, in whichever round; the
/// stored one is sent again byte for byte.
///
/// Privacy  Whether a report may be made depends on campaigns, plans and limits, on nothing of the person's. The ledger
///          itself holds the person's own sums: it is as private as the features.
/// Errors   io where the host cannot load, lock or store; malformed for a damaged ledger; rolled_back for one that is
///          older than the host's counter. All of them mean that no report leaves.
/// Cost     O(size of the ledger) a call; allocates only where the ledger outgrew the room it had when it was opened.
/// Threads  One thread; processes exclude each other by the storage's lock.
class Ledger {
 public:
  /// Reads what is there. `room`: bytes of the largest report to be added without an allocation. Takes the storage, and
  /// releases it in the end.
  [[nodiscard]] static Result<Ledger> open(const Storage& storage, std::size_t room);
  Ledger(Ledger&& other) noexcept;
  Ledger& operator=(Ledger&&) = delete;
  ~Ledger();

  [[nodiscard]] Result<Spending> spending();
  /// What is known of a campaign's report. Views are valid until the next call.
  [[nodiscard]] Result<std::optional<LedgerEntry>> find(std::string_view campaign, const Digest& plan);
  /// By place, the oldest first; nothing beyond the last.
  [[nodiscard]] Result<std::optional<LedgerEntry>> entry(std::uint32_t index);
  /// Notes that a campaign did not ask the person. Changes nothing where there is a report.
  [[nodiscard]] Result<void> note_not_asked(std::string_view campaign, const Digest& plan) {
    return note({.state = EntryState::not_asked, .campaign = campaign, .plan = plan});
  }
  /// Notes by which model and which hint the device decides in a campaign, before it does.
  ///
  /// Errors  reported, where it decided by others: there is one model and one hint a campaign.
  [[nodiscard]] Result<void> note_decides(std::string_view campaign, const Digest& model,
                                          std::span<const std::uint8_t> hint);

  /// Begins a report. Either its campaign has one already: it is copied to `out`, which must hold it, and its size is
  /// returned. Or a fresh one may be made: 0, and the storage stays locked until `keep` or `abandon`. `permitted`: what
  /// the person gave their word for, of ppgnn_permission.
  ///
  /// Errors  Those of check_same, where there is a report; over_limit; not_permitted, where neither this plan nor that of
  ///         an earlier report has a campaign: one byte makes another plan of it.
  [[nodiscard]] Result<std::size_t> begin(const LedgerEntry& wanted, const Limits& limits, std::span<std::uint8_t> out,
                                          std::uint32_t permitted = 0);
  /// Makes the entry durable. Only then its report may leave.
  [[nodiscard]] Result<void> keep(const LedgerEntry& made);
  void abandon() noexcept { unlock(); }

 private:
  explicit Ledger(const Storage& storage) noexcept : storage_(storage) {}

  [[nodiscard]] Result<void> lock();
  void unlock() noexcept;
  [[nodiscard]] Result<void> load();
  [[nodiscard]] Result<void> follow_counter();
  [[nodiscard]] Result<void> load_locked();
  // Adds an entry without a report, unless there is one.
  [[nodiscard]] Result<void> note(const LedgerEntry& made);
  [[nodiscard]] Result<void> append(const LedgerEntry& made);
  [[nodiscard]] Error failure(std::string_view what) const;
  [[nodiscard]] std::span<const std::uint8_t> content() const noexcept { return std::span(buffer_).first(size_); }
  void grow(std::size_t size);
  void set_number(std::size_t at, std::size_t width, std::uint64_t value) noexcept;

  Storage storage_{};
  std::vector<std::uint8_t> buffer_;  // as long as there is room
  std::size_t size_ = 0;              // of the ledger within it; 0: there is none yet
  bool locked_ = false;
};

}  // namespace ppgnn::client
