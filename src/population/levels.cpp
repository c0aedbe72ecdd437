#include "ppgnn/population/levels.hpp"

#include <algorithm>

#include "ppgnn/core/names.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/graph/node_lines.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"

namespace ppgnn::population {

std::vector<ldp::Level> choose_levels(LevelChoice choice, std::size_t people, std::size_t levels, std::uint64_t seed,
                                      std::uint64_t run) {
  std::vector<ldp::Level> chosen(people, ldp::Level{1});
  const auto last = static_cast<std::uint32_t>(levels);
  for (std::size_t person = 0; person < people; ++person) {
    seeded::SeededStream bits(seed, seeded::Purpose::level, run << 32 | person);
    switch (choice) {
      case LevelChoice::uniform:
        chosen[person] = ldp::Level{static_cast<std::uint32_t>(random::below(levels, bits)) + 1};
        break;
      case LevelChoice::strict:
        break;
      case LevelChoice::relaxed:
        chosen[person] = ldp::Level{last};
        break;
      case LevelChoice::bimodal:
        chosen[person] = ldp::Level{random::below(2, bits) == 0 ? 1 : last};
        break;
    }
  }
  return chosen;
}

Result<std::vector<ldp::Level>> read_levels(const std::filesystem::path& path, const graph::Dataset& dataset,
                                            std::size_t levels) {
  const Result<std::string> bytes = io::read_input(path);
  if (!bytes) return bytes.error();
  return parse_levels({io::input_name(path), *bytes}, dataset, levels);
}

Result<std::vector<ldp::Level>> parse_levels(const io::NamedBytes& file, const graph::Dataset& dataset,
                                             std::size_t levels) {
  std::vector<ldp::Level> chosen(dataset.num_nodes(), ldp::Level{0});
  const auto take = [&](std::uint32_t node, std::string_view value) -> std::string {
    const auto level = parse_unsigned(value);
    if (!level || *level < 1 || *level > levels) return "level: must be between 1 and " + std::to_string(levels);
    chosen[node] = ldp::Level{static_cast<std::uint32_t>(*level)};
    return {};
  };
  if (Result<void> read = graph::parse_node_lines(file, dataset.nodes, "level", take); !read) return read.error();
  const auto missing = std::find(chosen.begin(), chosen.end(), ldp::Level{0});
  if (missing != chosen.end()) {
    const auto node = static_cast<graph::NodeId>(missing - chosen.begin());
    return Error{ErrorCode::malformed, file.name + ": no level for node '" + dataset.nodes.name(node) + "'"};
  }
  return chosen;
}

Result<std::vector<ldp::Level>> levels_for(const std::string& choice_or_file, const graph::Dataset& dataset,
                                           std::size_t levels, std::uint64_t seed, std::uint64_t run) {
  if (const auto* row = find_named(kLevelChoices, choice_or_file)) {
    return choose_levels(row->choice, dataset.num_nodes(), levels, seed, run);
  }
  return read_levels(choice_or_file, dataset, levels);
}

}  // namespace ppgnn::population
