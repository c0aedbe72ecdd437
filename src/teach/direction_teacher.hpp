#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "ppgnn/teach/teacher.hpp"

namespace ppgnn::teach {

/// Learns from direction reports: the mean of the directions sent in a class leans toward the mean of its features.
/// Classes' deviations from the overall mean are shrunk by how much of them is noise.
///
/// Cost  Directions times columns times classes, whatever the number of reports.
[[nodiscard]] TaughtModel learn_directions(const ldp::Plan& plan, std::span<const ldp::NodeReport> reports,
                                           const Beliefs& believed);

/// Means are of features of length one; a device divides by the sum of absolute values instead, which of many columns
/// alike is this much longer.
[[nodiscard]] double longer(std::size_t columns);

/// What a device makes of somebody of class `own`, imagined: the mean of the class, and as much scatter as features of
/// length one have.
[[nodiscard]] std::vector<double> imagined_scores(const TaughtModel& model, std::size_t own,
                                                  seeded::SeededStream& bits);

}  // namespace ppgnn::teach
