#pragma once

#include <array>
#include <cstddef>
#include <span>

/// How finely pilots say how far their features speak for one class against another: by size, in units of a usual lead.
namespace ppgnn::teach {

inline constexpr double kUsualLeads = 1.5;  ///< a unit, in leads that half of imagined people reach

/// Four sizes on either side, and what each stands for.
inline constexpr std::size_t kSizes = 4;
inline constexpr std::array<double, kSizes - 1> kEdges{.5, 1.25, 2.5};
inline constexpr std::array<double, kSizes> kMiddles{.25, .85, 1.8, 3.5};

/// How many sizes a plan may tell apart.
inline constexpr std::array<std::size_t, 3> kPilotConfidences{1, 2, 4};

/// The edges that so many sizes have: all, or the middle one, or none.
inline std::span<const double> edges_of(std::size_t confidences) {
  if (confidences == kSizes) return kEdges;
  return std::span(kEdges).subspan(1, confidences - 1);
}

/// Which of so many sizes one of the four is.
inline std::size_t coarser(std::size_t size, std::size_t confidences) {
  return size * confidences / kSizes;
}

}  // namespace ppgnn::teach
