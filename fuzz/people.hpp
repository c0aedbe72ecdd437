#pragma once

#include "ppgnn/graph/generator.hpp"

namespace ppgnn::fuzz {

/// A few people for files that name them: "0" to "39", with 8 attributes.
inline const graph::Dataset& people() {
  static const graph::Dataset kPeople = *graph::generate_social({.nodes = 40, .attributes = 8});
  return kPeople;
}

}  // namespace ppgnn::fuzz
