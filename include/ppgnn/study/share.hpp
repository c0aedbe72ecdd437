#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/study/declaration.hpp"

/// The part of some studies that one of several machines makes. docs/studies.md.
namespace ppgnn::study {

/// A study with its cells.
struct PlannedStudy {
  Declaration declaration;
  std::vector<Cell> cells;
};

/// Share `number` of `count`, counted from 1.
struct Share {
  std::size_t number = 1;
  std::size_t count = 1;
};

inline constexpr std::size_t kMaxShares = 100000;

/// Reads "3/16".
///
/// Errors  invalid_argument.
[[nodiscard]] Result<Share> parse_share(std::string_view text);

/// What is never divided: the cells whose values are chosen together, or the runs that share what the server sees.
///
/// Determinism  A function of the declaration alone.
[[nodiscard]] std::string unit_of(const Cell& cell, std::uint64_t run, const Declaration& declaration);

/// The settings of one run that decide what the server sees, as text; of a campaign, those that decide what graph and labels say.
[[nodiscard]] std::string shared_text(const Setting& setting, std::uint64_t run);

/// The units of one share: all units of the studies in the order of their SHA-256, dealt in turn. Every unit is in exactly
/// one share, and shares differ by at most one unit.
///
/// Determinism  A function of the declarations alone, not of data or records.
[[nodiscard]] std::set<std::string> units_of(const std::vector<PlannedStudy>& studies, const Share& share);

}  // namespace ppgnn::study
