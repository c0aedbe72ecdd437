#pragma once

#include <algorithm>
#include <vector>

#include "ppgnn/graph/features.hpp"

namespace ppgnn::test {

/// All rows one after the other, with absent entries filled in.
inline std::vector<float> dense(const graph::Features& features, graph::FeatureScale scale) {
  const auto scaled = [&](std::size_t column, float value) {
    return scale == graph::FeatureScale::unit ? features.to_unit(column, value) : value;
  };
  std::vector<float> values;
  for (std::size_t row = 0; row < features.rows(); ++row) {
    for (std::size_t column = 0; column < features.cols(); ++column) {
      values.push_back(scaled(column, features.schema().absent[column]));
    }
    float* out = values.data() + row * features.cols();
    for (std::size_t i = features.pattern().offsets()[row]; i < features.pattern().offsets()[row + 1]; ++i) {
      const std::uint32_t column = features.pattern().columns()[i];
      out[column] = scaled(column, features.value(i));
    }
  }
  return values;
}

}  // namespace ppgnn::test
