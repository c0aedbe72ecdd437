// A store that lives as long as the process: no disk, so nothing of it is for good. Made up, to try the list in HACKING.md.
#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "ppgnn/core/sha256.hpp"
#include "store/now.hpp"
#include "store/open.hpp"
#include "store/receipt.hpp"

namespace ppgnn::store {

namespace {

struct Kept {
  struct Report {
    std::string name;
    std::uint32_t round = 0;
    std::vector<std::uint8_t> bytes;
    std::string receipt;  // of somebody who was erased
  };
  std::optional<Campaign> campaign;
  std::map<std::string, Standing, std::less<>> people;
  std::vector<Report> reports;  // in the order they came
  std::optional<std::string> predictions;
  std::vector<Entry> trail;
  std::vector<Work> work;
  std::map<std::string, std::string> texts;
  std::map<std::string, std::vector<std::uint8_t>> hints;
};

struct Shared {
  std::recursive_mutex mutex;
  Kept kept;
};

// All there are, by name: whoever opens one again finds it.
struct Registry {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Shared>> all;
};
Registry& registry() {
  static Registry one;
  return one;
}

class MemoryStore final : public Store {
 public:
  MemoryStore(std::string where, std::shared_ptr<Shared> shared)
      : where_(std::move(where)), shared_(std::move(shared)) {}

  std::string where() const override { return where_; }
  Promises promises() const noexcept override { return {.overwrites = false, .backup = true}; }
  Result<std::optional<Campaign>> campaign() override {
    return locked([](Kept& kept) { return kept.campaign; });
  }
  Result<std::uint64_t> generation() override {
    return locked([](Kept& kept) { return kept.campaign ? kept.campaign->generation : 0; });
  }
  Result<void> begin(std::string_view name, std::string_view split) override {
    return locked([&](Kept& kept) -> Result<void> {
      if (kept.campaign) return check(kept.campaign->name == name && kept.campaign->split == split, "another campaign");
      kept.campaign.emplace();
      kept.campaign->name = name;
      kept.campaign->split = split;
      kept.campaign->generation = 1;
      return note(kept, "begin " + kept.campaign->name);
    });
  }
  Result<void> enrol(std::span<const Person> people) override {
    return locked([&](Kept& kept) -> Result<void> {
      if (archived(kept)) return check(false, "archived");
      std::size_t added = 0;
      for (const Person& one : people) {
        const auto found = kept.people.find(one.name);
        const bool there = found != kept.people.end() && found->second.enrolled;
        if (there && found->second.level != one.level) return check(false, "another level");
      }
      for (const Person& one : people) {
        Standing& standing = kept.people[one.name];
        added += standing.enrolled ? 0U : 1U;
        standing.enrolled = true;
        standing.level = one.level;
      }
      return added == 0 ? Result<void>() : note(kept, "enrol " + std::to_string(added) + " people");
    });
  }
  Result<void> publish(std::uint32_t number, const Round& round, std::span<const Asked> asked) override {
    return locked([&](Kept& kept) -> Result<void> {
      if (!kept.campaign || archived(kept)) return check(false, "no campaign");
      std::vector<Round>& rounds = kept.campaign->rounds;
      if (number < rounds.size()) return check(rounds[number].plan == round.plan, "another plan");
      if (number > rounds.size() || (!rounds.empty() && rounds.back().open)) return check(false, "not its turn");
      for (const Asked& one : asked) {
        if (kept.people[one.name].round) return check(false, "somebody is in an earlier round");
      }
      for (const Asked& one : asked) {
        kept.people[one.name].round = number;
        kept.people[one.name].question = one.question;
      }
      rounds.push_back(round);
      return stepped(kept, "publish round " + std::to_string(number));
    });
  }
  Result<void> close(std::uint32_t number) override {
    return locked([&](Kept& kept) -> Result<void> {
      if (!kept.campaign || number >= kept.campaign->rounds.size()) return check(false, "no such round");
      if (!std::exchange(kept.campaign->rounds[number].open, false)) return {};
      return stepped(kept, "close round " + std::to_string(number));
    });
  }
  Result<void> conclude(std::string_view predictions) override {
    return locked([&](Kept& kept) -> Result<void> {
      if (!kept.campaign || archived(kept)) return check(false, "no campaign");
      kept.predictions = std::string(predictions);
      kept.campaign->concluded = true;
      return stepped(kept, "conclude " + to_hex(sha256(predictions)));
    });
  }
  Result<std::optional<std::string>> predictions() override {
    return locked([](Kept& kept) { return kept.predictions; });
  }
  Result<void> keep(std::string_view name, std::string_view text) override {
    return locked([&](Kept& kept) -> Result<void> {
      if (!kept.campaign || archived(kept)) return check(false, "no campaign");
      kept.texts[std::string(name)] = text;
      return stepped(kept, "keep " + std::string(name) + ' ' + to_hex(sha256(text)));
    });
  }
  Result<std::optional<std::string>> kept(std::string_view name) override {
    return locked([&](Kept& kept) {
      const auto found = kept.texts.find(std::string(name));
      return found == kept.texts.end() ? std::optional<std::string>() : std::optional(found->second);
    });
  }
  Result<void> hint(std::span<const Asked> hints) override {
    return locked([&](Kept& kept) -> Result<void> {
      if (archived(kept)) return check(false, "archived");
      for (const Asked& one : hints) {
        const auto found = kept.hints.find(one.name);
        if (found != kept.hints.end() && found->second != one.question) return check(false, "another hint");
      }
      std::size_t added = 0;
      for (const Asked& one : hints) added += kept.hints.emplace(one.name, one.question).second ? 1U : 0U;
      return added == 0 ? Result<void>() : note(kept, "hint " + std::to_string(added) + " people");
    });
  }
  Result<std::vector<std::uint8_t>> hint_of(std::string_view name) override {
    return locked([&](Kept& kept) {
      const auto found = kept.hints.find(std::string(name));
      return found == kept.hints.end() ? std::vector<std::uint8_t>() : found->second;
    });
  }
  Result<void> each_hint(const TakeBytes& take) override {
    const Kept kept = copy();
    for (const auto& [name, hint] : kept.hints) {
      if (!take(name, hint)) break;
    }
    return {};
  }
  Result<void> alone(const std::function<Result<void>()>& action) override {
    const std::lock_guard lock(shared_->mutex);
    Kept before = shared_->kept;
    Result<void> done = action();
    if (!done) shared_->kept = std::move(before);
    return done;
  }
  Result<std::vector<Outcome>> put(std::span<const Submission> reports) override {
    return locked([&](Kept& kept) {
      std::vector<Outcome> outcomes;
      for (const Submission& one : reports) {
        const Kept::Report* there = report_of(kept, one.name);
        const bool open =
            kept.campaign && one.round < kept.campaign->rounds.size() && kept.campaign->rounds[one.round].open;
        if (there != nullptr) {
          outcomes.push_back(!there->receipt.empty()     ? Outcome::erased
                             : there->bytes == one.bytes ? Outcome::repeated
                                                         : Outcome::differs);
        } else if (open) {
          kept.reports.push_back({one.name, one.round, one.bytes, {}});
          outcomes.push_back(Outcome::stored);
        } else {
          outcomes.push_back(Outcome::closed);
        }
      }
      return outcomes;
    });
  }
  Result<std::optional<std::string>> erase(std::string_view name, std::optional<std::string_view> given) override {
    return locked([&](Kept& kept) -> std::optional<std::string> {
      const auto person = kept.people.find(name);
      if (person == kept.people.end() || !person->second.enrolled) return std::nullopt;
      Kept::Report* there = report_of(kept, name);
      if (there == nullptr) there = &kept.reports.emplace_back(Kept::Report{std::string(name), 0, {}, {}});
      if (!there->receipt.empty()) return there->receipt;
      there->receipt = given ? std::string(*given) : new_receipt();
      there->bytes.clear();
      person->second.level.reset();
      person->second.question.clear();
      person->second.erased = true;
      kept.hints.erase(std::string(name));
      static_cast<void>(note(kept, "erase " + there->receipt));
      return there->receipt;
    });
  }
  Result<void> archive() override {
    return locked([&](Kept& kept) -> Result<void> {
      if (!kept.campaign) return check(false, "no campaign");
      const std::vector<Round>& rounds = kept.campaign->rounds;
      if (!rounds.empty() && rounds.back().open) return check(false, "a round is open");
      return std::exchange(kept.campaign->archived, true) ? Result<void>() : stepped(kept, "archive");
    });
  }
  Result<std::string> remove() override {
    return locked([&](Kept& kept) -> Result<std::string> {
      if (!archived(kept)) return check(false, "not archived").error();
      if (!kept.campaign->removed.empty()) return kept.campaign->removed;
      Kept left;
      left.campaign.emplace();
      left.campaign->name = kept.campaign->name;
      left.campaign->generation = kept.campaign->generation;
      left.campaign->archived = true;
      left.campaign->removed = new_receipt();
      left.trail = std::move(kept.trail);
      kept = std::move(left);
      static_cast<void>(stepped(kept, "remove " + kept.campaign->removed));
      return kept.campaign->removed;
    });
  }
  Result<std::vector<Entry>> trail() override {
    return locked([](Kept& kept) { return kept.trail; });
  }
  Result<std::uint64_t> request(std::string_view step) override {
    return locked([&](Kept& kept) -> Result<std::uint64_t> {
      if (archived(kept)) return check(false, "archived").error();
      for (const Work& one : kept.work) {
        if (one.step == step && one.state == "waiting") return one.number;
      }
      kept.work.push_back({kept.work.size() + 1, std::string(step), "waiting", "", seconds_now()});
      return kept.work.back().number;
    });
  }
  Result<std::optional<Work>> take_work() override {
    return locked([](Kept& kept) -> std::optional<Work> {
      for (Work& one : kept.work) {
        const bool silent = one.state == "working" && one.told < seconds_now() - kSilence;
        if (one.state != "waiting" && !silent) continue;
        one.state = "working";
        one.told = seconds_now();
        return one;
      }
      return std::nullopt;
    });
  }
  Result<void> tell_work(std::uint64_t number, std::string_view state, std::string_view progress) override {
    return locked([&](Kept& kept) -> Result<void> {
      if (number == 0 || number > kept.work.size() || kept.work[number - 1].state != "working") {
        return check(false, "nobody works on it");
      }
      kept.work[number - 1] = {number, kept.work[number - 1].step, std::string(state), std::string(progress),
                               seconds_now()};
      return {};
    });
  }
  Result<std::vector<Work>> work() override {
    return locked([](Kept& kept) { return kept.work; });
  }
  Result<std::vector<std::string>> erased() override {
    return locked([](Kept& kept) {
      std::vector<std::string> names;
      for (const auto& [name, standing] : kept.people) {
        if (standing.erased) names.push_back(name);
      }
      return names;
    });
  }
  Result<std::vector<std::string>> receipts() override {
    return locked([&](Kept& kept) {
      std::vector<std::string> all;
      for (const auto& [name, standing] : kept.people) {
        if (standing.erased) all.push_back(report_of(kept, name)->receipt);
      }
      return all;
    });
  }
  Result<std::vector<Standing>> standings(std::span<const std::string_view> names) override {
    return locked([&](Kept& kept) {
      std::vector<Standing> all;
      for (const std::string_view name : names) {
        const auto found = kept.people.find(name);
        all.push_back(found == kept.people.end() || !found->second.enrolled ? Standing{} : found->second);
      }
      return all;
    });
  }
  Result<bool> reported(std::string_view name) override {
    return locked([&](Kept& kept) {
      const Kept::Report* there = report_of(kept, name);
      return there != nullptr && there->receipt.empty();
    });
  }
  Result<void> each_person(const TakePerson& take, std::optional<std::string_view> after, std::size_t most) override {
    const Kept kept = copy();
    auto next = after ? kept.people.upper_bound(*after) : kept.people.begin();
    for (; next != kept.people.end() && most > 0; ++next, --most) {
      if (next->second.enrolled && !take(next->first, next->second)) break;
    }
    return {};
  }
  Result<void> each_asked(std::uint32_t round, const TakeBytes& take) override {
    const Kept kept = copy();
    for (const auto& [name, standing] : kept.people) {
      if (standing.round == round && !take(name, standing.question)) break;
    }
    return {};
  }
  Result<void> each_report(std::uint32_t round, const TakeBytes& take) override {
    const Kept kept = copy();
    for (const Kept::Report& one : kept.reports) {
      if (one.round == round && one.receipt.empty() && !take(one.name, one.bytes)) break;
    }
    return {};
  }
  Result<Counts> counts() override {
    return locked([](Kept& kept) {
      Counts counts;
      for (const auto& [name, standing] : kept.people) counts.enrolled += standing.enrolled ? 1 : 0;
      counts.reports.resize(kept.campaign ? kept.campaign->rounds.size() : 0);
      for (const Kept::Report& one : kept.reports) ++(one.receipt.empty() ? counts.reports[one.round] : counts.erased);
      return counts;
    });
  }
  Result<void> backup(const std::filesystem::path& path) override {
    auto shared = std::make_shared<Shared>();
    shared->kept = copy();
    const std::lock_guard lock(registry().mutex);
    registry().all[path.string()] = std::move(shared);
    return {};
  }

 private:
  static Kept::Report* report_of(Kept& kept, std::string_view name) {
    const auto found = std::find_if(kept.reports.begin(), kept.reports.end(),
                                    [&](const Kept::Report& one) { return one.name == name; });
    return found == kept.reports.end() ? nullptr : &*found;
  }
  [[nodiscard]] static bool archived(const Kept& kept) { return kept.campaign && kept.campaign->archived; }
  Result<void> note(Kept& kept, const std::string& what) const {
    kept.trail.push_back(next_entry(kept.trail.empty() ? nullptr : &kept.trail.back(), seconds_now(), who_, what));
    return {};
  }
  Result<void> stepped(Kept& kept, const std::string& what) const {
    ++kept.campaign->generation;
    return note(kept, what);
  }
  [[nodiscard]] Result<void> check(bool fits, const char* what) const {
    return fits ? Result<void>() : Error{ErrorCode::mismatch, where_ + ": " + what};
  }
  template <class Action>
  auto locked(Action&& action) -> decltype(action(std::declval<Kept&>())) {
    const std::lock_guard lock(shared_->mutex);
    return action(shared_->kept);
  }
  Kept copy() {
    return locked([](Kept& kept) { return kept; });
  }

  std::string where_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace

// A place has one campaign, whatever it is called.
Result<std::vector<std::string>> list_memory(const Where&) {
  return std::vector<std::string>();
}

Result<std::unique_ptr<Store>> open_memory(const Where& where, Opening opening) {
  const std::lock_guard lock(registry().mutex);
  std::shared_ptr<Shared>& shared = registry().all[where.path];
  if (shared == nullptr && opening == Opening::existing) {
    return Error{ErrorCode::io, where.written + ": cannot be opened"};
  }
  if (shared == nullptr) shared = std::make_shared<Shared>();
  return std::unique_ptr<Store>(std::make_unique<MemoryStore>(where.written, shared));
}

}  // namespace ppgnn::store
