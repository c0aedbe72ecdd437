#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "ppgnn/graph/dataset.hpp"

namespace ppgnn::bench {

/// Unknown labels as class 0: so does Planetoid's own code, by whose results the bars are set.
inline graph::Dataset with_planetoid_labels(graph::Dataset dataset) {
  std::vector<std::int32_t> labels(dataset.labels.begin(), dataset.labels.end());
  std::replace(labels.begin(), labels.end(), graph::kUnknown, 0);
  dataset.labels = std::move(labels);
  return dataset;
}

}  // namespace ppgnn::bench
