#pragma once

#include <functional>

namespace ppgnn::teach {

/// Where a rising function reaches a value, between two ends.
inline double reached(double value, double low, double high, const std::function<double(double)>& rising) {
  constexpr int kHalvings = 30;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (rising(middle) < value ? low : high) = middle;
  }
  return high;
}

}  // namespace ppgnn::teach
