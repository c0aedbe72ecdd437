#pragma once

#include <cstdint>
#include <span>

#include "ppgnn/ldp/hint.hpp"
#include "ppgnn/ldp/published_model.hpp"
#include "ppgnn/ldp/row.hpp"

namespace ppgnn::ldp {

inline constexpr std::uint32_t kCertain = std::uint32_t{1} << 16;  ///< what the probabilities of a decision sum to

/// What a device finds, and why: by how much the likeliest class leads the second, in 1/256 nat.
struct Decision {
  std::uint16_t first = 0;    ///< the likeliest class, of equals the one that the model has first
  std::uint16_t second = 0;   ///< the next
  std::int32_t graph = 0;     ///< of the lead, what the hint says
  std::int32_t features = 0;  ///< and what the features say; cut off at 2^24, as every reason is
};

/// Decides on the device, from the public model, the person's hint and the person's own features. **An action that others
/// can see is a report without a bound**: nothing here is sent, and nothing bounds what an application gives away that
/// acts visibly on a decision. So a device takes one model per campaign.
///
/// `probabilities`: one per class, in 2^-16, at least 1 each, summing to exactly 2^16. `groups`: one per group of columns,
/// what the group's columns add to the lead, in 1/256 nat, each rounded toward 0; or empty. Without a feature that is
/// not absent the hint decides alone.
///
/// Determinism  The same integers everywhere: no floating point after features are quantised.
/// Cost         O(listed columns * classes), no allocation.
Decision decide(const PublishedModel& model, const Hint& hint, const Row& row, std::span<std::uint32_t> probabilities,
                std::span<std::int32_t> groups) noexcept;
/// The same on a device that has schema and weights from the plan: what that adds for questions does not count.
Decision decide(const Schema& schema, const QuestionModel& model, const DecisionScale& scale, const Hint& hint,
                const Row& row, std::span<std::uint32_t> probabilities, std::span<std::int32_t> groups) noexcept;

}  // namespace ppgnn::ldp
