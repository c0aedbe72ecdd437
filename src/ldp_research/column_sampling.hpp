#pragma once

#include "ppgnn/ldp_research/feature_mechanism.hpp"
#include "ppgnn/ldp_research/noise.hpp"
#include "ppgnn/random/samplers.hpp"

namespace ppgnn::ldp_research {

/// Draws the columns of a row and makes room for their values; no columns are listed where all are meant.
inline void sample_columns(std::uint32_t dim, std::uint32_t sampled, random::AnyBits& bits, NoisyRow& out) {
  out.values.resize(sampled);
  out.columns.resize(sampled == dim ? 0 : sampled);
  if (sampled != dim) random::subset(dim, out.columns, bits);
}

inline std::uint32_t column_at(const NoisyRow& row, std::size_t index) noexcept {
  return row.columns.empty() ? static_cast<std::uint32_t>(index) : row.columns[index];
}

/// Variance of d / m * noise(x) on a column that is sampled with probability m / d, 0 otherwise.
template <class Noise>
double sampled_variance(double dim, double sampled, double epsilon, double x) noexcept {
  return dim / sampled * (Noise::variance(x, epsilon / sampled) + x * x) - x * x;
}

}  // namespace ppgnn::ldp_research
