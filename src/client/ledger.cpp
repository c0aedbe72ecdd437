#include "ppgnn/client/ledger.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "ppgnn/core/text.hpp"
#include "ppgnn/core/wipe.hpp"
#include "ppgnn/ldp/payload.hpp"

namespace ppgnn::client {

namespace {

// docs/formats/ledger.md
constexpr std::string_view kMagic = "ppgnn-ledger 2\n";
constexpr std::size_t kVersionAt = kMagic.size() - 2;  // 1 has no recipients, and is read
constexpr std::size_t kCounterAt = kMagic.size();
constexpr std::size_t kCountAt = kCounterAt + 8;
constexpr std::size_t kHeader = kCountAt + 4;
constexpr std::size_t kDigest = sizeof(Digest);
constexpr std::size_t kMaxName = 64;
constexpr std::size_t kMaxRecipient = 255;
constexpr std::uint64_t kForRecipient = 3;  // in the place of EntryState::reported: a recipient follows the report
constexpr std::size_t kFixed =
    1 + 1 + 2 * kDigest + std::size_t{3} * 8 + 2 + 1;  // of an entry, without texts and report
constexpr std::size_t kMaxSize = std::size_t{1} << 24;

Error damaged() {
  return {ErrorCode::malformed,
          "ledger: it is damaged, so that nobody knows what was reported, and nothing is; restore it, or remove it and "
          "count what it forgets as spent"};
}

Error another_one() {
  return {ErrorCode::reported, "campaign: it has another report, model or hint; there is one a campaign"};
}

Digest digest_of(std::span<const std::uint8_t> bytes) noexcept {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

// Takes fields off the front; nothing once one is missing.
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) noexcept : rest_(bytes) {}

  [[nodiscard]] bool ok() const noexcept { return ok_; }
  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }
  [[nodiscard]] std::size_t left() const noexcept { return rest_.size(); }
  std::span<const std::uint8_t> bytes(std::size_t size) noexcept {
    if (size > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }
  std::uint64_t number(std::size_t width) noexcept { return ldp::read_big_endian(bytes(width)); }
  // A sum of losses: not negative, not NaN.
  double nats() noexcept {
    const auto value = std::bit_cast<double>(number(8));
    if (!(value >= 0) || std::signbit(value)) ok_ = false;
    return value;
  }
  Digest digest() noexcept {
    Digest value{};
    const auto taken = bytes(value.size());
    std::copy(taken.begin(), taken.end(), value.begin());
    return value;
  }

 private:
  std::span<const std::uint8_t> rest_;
  bool ok_ = true;
};

bool is_name(std::string_view text) noexcept {
  return text.size() <= kMaxName && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
                  c == '_';
         });
}

std::optional<LedgerEntry> next_entry(Reader& reader) noexcept {
  LedgerEntry entry;
  const std::uint64_t state = reader.number(1);
  const auto name = reader.bytes(static_cast<std::size_t>(reader.number(1)));
  entry.state = state == kForRecipient ? EntryState::reported : static_cast<EntryState>(state);
  entry.campaign = {reinterpret_cast<const char*>(name.data()), name.size()};
  entry.plan = reader.digest();
  entry.question = reader.digest();
  entry.counted = reader.nats();
  entry.features = reader.nats();
  entry.level = reader.nats();
  entry.report = reader.bytes(static_cast<std::size_t>(reader.number(2)));
  if (state == kForRecipient) {
    const auto recipient = reader.bytes(static_cast<std::size_t>(reader.number(1)));
    entry.recipient = {reinterpret_cast<const char*>(recipient.data()), recipient.size()};
    if (!is_recipient(entry.recipient)) return {};
  }
  if (!reader.ok() || !is_name(entry.campaign) || std::isinf(entry.counted) || std::isinf(entry.features)) return {};
  if (entry.state == EntryState::reported) return entry.report.empty() ? std::nullopt : std::optional(entry);
  if (entry.counted != 0 || entry.features != 0 || entry.level != 0 || !entry.report.empty()) return {};
  const bool known = entry.state == EntryState::decides
                         ? !entry.campaign.empty()
                         : entry.state == EntryState::not_asked && entry.question == Digest{};
  return known ? std::optional(entry) : std::nullopt;
}

// Goes through the entries of a ledger, which was checked, or is about to be.
class Entries {
 public:
  explicit Entries(std::span<const std::uint8_t> ledger) noexcept
      : size_(ledger.empty() ? 0 : ledger.size() - kDigest), reader_(ledger.first(size_)) {
    reader_.bytes(std::min(kCountAt, size_));
    left_ = ledger.empty() ? 0 : reader_.number(4);
  }

  // False: there are no more, or what follows is none.
  bool next() noexcept {
    start_ = end();
    entry_ = left_ > 0 ? next_entry(reader_) : std::nullopt;
    left_ -= static_cast<std::uint64_t>(entry_.has_value());
    return entry_.has_value();
  }
  const LedgerEntry* operator->() const noexcept { return &*entry_; }
  const LedgerEntry& operator*() const noexcept { return *entry_; }
  // Where the entry lies.
  [[nodiscard]] std::size_t start() const noexcept { return start_; }
  [[nodiscard]] std::size_t end() const noexcept { return size_ - reader_.left(); }
  // Whether next() said false because all were read, to the last byte.
  [[nodiscard]] bool complete() const noexcept { return left_ == 0 && reader_.at_end(); }

 private:
  std::size_t size_;
  Reader reader_;
  std::uint64_t left_ = 0;
  std::size_t start_ = 0;
  std::optional<LedgerEntry> entry_;
};

bool is_ledger(std::span<const std::uint8_t> bytes) noexcept {
  if (bytes.size() < kHeader + kDigest) return false;
  const bool first_version = bytes[kVersionAt] == '1';
  for (std::size_t i = 0; i < kMagic.size(); ++i) {
    if (bytes[i] != static_cast<std::uint8_t>(kMagic[i]) && !(i == kVersionAt && first_version)) return false;
  }
  const Digest digest = digest_of(bytes.first(bytes.size() - kDigest));
  if (!std::equal(digest.begin(), digest.end(), bytes.end() - static_cast<std::ptrdiff_t>(kDigest))) return false;
  Entries entries(bytes);
  while (entries.next()) {
    if (first_version && (!entries->recipient.empty() || entries->state == EntryState::decides)) return false;
  }
  return entries.complete();
}

// A campaign is known by its name; a plan without one is a campaign of its own. By which model a device decides stands beside it.
bool same_campaign(const LedgerEntry& entry, std::string_view campaign, const Digest& plan) noexcept {
  return entry.state != EntryState::decides && entry.campaign == campaign && (!campaign.empty() || entry.plan == plan);
}

}  // namespace

bool is_recipient(std::string_view text) noexcept {
  return !text.empty() && text.size() <= kMaxRecipient && !has_hidden_characters(text);
}

Error not_for_this_recipient() {
  return {ErrorCode::not_permitted,
          "recipient: the ledger does not say that the report was made for this one; another gets it only with the "
          "person's word"};
}

Result<void> check_same(const LedgerEntry& stored, const LedgerEntry& wanted, std::uint32_t permitted) {
  if (stored.plan != wanted.plan || stored.question != wanted.question) {
    return another_one();
  }
  if (stored.recipient != wanted.recipient && (permitted & PPGNN_PERMIT_OTHER_RECIPIENT) == 0) {
    return not_for_this_recipient();
  }
  return {};
}

Ledger::Ledger(Ledger&& other) noexcept
    : storage_(std::exchange(other.storage_, {})),
      buffer_(std::move(other.buffer_)),
      size_(other.size_),
      locked_(std::exchange(other.locked_, false)) {}

Ledger::~Ledger() {
  unlock();
  wipe(buffer_.data(), buffer_.size());
  if (storage_.release != nullptr) storage_.release(storage_.host);
}

Result<Ledger> Ledger::open(const Storage& storage, std::size_t room) {
  Ledger ledger(storage);
  if (storage.load == nullptr || storage.store == nullptr || (storage.lock == nullptr) != (storage.unlock == nullptr) ||
      (storage.counter == nullptr) != (storage.raise == nullptr)) {
    return Error{ErrorCode::invalid_argument,
                 "ledger: load and store must be there; lock and unlock, counter and raise "
                 "belong together"};
  }
  const std::size_t more = kHeader + kDigest + kFixed + kMaxName + kMaxRecipient + room;
  ledger.grow(more);
  if (Result<void> loaded = ledger.load_locked(); !loaded) return loaded.error();
  ledger.grow(ledger.size_ + more);
  return ledger;
}

// What was there does not stay behind.
void Ledger::grow(std::size_t size) {
  std::vector<std::uint8_t> larger(size);
  std::copy(buffer_.begin(), buffer_.end(), larger.begin());
  wipe(buffer_.data(), buffer_.size());
  buffer_.swap(larger);
}

Error Ledger::failure(std::string_view what) const {
  const char* reason = storage_.reason != nullptr ? storage_.reason(storage_.host) : nullptr;
  return {ErrorCode::io, filled("ledger: {}{}{}{}; no report leaves without it",
                                {what, reason != nullptr ? " (" : "", escape_hidden(reason ? reason : ""),
                                 reason != nullptr ? ")" : ""})};
}

Result<void> Ledger::lock() {
  if (storage_.lock != nullptr && storage_.lock(storage_.host) != 0) return failure("cannot be locked");
  locked_ = true;
  return {};
}

void Ledger::unlock() noexcept {
  if (!std::exchange(locked_, false)) return;
  if (storage_.unlock != nullptr) storage_.unlock(storage_.host);
}

Result<void> Ledger::load() {
  for (;;) {
    const std::int64_t found = storage_.load(storage_.host, buffer_.data(), buffer_.size());
    if (found < 0) return failure("cannot be read");
    if (found > static_cast<std::int64_t>(kMaxSize)) return damaged();
    size_ = static_cast<std::size_t>(found);
    if (size_ <= buffer_.size()) break;
    grow(size_);
  }
  if (size_ > 0 && !is_ledger(std::span(buffer_).first(size_))) return damaged();
  return follow_counter();
}

// The ledger is written first, the counter raised after it, and only then the report leaves: who was interrupted between
// the two is one ahead.
Result<void> Ledger::follow_counter() {
  if (storage_.counter == nullptr) return {};
  std::uint64_t counter = 0;
  if (storage_.counter(storage_.host, &counter) != 0) return failure("its counter cannot be read");
  const std::uint64_t own = size_ == 0 ? 0 : ldp::read_big_endian(std::span(buffer_).subspan(kCounterAt, 8));
  if (own == counter) return {};
  if (own == 0 || own - 1 != counter) {
    return Error{ErrorCode::rolled_back,
                 own < counter ? "ledger: it is older than its counter: somebody put an old one back, or removed it"
                               : "ledger: its counter is behind: it is not the one that belongs to it"};
  }
  if (storage_.raise(storage_.host, own) != 0) return failure("its counter cannot be raised");
  return {};
}

Result<void> Ledger::load_locked() {
  if (Result<void> held = lock(); !held) return held;
  Result<void> loaded = load();
  unlock();
  return loaded;
}

Result<Spending> Ledger::spending() {
  if (Result<void> loaded = load_locked(); !loaded) return loaded.error();
  Spending sum;
  for (Entries entries(content()); entries.next();) {
    ++sum.entries;
    sum.reports += static_cast<std::uint64_t>(entries->state == EntryState::reported);
    sum.counted += entries->counted;
    sum.features += entries->features;
    sum.level += entries->level;
  }
  return sum;
}

Result<std::optional<LedgerEntry>> Ledger::find(std::string_view campaign, const Digest& plan) {
  if (Result<void> loaded = load_locked(); !loaded) return loaded.error();
  for (Entries entries(content()); entries.next();) {
    if (same_campaign(*entries, campaign, plan)) return std::optional(*entries);
  }
  return std::optional<LedgerEntry>();
}

Result<std::optional<LedgerEntry>> Ledger::entry(std::uint32_t index) {
  if (Result<void> loaded = load_locked(); !loaded) return loaded.error();
  for (Entries entries(content()); entries.next();) {
    if (index-- == 0) return std::optional(*entries);
  }
  return std::optional<LedgerEntry>();
}

Result<void> Ledger::note_decides(std::string_view campaign, const Digest& model, std::span<const std::uint8_t> hint) {
  return note({.state = EntryState::decides, .campaign = campaign, .plan = model, .question = digest_of(hint)});
}

Result<void> Ledger::note(const LedgerEntry& made) {
  if (Result<void> held = lock(); !held) return held;
  Result<void> done = load();
  bool known = false;
  if (done) {
    const bool decides = made.state == EntryState::decides;
    for (Entries entries(content()); entries.next();) {
      if (decides) {
        if (entries->state != made.state || entries->campaign != made.campaign) continue;
        if (entries->plan != made.plan || entries->question != made.question) done = another_one();
      } else if (!same_campaign(*entries, made.campaign, made.plan)) {
        continue;
      }
      known = true;
    }
  }
  if (done && !known) done = append(made);
  unlock();
  return done;
}

Result<std::size_t> Ledger::begin(const LedgerEntry& wanted, const Limits& limits, std::span<std::uint8_t> out,
                                  std::uint32_t permitted) {
  if (Result<void> held = lock(); !held) return held.error();
  if (Result<void> loaded = load(); !loaded) {
    unlock();
    return loaded.error();
  }
  std::uint64_t reports = 0;
  double counted = 0;
  bool unnamed = false;
  std::optional<LedgerEntry> stored;
  for (Entries entries(content()); entries.next();) {
    if (entries->state != EntryState::reported) continue;
    ++reports;
    counted += entries->counted;
    unnamed = unnamed || entries->campaign.empty();
    if (same_campaign(*entries, wanted.campaign, wanted.plan)) stored = *entries;
  }
  const auto refuse = [&](ErrorCode code, const char* message) {
    unlock();
    return Error{code, message};
  };
  if (stored) {
    if (Result<void> same = check_same(*stored, wanted, permitted); !same) {
      unlock();
      return same.error();
    }
    if (stored->report.size() > out.size())
      return refuse(ErrorCode::invalid_argument, "report: the buffer is too small");
    std::copy(stored->report.begin(), stored->report.end(), out.begin());
    unlock();
    return stored->report.size();
  }
  if (wanted.campaign.empty() && unnamed && (permitted & PPGNN_PERMIT_UNNAMED_AGAIN) == 0) {
    return refuse(ErrorCode::not_permitted,
                  "plan: it has no campaign, and another plan without one has a report; a second one is made only with "
                  "the person's word");
  }
  if (reports >= limits.reports) {
    return refuse(ErrorCode::over_limit, "limits: as many reports were made as the person agreed to");
  }
  if (!(counted + wanted.counted <= limits.lifetime)) {
    return refuse(ErrorCode::over_limit, "limits: this report would exceed what the person agreed to spend in all");
  }
  return std::size_t{0};
}

Result<void> Ledger::keep(const LedgerEntry& made) {
  if (!locked_) return Error{ErrorCode::invalid_argument, "ledger: keep comes after begin"};
  Result<void> kept = append(made);
  unlock();
  return kept;
}

void Ledger::set_number(std::size_t at, std::size_t width, std::uint64_t value) noexcept {
  for (std::size_t byte = width; byte-- > 0; value >>= 8) buffer_[at + byte] = static_cast<std::uint8_t>(value);
}

// In the place where the ledger is: should the storage fail, the next call reads it anew.
Result<void> Ledger::append(const LedgerEntry& made) {
  const std::size_t needed =
      std::max(size_, kHeader + kDigest) + kFixed + made.campaign.size() + made.report.size() + made.recipient.size();
  if (needed > kMaxSize || made.report.size() > 0xffff) return failure("has no room");
  if (buffer_.size() < needed) grow(needed);
  std::copy(kMagic.begin(), kMagic.end(), buffer_.begin());
  if (size_ == 0) {
    std::fill_n(buffer_.begin() + kCounterAt, kHeader - kCounterAt, std::uint8_t{0});
    size_ = kHeader + kDigest;
  }
  std::size_t at = size_ - kDigest;
  std::uint64_t count = ldp::read_big_endian(std::span(buffer_).subspan(kCountAt, 4));
  // Who was not asked at first, and is now, leaves the first entry.
  for (Entries entries(content()); entries.next();) {
    if (made.state != EntryState::reported || entries->state == EntryState::reported ||
        !same_campaign(*entries, made.campaign, made.plan))
      continue;
    std::copy(buffer_.data() + entries.end(), buffer_.data() + at, buffer_.data() + entries.start());
    at -= entries.end() - entries.start();
    --count;
    break;
  }
  const auto put = [&](std::span<const std::uint8_t> bytes) {
    std::copy(bytes.begin(), bytes.end(), buffer_.data() + at);
    at += bytes.size();
  };
  const auto put_number = [&](std::size_t width, std::uint64_t value) {
    set_number(at, width, value);
    at += width;
  };
  const auto put_text = [&](std::string_view text) {
    put_number(1, text.size());
    put({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  };
  put_number(1, made.recipient.empty() ? static_cast<std::uint8_t>(made.state) : kForRecipient);
  put_text(made.campaign);
  put(made.plan);
  put(made.question);
  for (const double nats : {made.counted, made.features, made.level}) put_number(8, std::bit_cast<std::uint64_t>(nats));
  put_number(2, made.report.size());
  put(made.report);
  if (!made.recipient.empty()) put_text(made.recipient);
  const std::uint64_t counter = ldp::read_big_endian(std::span(buffer_).subspan(kCounterAt, 8)) + 1;
  set_number(kCounterAt, 8, counter);
  set_number(kCountAt, 4, count + 1);
  put(digest_of(std::span(buffer_).first(at)));
  size_ = at;
  if (storage_.store(storage_.host, buffer_.data(), size_) != 0) return failure("cannot be written");
  if (storage_.raise != nullptr && storage_.raise(storage_.host, counter) != 0) {
    return failure("its counter cannot be raised");
  }
  return {};
}

}  // namespace ppgnn::client
