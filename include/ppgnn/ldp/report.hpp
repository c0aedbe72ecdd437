#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ppgnn::ldp {

/// What one person sends in one round. Everything in it is public; which fields are used is the plan's choice.
struct Report {
  std::uint64_t round = 0;
  /// Absent for protected levels without a level report; the randomised level (may lie outside 1..levels) with one;
  /// the true level where the plan makes levels public.
  std::optional<std::int32_t> reported_level;
  /// Signs: the sampled columns, ascending, and +1 or -1 for each.
  std::vector<std::uint32_t> columns;
  std::vector<std::int8_t> signs;
  /// Category: the randomised class.
  std::uint32_t category = 0;

  bool operator==(const Report&) const = default;
};

}  // namespace ppgnn::ldp
