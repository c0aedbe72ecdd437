#include "ppgnn/graph/generator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "graph/parallel.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"

namespace ppgnn::graph {

namespace {

using seeded::Purpose;
using seeded::SeededStream;

// One stream per person and question, so that more interests do not change anybody's friends.
enum class Question : std::uint64_t { person = 0, friends = 1, interests = 2, label = 3 };

SeededStream stream_of(const SocialOptions& options, std::size_t person, Question question) {
  return {options.seed, Purpose::generate, static_cast<std::uint64_t>(question) << 40 | person};
}

// Uniform in [0, 1), a multiple of 2^-53.
double uniform(SeededStream& bits) {
  return static_cast<double>(bits.next() >> 11) * 0x1p-53;
}

// People handed to a thread at a time.
constexpr std::size_t kPeopleAtOnce = 512;

struct People {
  std::vector<std::uint32_t> community;
  std::vector<std::int32_t> label;
  std::vector<std::uint32_t> stubs;  // edges this person starts; about as many arrive
};

std::int32_t class_of(const SocialOptions& options, std::uint32_t community) {
  return static_cast<std::int32_t>(community / options.communities);
}

People make_people(const SocialOptions& options) {
  People people{std::vector<std::uint32_t>(options.nodes), std::vector<std::int32_t>(options.nodes),
                std::vector<std::uint32_t>(options.nodes)};
  // Pareto weights of mean 1, cut where a hub would expect two edges to the same hub.
  const double power = -1 / (options.exponent - 1);
  const double mean = (options.exponent - 1) / (options.exponent - 2);
  const double limit = std::sqrt(static_cast<double>(options.nodes));
  for_each_index(options.nodes, kPeopleAtOnce, [&](std::size_t person) {
    SeededStream bits = stream_of(options, person, Question::person);
    people.community[person] = static_cast<std::uint32_t>(random::below(options.classes * options.communities, bits));
    people.label[person] = class_of(options, people.community[person]);
    if (uniform(bits) < options.noise && options.classes > 1) {
      const auto other = static_cast<std::int32_t>(random::below(options.classes - 1, bits));
      people.label[person] = other < people.label[person] ? other : other + 1;
    }
    const double weight = std::min(std::pow(1 - uniform(bits), power) / mean, limit);
    people.stubs[person] = static_cast<std::uint32_t>(weight * options.degree / 2 + uniform(bits));
  });
  return people;
}

// Everybody as often as they start edges, ordered by community: a uniform place in a range of it is a person of these
// communities in proportion to degree.
struct Places {
  std::vector<NodeId> person;
  std::vector<std::size_t> community_start;  // one per community and the end
};

Places make_places(const SocialOptions& options, const People& people) {
  const std::size_t communities = options.classes * options.communities;
  Places places;
  places.community_start.assign(communities + 1, 0);
  for (std::size_t i = 0; i < options.nodes; ++i) places.community_start[people.community[i] + 1] += people.stubs[i];
  for (std::size_t c = 0; c < communities; ++c) places.community_start[c + 1] += places.community_start[c];
  places.person.resize(places.community_start[communities]);
  std::vector<std::size_t> next(places.community_start.begin(), places.community_start.end() - 1);
  for (std::size_t i = 0; i < options.nodes; ++i) {
    std::size_t& at = next[people.community[i]];
    std::fill_n(places.person.begin() + static_cast<std::ptrdiff_t>(at), people.stubs[i], static_cast<NodeId>(i));
    at += people.stubs[i];
  }
  return places;
}

NodeId find_friend(const SocialOptions& options, const Places& places, std::uint32_t community, SeededStream& bits) {
  const auto first_of_class = static_cast<std::size_t>(class_of(options, community)) * options.communities;
  const std::size_t class_begin = places.community_start[first_of_class];
  const std::size_t class_size = places.community_start[first_of_class + options.communities] - class_begin;
  const std::size_t own_begin = places.community_start[community];
  const std::size_t own_size = places.community_start[community + 1] - own_begin;
  const double where = uniform(bits);
  if (where < options.local) return places.person[own_begin + random::below(own_size, bits)];
  if (where < options.homophily || class_size == places.person.size()) {
    return places.person[class_begin + random::below(class_size, bits)];
  }
  // Anywhere but in the own class: places after it are counted as if they followed those before it.
  const std::size_t place = random::below(places.person.size() - class_size, bits);
  return places.person[place < class_begin ? place : place + class_size];
}

std::vector<Edge> make_edges(const SocialOptions& options, const People& people) {
  const Places places = make_places(options, people);
  std::vector<std::size_t> start(options.nodes + 1, 0);
  for (std::size_t i = 0; i < options.nodes; ++i) start[i + 1] = start[i] + people.stubs[i];
  std::vector<Edge> edges(start[options.nodes]);
  for_each_index(options.nodes, kPeopleAtOnce, [&](std::size_t person) {
    SeededStream bits = stream_of(options, person, Question::friends);
    const auto self = static_cast<NodeId>(person);
    for (std::size_t i = start[person]; i < start[person + 1]; ++i) {
      edges[i] = {self, find_friend(options, places, people.community[person], bits)};
    }
  });
  return edges;
}

Result<Features> make_attributes(const SocialOptions& options, const People& people) {
  if (options.attributes == 0) return no_features(options.nodes);
  // Drawn by person in parallel, with room for the most there can be, then joined in order.
  std::vector<std::vector<std::uint32_t>> drawn(options.nodes);
  for_each_index(options.nodes, kPeopleAtOnce, [&](std::size_t person) {
    SeededStream bits = stream_of(options, person, Question::interests);
    const auto own = static_cast<std::size_t>(people.label[person]);
    const std::size_t own_columns = (options.attributes - own + options.classes - 1) / options.classes;
    const auto popular = [&](std::size_t count) {
      return std::min(random::below(count, bits), random::below(count, bits));
    };
    auto& columns = drawn[person];
    columns.reserve(options.interests);
    for (std::size_t i = 0; i < options.interests; ++i) {
      const bool from_own = uniform(bits) < options.signal;
      columns.push_back(static_cast<std::uint32_t>(from_own ? own + options.classes * popular(own_columns)
                                                            : popular(options.attributes)));
    }
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  });
  std::vector<std::uint64_t> offsets(options.nodes + 1, 0);
  for (std::size_t i = 0; i < options.nodes; ++i) offsets[i + 1] = offsets[i] + drawn[i].size();
  std::vector<std::uint32_t> columns(offsets[options.nodes]);
  for_each_index(options.nodes, kPeopleAtOnce, [&](std::size_t i) {
    std::copy(drawn[i].begin(), drawn[i].end(), columns.begin() + static_cast<std::ptrdiff_t>(offsets[i]));
  });
  auto pattern = Csr::make(std::move(offsets), std::move(columns), options.attributes);
  if (!pattern) return pattern.error();
  return Features::make(std::move(*pattern), {}, FeatureSchema::binary(options.attributes, SchemaOrigin::declared));
}

// Forgets the class of some people, after all that follows from it is drawn.
void hide_labels(const SocialOptions& options, People& people) {
  if (options.labelled >= 1) return;
  for_each_index(options.nodes, kPeopleAtOnce, [&](std::size_t person) {
    SeededStream bits = stream_of(options, person, Question::label);
    if (uniform(bits) >= options.labelled) people.label[person] = kUnknown;
  });
}

// One line per knob: its name, where it is kept, and its range.
struct Knob {
  std::string_view name;
  std::variant<std::uint64_t SocialOptions::*, double SocialOptions::*> field;
  double low;
  double high;
};

static_assert(std::is_same_v<std::size_t, std::uint64_t>);
constexpr double kAnySeed = 0x1p64;

constexpr std::array<Knob, 13> kKnobs{{{"seed", &SocialOptions::seed, 0, kAnySeed},
                                       {"nodes", &SocialOptions::nodes, 1, 4294967295.0},
                                       {"classes", &SocialOptions::classes, 1, 1000},
                                       {"communities", &SocialOptions::communities, 1, 1000},
                                       {"degree", &SocialOptions::degree, 0, 1000},
                                       {"exponent", &SocialOptions::exponent, 2.1, 10},
                                       {"local", &SocialOptions::local, 0, 1},
                                       {"homophily", &SocialOptions::homophily, 0, 1},
                                       {"noise", &SocialOptions::noise, 0, 1},
                                       {"attributes", &SocialOptions::attributes, 0, 0x1p20},
                                       {"interests", &SocialOptions::interests, 0, 1000},
                                       {"signal", &SocialOptions::signal, 0, 1},
                                       {"labelled", &SocialOptions::labelled, 0, 1}}};

Error knob_error(std::string_view knob, const std::string& what) {
  return {ErrorCode::invalid_argument, std::string(kSocialName) + ": " + std::string(knob) + ' ' + what};
}

Result<void> check_options(const SocialOptions& options) {
  for (const Knob& knob : kKnobs) {
    const double value = std::visit([&](auto field) { return static_cast<double>(options.*field); }, knob.field);
    if (!(value >= knob.low && value <= knob.high)) {
      return knob_error(knob.name, "is " + format_number(value) + ", outside " + format_number(knob.low) + " to " +
                                       format_number(knob.high));
    }
  }
  if (options.homophily < options.local) return knob_error("homophily", "is below local");
  if (options.attributes > 0 && options.attributes < options.classes) {
    return knob_error("attributes", "is below the number of classes");
  }
  return {};
}

}  // namespace

Result<Dataset> generate_social(const SocialOptions& options) {
  if (const auto checked = check_options(options); !checked) return checked.error();
  People people = make_people(options);
  auto features = make_attributes(options, people);
  if (!features) return features.error();
  // People who drew themselves as a friend have one friend less.
  auto graph = build_graph(options.nodes, make_edges(options, people), {Direction::symmetrise, SelfLoops::drop});
  if (!graph) return graph.error();
  hide_labels(options, people);
  return Dataset{std::string(kSocialName),
                 std::move(*graph),
                 std::move(*features),
                 std::move(people.label),
                 numbered_names(options.classes),
                 NodeNames(options.nodes),
                 {}};
}

std::string social_knobs() {
  std::string names;
  for (const Knob& knob : kKnobs) names += (names.empty() ? "" : ", ") + std::string(knob.name);
  return names;
}

Result<SocialOptions> parse_social(std::string_view name) {
  SocialOptions options;
  if (!name.starts_with(kSocialName)) return knob_error(name.substr(0, 80), "is not a generated data set");
  name.remove_prefix(kSocialName.size());
  while (!name.empty()) {
    if (name.front() != ',') return knob_error(name.substr(0, 80), "does not follow a comma");
    const std::string_view item = name.substr(1, name.find(',', 1) - 1);
    name.remove_prefix(item.size() + 1);
    const std::string_view key = item.substr(0, item.find('='));
    const std::string_view text = key.size() < item.size() ? item.substr(key.size() + 1) : std::string_view();
    const auto knob = std::find_if(kKnobs.begin(), kKnobs.end(), [&](const Knob& k) { return k.name == key; });
    if (knob == kKnobs.end()) return knob_error(key.substr(0, 80), "is not a knob; there are " + social_knobs());
    const bool parsed = std::visit(
        [&](auto field) {
          using Value = std::remove_reference_t<decltype(options.*field)>;
          if constexpr (std::is_same_v<Value, double>) {
            const auto value = parse_number(text);
            if (value) options.*field = *value;
            return value.has_value();
          } else {
            const auto value = parse_unsigned(text);
            if (value) options.*field = *value;
            return value.has_value();
          }
        },
        knob->field);
    if (!parsed) {
      const char* kind = std::holds_alternative<double SocialOptions::*>(knob->field) ? "a number" : "a whole number";
      return knob_error(
          key, std::string("needs ") + kind + " from " + format_number(knob->low) + " to " + format_number(knob->high));
    }
  }
  if (const auto checked = check_options(options); !checked) return checked.error();
  return options;
}

}  // namespace ppgnn::graph
