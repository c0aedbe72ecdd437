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
constexpr std::string_view kMagic = "ppgnn-ledger 1\n";
constexpr std::size_t kCounterAt = kMagic.size();
constexpr std::size_t kCountAt = kCounterAt + 8;
constexpr std::size_t kHeader = kCountAt + 4;
constexpr std::size_t kDigest = sizeof(Digest);
constexpr std::size_t kMaxName = 64;
constexpr std::size_t kFixed = 1 + 1 + 2 * kDigest + std::size_t{3} * 8 + 2;  // of an entry, without name and report
constexpr std::size_t kMaxSize = std::size_t{1} << 24;

Error damaged() {
  return {ErrorCode::malformed,
          "ledger: it is damaged, so that nobody knows what was reported, and nothing is; restore it, or remove it and "
          "count what it forgets as spent"};
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
  entry.state = static_cast<EntryState>(state);
  entry.campaign = {reinterpret_cast<const char*>(name.data()), name.size()};
  entry.plan = reader.digest();
  entry.question = reader.digest();
  entry.counted = reader.nats();
  entry.features = reader.nats();
  entry.level = reader.nats();
  entry.report = reader.bytes(static_cast<std::size_t>(reader.number(2)));
  if (!reader.ok() || !is_name(entry.campaign) || std::isinf(entry.counted) || std::isinf(entry.features)) return {};
  if (entry.state == EntryState::reported) return entry.report.empty() ? std::nullopt : std::optional(entry);
  const bool nothing = entry.counted == 0 && entry.features == 0 && entry.level == 0 && entry.report.empty() &&
                       entry.question == Digest{};
  return entry.state == EntryState::not_asked && nothing ? std::optional(entry) : std::nullopt;
}

// Calls visit(entry, start, end) for every entry until it says true; false: the bytes are no entries.
template <class Visit>
bool for_each_entry(std::span<const std::uint8_t> ledger, const Visit& visit) noexcept {
  if (ledger.empty()) return true;
  const auto body = ledger.first(ledger.size() - kDigest);
  Reader reader(body);
  reader.bytes(kCountAt);
  const std::uint64_t count = reader.number(4);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t start = body.size() - reader.left();
    const auto entry = next_entry(reader);
    if (!entry) return false;
    if (visit(*entry, start, body.size() - reader.left())) return true;
  }
  return reader.at_end();
}

bool is_ledger(std::span<const std::uint8_t> bytes) noexcept {
  if (bytes.size() < kHeader + kDigest || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) return false;
  const Digest digest = digest_of(bytes.first(bytes.size() - kDigest));
  if (!std::equal(digest.begin(), digest.end(), bytes.end() - static_cast<std::ptrdiff_t>(kDigest))) return false;
  return for_each_entry(bytes, [](const LedgerEntry&, std::size_t, std::size_t) { return false; });
}

// A campaign is known by its name; a plan without one is a campaign of its own.
bool same_campaign(const LedgerEntry& entry, std::string_view campaign, const Digest& plan) noexcept {
  return entry.campaign == campaign && (!campaign.empty() || entry.plan == plan);
}

}  // namespace

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
  if (Result<void> loaded = ledger.load_locked(); !loaded) return loaded.error();
  ledger.grow(std::max(ledger.size_, kHeader + kDigest) + kFixed + kMaxName + room);
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
  if (own != counter + 1) {
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
  for_each_entry(std::span(buffer_).first(size_), [&](const LedgerEntry& entry, std::size_t, std::size_t) {
    ++sum.entries;
    sum.reports += static_cast<std::uint64_t>(entry.state == EntryState::reported);
    sum.counted += entry.counted;
    sum.features += entry.features;
    sum.level += entry.level;
    return false;
  });
  return sum;
}

Result<std::optional<LedgerEntry>> Ledger::find(std::string_view campaign, const Digest& plan) {
  if (Result<void> loaded = load_locked(); !loaded) return loaded.error();
  std::optional<LedgerEntry> found;
  for_each_entry(std::span(buffer_).first(size_), [&](const LedgerEntry& entry, std::size_t, std::size_t) {
    if (same_campaign(entry, campaign, plan)) found = entry;
    return found.has_value();
  });
  return found;
}

Result<std::optional<LedgerEntry>> Ledger::entry(std::uint32_t index) {
  if (Result<void> loaded = load_locked(); !loaded) return loaded.error();
  std::optional<LedgerEntry> found;
  std::uint32_t place = 0;
  for_each_entry(std::span(buffer_).first(size_), [&](const LedgerEntry& entry, std::size_t, std::size_t) {
    if (place++ == index) found = entry;
    return found.has_value();
  });
  return found;
}

Result<void> Ledger::note_not_asked(std::string_view campaign, const Digest& plan) {
  if (Result<void> held = lock(); !held) return held;
  Result<void> done = load();
  bool known = false;
  if (done) {
    for_each_entry(std::span(buffer_).first(size_), [&](const LedgerEntry& entry, std::size_t, std::size_t) {
      return known = known || same_campaign(entry, campaign, plan);
    });
  }
  if (done && !known) done = append({.state = EntryState::not_asked, .campaign = campaign, .plan = plan});
  unlock();
  return done;
}

Result<std::size_t> Ledger::begin(const LedgerEntry& wanted, const Limits& limits, std::span<std::uint8_t> out) {
  if (Result<void> held = lock(); !held) return held.error();
  if (Result<void> loaded = load(); !loaded) {
    unlock();
    return loaded.error();
  }
  std::uint64_t reports = 0;
  double counted = 0;
  std::optional<LedgerEntry> stored;
  for_each_entry(std::span(buffer_).first(size_), [&](const LedgerEntry& entry, std::size_t, std::size_t) {
    if (entry.state != EntryState::reported) return false;
    ++reports;
    counted += entry.counted;
    if (same_campaign(entry, wanted.campaign, wanted.plan)) stored = entry;
    return false;
  });
  const auto refuse = [&](ErrorCode code, const char* message) {
    unlock();
    return Error{code, message};
  };
  if (stored) {
    if (stored->plan != wanted.plan || stored->question != wanted.question) {
      return refuse(ErrorCode::reported,
                    "campaign: it has its report, of another plan or to another question; there is one a campaign");
    }
    if (stored->report.size() > out.size())
      return refuse(ErrorCode::invalid_argument, "report: the buffer is too small");
    std::copy(stored->report.begin(), stored->report.end(), out.begin());
    unlock();
    return stored->report.size();
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
  const std::size_t needed = std::max(size_, kHeader + kDigest) + kFixed + made.campaign.size() + made.report.size();
  if (needed > kMaxSize || made.report.size() > 0xffff) return failure("has no room");
  if (buffer_.size() < needed) grow(needed);
  if (size_ == 0) {
    std::copy(kMagic.begin(), kMagic.end(), buffer_.begin());
    std::fill_n(buffer_.begin() + kCounterAt, kHeader - kCounterAt, std::uint8_t{0});
    size_ = kHeader + kDigest;
  }
  std::size_t at = size_ - kDigest;
  std::uint64_t count = ldp::read_big_endian(std::span(buffer_).subspan(kCountAt, 4));
  // Who was not asked at first, and is now, leaves the first entry.
  for_each_entry(std::span(buffer_).first(size_), [&](const LedgerEntry& entry, std::size_t start, std::size_t end) {
    if (entry.state == EntryState::reported || !same_campaign(entry, made.campaign, made.plan)) return false;
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(end), buffer_.begin() + static_cast<std::ptrdiff_t>(at),
              buffer_.begin() + static_cast<std::ptrdiff_t>(start));
    at -= end - start;
    --count;
    return true;
  });
  const auto put = [&](std::span<const std::uint8_t> bytes) {
    std::copy(bytes.begin(), bytes.end(), buffer_.begin() + static_cast<std::ptrdiff_t>(at));
    at += bytes.size();
  };
  const auto put_number = [&](std::size_t width, std::uint64_t value) {
    set_number(at, width, value);
    at += width;
  };
  put_number(1, static_cast<std::uint8_t>(made.state));
  put_number(1, made.campaign.size());
  put({reinterpret_cast<const std::uint8_t*>(made.campaign.data()), made.campaign.size()});
  put(made.plan);
  put(made.question);
  for (const double nats : {made.counted, made.features, made.level}) put_number(8, std::bit_cast<std::uint64_t>(nats));
  put_number(2, made.report.size());
  put(made.report);
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
