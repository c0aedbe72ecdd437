#include "collector/known_people.hpp"

#include <algorithm>
#include <utility>

namespace ppgnn::collector {

namespace {

KnownPeople::Person person_of(const store::Standing& standing) {
  Sha256 hash;
  hash.update(standing.question);
  return {standing.level, standing.round, standing.question.empty() ? Digest{} : hash.finish(), standing.enrolled,
          standing.erased};
}

}  // namespace

void KnownPeople::add(std::string_view name, const Person& person) {
  if (person.enrolled && people_.size() < kMost) people_.try_emplace(std::string(name), person);
}

Result<bool> KnownPeople::read_more(store::Store& store) {
  constexpr std::size_t kAtATime = 2000;  // some milliseconds, in which reports wait
  if (complete_) return false;
  if (!begun_) {
    const Result<store::Counts> counts = store.counts();
    if (!counts) return counts.error();
    const std::unique_lock lock(mutex_);
    people_.reserve(std::min<std::size_t>(counts->enrolled, kMost));  // at once: growing would move everybody
    begun_ = true;
  }
  std::vector<std::pair<std::string, Person>> some;
  some.reserve(kAtATime);
  const auto take = [&](std::string_view name, const store::Standing& standing) {
    some.emplace_back(name, person_of(standing));
    return true;
  };
  if (Result<void> read = store.each_person(take, last_, kAtATime); !read) return read.error();
  const std::unique_lock lock(mutex_);
  for (const auto& [name, person] : some) add(name, person);
  if (!some.empty()) last_ = std::move(some.back().first);
  complete_ = some.size() < kAtATime || people_.size() >= kMost;
  return !complete_;
}

Result<std::vector<KnownPeople::Person>> KnownPeople::find(store::Store& store,
                                                           const std::vector<std::string_view>& names) {
  std::vector<Person> found(names.size());
  std::vector<std::size_t> missing;
  {
    const std::shared_lock lock(mutex_);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto person = people_.find(names[i]);
      if (person == people_.end()) {
        missing.push_back(i);
      } else {
        found[i] = person->second;
      }
    }
  }
  if (missing.empty()) return found;
  std::vector<std::string_view> asked;
  for (const std::size_t i : missing) asked.push_back(names[i]);
  const Result<std::vector<store::Standing>> standings = store.standings(asked);
  if (!standings) return standings.error();
  const std::unique_lock lock(mutex_);
  for (std::size_t k = 0; k < missing.size(); ++k) {
    found[missing[k]] = person_of((*standings)[k]);
    add(asked[k], found[missing[k]]);
  }
  return found;
}

}  // namespace ppgnn::collector
