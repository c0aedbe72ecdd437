#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/io/named_bytes.hpp"
#include "ppgnn/ldp/plan.hpp"

/// Everybody's privacy level: drawn, or read from a file.
namespace ppgnn::population {

/// How people choose their levels.
enum class LevelChoice {
  uniform,  ///< each level as likely
  strict,   ///< everybody the strictest
  relaxed,  ///< everybody the most relaxed
  bimodal,  ///< the strictest or the most relaxed, as likely
};
struct LevelChoiceRow {
  std::string_view name;
  LevelChoice choice;
};
inline constexpr std::array kLevelChoices{
    LevelChoiceRow{"uniform", LevelChoice::uniform}, LevelChoiceRow{"strict", LevelChoice::strict},
    LevelChoiceRow{"relaxed", LevelChoice::relaxed}, LevelChoiceRow{"bimodal", LevelChoice::bimodal}};

/// One level per person. Person i's depends on the seed, the run and i only.
[[nodiscard]] std::vector<ldp::Level> choose_levels(LevelChoice choice, std::size_t people, std::size_t levels,
                                                    std::uint64_t seed, std::uint64_t run);

/// Reads `node,level` lines: every node once.
///
/// Errors  malformed, naming file and line; a level out of range is refused without naming it.
[[nodiscard]] Result<std::vector<ldp::Level>> parse_levels(const io::NamedBytes& file, const graph::Dataset& dataset,
                                                           std::size_t levels);
/// parse_levels of the file at `path`.
[[nodiscard]] Result<std::vector<ldp::Level>> read_levels(const std::filesystem::path& path,
                                                          const graph::Dataset& dataset, std::size_t levels);

/// Everybody's level as somebody names them: a LevelChoice, or a file for read_levels.
[[nodiscard]] Result<std::vector<ldp::Level>> levels_for(const std::string& choice_or_file,
                                                         const graph::Dataset& dataset, std::size_t levels,
                                                         std::uint64_t seed, std::uint64_t run);

}  // namespace ppgnn::population
