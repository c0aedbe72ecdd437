#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/report.hpp"
#include "support/plans.hpp"
#include "support/scripted_bits.hpp"

/// Reports of more signs than a machine word has bits, which no test can walk in full: looked at where each sign turns.
namespace ppgnn::test {

inline constexpr std::uint32_t kManySigns = 100;

/// Half of the columns in a report.
inline ldp::Plan many_signs_plan() {
  ldp::PlanRequest request = number_request({kManySigns / 4.0, kManySigns / 2.0}, 2 * kManySigns);
  request.shape.sampled = kManySigns;
  request.level_budget = 400;
  return plan_of(request);
}

/// What is wrong with a device of `many_signs_plan()` that draws the second half of the columns: every sign must turn at
/// exactly the draw that its own column's value says, by words of its own.
template <class Device>
std::string finding_at_many_signs(const ldp::Plan& plan, Device&& device) {
  std::vector<float> values;
  for (std::uint32_t column = 0; column < 2 * kManySigns; ++column) {
    values.push_back(-1 + static_cast<float>(column * 37 % 256) / 128);
  }
  for (std::uint32_t level = 1; level <= plan.levels().size(); ++level) {
    for (const std::uint32_t pattern : {0u, ~0u, 0x5a3c96e1u, 0xa5c3691eu}) {
      const auto plus = [&](std::uint32_t i) { return (pattern >> i % 31 & 1) != 0; };
      std::vector<std::uint64_t> words;
      for (std::uint32_t column = kManySigns; column < 2 * kManySigns; ++column)
        words.push_back(word_for(column, column + 1));
      for (std::uint32_t i = 0; i < kManySigns; ++i) {
        const auto feature = static_cast<std::int64_t>(static_cast<double>(values[kManySigns + i]) * 0x1p30);
        const auto turn = static_cast<random::UInt128>((random::Int128{1} << 92) +
                                                       random::Int128{feature} *
                                                           static_cast<std::int64_t>(plan.levels()[level - 1].entry));
        const auto [high, low] = words_for_sign(plus(i) ? turn - 1 : turn);
        words.insert(words.end(), {high, low});
      }
      ScriptedBits bits(words);
      ldp::Report report;
      device(ldp::Level{level}, ldp::Row::dense(values), bits, report);
      if (bits.exhausted() || bits.used() != words.size()) return "another number of words";
      if (report.columns.size() != kManySigns) return "another number of columns";
      for (std::uint32_t i = 0; i < kManySigns; ++i) {
        const std::string where = " at sign " + std::to_string(i);
        if (report.columns[i] != kManySigns + i) return "another column" + where;
        if (report.signs[i] != (plus(i) ? 1 : -1)) return "sign" + where;
      }
    }
  }
  return {};
}

}  // namespace ppgnn::test
