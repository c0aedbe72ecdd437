#pragma once

#include <cstdint>
#include <span>

#include "ppgnn/calibrate/collect.hpp"
#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/features.hpp"
#include "ppgnn/kernels/linear_operator.hpp"
#include "ppgnn/kernels/threads.hpp"
#include "ppgnn/server/problem.hpp"

namespace ppgnn::simulate {

/// How near calibrated features are to the same aggregates of the clean ones. Needs the clean features:
/// research runs only.
struct Fidelity {
  double cosine = 0;          ///< mean over nodes of the cosine between the two rows; a zero row counts as 0
  double relative_error = 0;  ///< |s Z - C| / |C| in the Frobenius norm, with the factor s that fits Z to C best
};

/// Compares Z with the clean aggregates C, both of the same shape.
///
/// Errors  mismatch when the shapes differ.
/// Cost    Two products of 64 columns for every 64 columns of Z; Z is never formed.
[[nodiscard]] Result<Fidelity> feature_fidelity(const kernels::LinearOperator& calibrated,
                                                const kernels::LinearOperator& clean, const kernels::Threads& threads);

/// The same over the rows of some nodes only: for a sample of people, what it says is exact for them.
///
/// Errors  mismatch when the shapes differ or a node is outside.
/// Cost    Two transposed products of 64 columns for every 64 nodes; Z is never formed.
[[nodiscard]] Result<Fidelity> feature_fidelity(const kernels::LinearOperator& calibrated,
                                                const kernels::LinearOperator& clean,
                                                std::span<const std::uint32_t> nodes, const kernels::Threads& threads);

/// How near the calibrated features are to the same aggregates of the clean ones, which only a simulation has.
///
/// Cost  Where there are more than 256 columns: of 256 people drawn by the seed. At most 8 products of 64 columns.
[[nodiscard]] Result<Fidelity> fidelity(const server::Problem& problem, const calibrate::Collected& collected,
                                        const graph::Features& features, std::size_t hops, std::uint64_t seed);

}  // namespace ppgnn::simulate
