#include "ppgnn/store/copy.hpp"

#include <array>
#include <utility>

#include "ppgnn/core/sha256.hpp"

namespace ppgnn::store {

namespace {

constexpr std::size_t kPeopleAtATime = 10'000;
constexpr std::size_t kReportsAtATime = 4'000;

// Reads all of one kind and hands it on in pieces, until one fails.
template <class Item>
class Pieces {
 public:
  Pieces(std::size_t most, std::function<Result<void>(const std::vector<Item>&)> write)
      : most_(most), write_(std::move(write)) {}
  [[nodiscard]] bool add(Item item) {
    some_.push_back(std::move(item));
    return some_.size() < most_ || flush();
  }
  /// After reading: what is left, and what went wrong.
  [[nodiscard]] Result<void> finish(Result<void> read) {
    if (read && state_ && !some_.empty()) static_cast<void>(flush());
    return read ? state_ : read;
  }

 private:
  bool flush() {
    state_ = write_(some_);
    some_.clear();
    return state_.ok();
  }
  std::size_t most_;
  std::function<Result<void>(const std::vector<Item>&)> write_;
  std::vector<Item> some_;
  Result<void> state_;
};

Result<void> copy_people(Store& from, Store& to, Copied& copied) {
  Pieces<Person> people(kPeopleAtATime, [&](const std::vector<Person>& some) { return to.enrol(some); });
  return people.finish(from.each_person([&](std::string_view name, const Standing& standing) {
    ++copied.people;
    return people.add({std::string(name), standing.level});
  }));
}

Result<void> copy_round(Store& from, Store& to, std::uint32_t number, const Round& round, Copied& copied) {
  std::vector<Asked> asked;
  Result<void> read = from.each_asked(number, [&](std::string_view name, std::span<const std::uint8_t> question) {
    asked.push_back({std::string(name), {question.begin(), question.end()}});
    return true;
  });
  if (!read) return read;
  if (Result<void> published = to.publish(number, {round.plan, round.people, true}, asked); !published) {
    return published;
  }
  Pieces<Submission> reports(kReportsAtATime, [&](const std::vector<Submission>& some) -> Result<void> {
    const Result<std::vector<Outcome>> outcomes = to.put(some);
    if (!outcomes) return outcomes.error();
    for (const Outcome outcome : *outcomes) {
      if (outcome == Outcome::stored || outcome == Outcome::repeated) continue;
      return Error{ErrorCode::mismatch,
                   to.where() + ": takes not every report: it was in use, or is another campaign's"};
    }
    return {};
  });
  read = reports.finish(from.each_report(number, [&](std::string_view name, std::span<const std::uint8_t> bytes) {
    ++copied.reports;
    return reports.add({std::string(name), number, {bytes.begin(), bytes.end()}});
  }));
  if (!read || round.open) return read;
  return to.close(number);
}

Result<void> copy_erasures(Store& from, Store& to) {
  const Result<std::vector<std::string>> names = from.erased();
  if (!names) return names.error();
  const Result<std::vector<std::string>> receipts = from.receipts();
  if (!receipts) return receipts.error();
  const Result<std::vector<std::string>> before = to.receipts();
  if (!before) return before.error();
  if (*before == *receipts) return {};
  for (std::size_t i = 0; i < names->size(); ++i) {
    if (Result<std::optional<std::string>> erased = to.erase((*names)[i], (*receipts)[i]); !erased)
      return erased.error();
  }
  return {};
}

Result<void> copy_predictions(Store& from, Store& to) {
  const Result<std::optional<std::string>> text = from.predictions();
  if (!text) return text.error();
  const Result<std::optional<std::string>> before = to.predictions();
  if (!before) return before.error();
  return *text && *text != *before ? to.conclude(**text) : Result<void>();
}

constexpr std::array kTexts{"home", "model", "lift", "withdrawn"};

Result<void> copy_published(Store& from, Store& to) {
  for (const char* name : kTexts) {
    const Result<std::optional<std::string>> text = from.kept(name);
    if (!text) return text.error();
    const Result<std::optional<std::string>> before = to.kept(name);
    if (!before) return before.error();
    if (!*text || *text == *before) continue;
    if (Result<void> kept = to.keep(name, **text); !kept) return kept;
  }
  Pieces<Asked> hints(kPeopleAtATime, [&](const std::vector<Asked>& some) { return to.hint(some); });
  return hints.finish(from.each_hint([&](std::string_view name, std::span<const std::uint8_t> hint) {
    return hints.add({std::string(name), {hint.begin(), hint.end()}});
  }));
}

// Everything that a store holds of its campaign, as one number. Each part says how long it is.
class Contents {
 public:
  void add(std::string_view text) {
    add(text.size());
    hash_.update(text);
  }
  void add(std::span<const std::uint8_t> bytes) {
    add(bytes.size());
    hash_.update(bytes);
  }
  void add(std::uint64_t number) {
    std::array<std::uint8_t, 8> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
    hash_.update(bytes);
  }
  void add(const std::optional<std::uint32_t>& number) { add(number ? std::uint64_t{*number} : ~std::uint64_t{0}); }
  [[nodiscard]] TakeBytes each() {
    return [this](std::string_view name, std::span<const std::uint8_t> bytes) {
      add(name);
      add(bytes);
      return true;
    };
  }
  [[nodiscard]] Digest digest() { return hash_.finish(); }

 private:
  Sha256 hash_;
};

Result<Digest> contents_of(Store& store) {
  Contents all;
  const Result<std::optional<Campaign>> campaign = store.campaign();
  if (!campaign) return campaign.error();
  all.add((*campaign)->name);
  all.add((*campaign)->split);
  for (std::uint32_t number = 0; number < (*campaign)->rounds.size(); ++number) {
    const Round& round = (*campaign)->rounds[number];
    all.add(round.plan);
    all.add(round.people);
    all.add(std::uint64_t{round.open});
    if (Result<void> read = store.each_asked(number, all.each()); !read) return read.error();
    if (Result<void> read = store.each_report(number, all.each()); !read) return read.error();
  }
  Result<void> read = store.each_person([&](std::string_view name, const Standing& standing) {
    all.add(name);
    all.add(standing.level);
    all.add(standing.round);
    all.add(standing.question);
    all.add(std::uint64_t{standing.erased});
    return true;
  });
  if (!read) return read.error();
  const Result<std::vector<std::string>> receipts = store.receipts();
  if (!receipts) return receipts.error();
  for (const std::string& one : *receipts) all.add(one);
  const Result<std::optional<std::string>> predictions = store.predictions();
  if (!predictions) return predictions.error();
  if (*predictions) all.add(**predictions);
  for (const char* name : kTexts) {
    const Result<std::optional<std::string>> text = store.kept(name);
    if (!text) return text.error();
    if (*text) all.add(**text);
  }
  if (read = store.each_hint(all.each()); !read) return read.error();
  const Result<Counts> counts = store.counts();
  if (!counts) return counts.error();
  all.add(counts->enrolled);
  all.add(counts->erased);
  for (const std::uint64_t one : counts->reports) all.add(one);
  return all.digest();
}

Result<void> compare(Store& from, Store& to) {
  const Result<Digest> one = contents_of(from);
  if (!one) return one.error();
  const Result<Digest> other = contents_of(to);
  if (!other) return other.error();
  if (*one == *other) return {};
  return Error{ErrorCode::mismatch, to.where() + ": does not hold the same as " + from.where()};
}

}  // namespace

Result<Copied> copy(Store& from, Store& to) {
  Copied copied;
  const Result<void> done = from.alone([&]() -> Result<void> {
    const Result<std::optional<Campaign>> campaign = from.campaign();
    if (!campaign) return campaign.error();
    if (!*campaign) return Error{ErrorCode::mismatch, from.where() + ": there is no campaign in it"};
    Result<void> step = to.begin((*campaign)->name, (*campaign)->split);
    if (step) step = copy_people(from, to, copied);
    for (std::uint32_t number = 0; step && number < (*campaign)->rounds.size(); ++number) {
      step = copy_round(from, to, number, (*campaign)->rounds[number], copied);
    }
    if (step) step = copy_published(from, to);
    if (step) step = copy_erasures(from, to);
    if (step) step = copy_predictions(from, to);
    return step ? compare(from, to) : step;
  });
  if (!done) return done.error();
  return copied;
}

}  // namespace ppgnn::store
