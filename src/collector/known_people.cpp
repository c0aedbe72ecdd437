#include "collector/known_people.hpp"

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

Result<void> KnownPeople::load(store::Store& store) {
  const std::unique_lock lock(mutex_);
  return store.each_person(
      [&](std::string_view name, const store::Standing& standing) { add(name, person_of(standing)); });
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
