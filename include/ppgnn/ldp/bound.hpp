#pragma once

#include <cstdint>

#include "ppgnn/ldp/plan_level.hpp"

namespace ppgnn::ldp {

/// The table entries that a level may have.
struct EntryRange {
  std::uint64_t low = 1;
  std::uint64_t high = 0;
};

/// Table entries are lowered by this share, and by one unit, when a budget is turned into an integer...
inline constexpr double kInward = 0x1p-48;
/// ...and a loss read back from integers is raised by this share. A loss is the logarithm of a ratio of integers times
/// `sampled`, perhaps plus that of the level report: two conversions, a division, a logarithm good to 2 ulp, a product,
/// this factor and a sum are at most 10 roundings of 2^-53, less than the 16 of kOutward. So the loss stated is never
/// below the true one; and 16 + 10 + 4 for tanh or exp being less than the 32 of kInward, a table made for a budget
/// never fails it.
inline constexpr double kOutward = 0x1p-49;

/// A loss (>= 0) rounded up.
constexpr double outward(double loss) noexcept {
  return loss * (1 + kOutward);
}

}  // namespace ppgnn::ldp
