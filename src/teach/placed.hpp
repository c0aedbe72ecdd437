#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ppgnn/server/problem.hpp"

namespace ppgnn::teach {

/// People by their places in the engine's order, ascending.
inline std::vector<std::uint32_t> placed(const server::Problem& problem, const std::vector<graph::NodeId>& people) {
  std::vector<std::uint32_t> places;
  places.reserve(people.size());
  for (const graph::NodeId person : people) places.push_back(problem.order().to_new(person));
  std::sort(places.begin(), places.end());
  return places;
}

}  // namespace ppgnn::teach
