#pragma once

#include <cstdint>
#include <optional>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp_research/feature_mechanism.hpp"

namespace ppgnn::ldp_research {

/// Algorithm 2 of the paper (MLR): a one-dimensional mechanism on `sampled` of d columns, each with epsilon / sampled,
/// scaled by d / sampled. Everybody has the same budget. With the local randomizer this is LPGNN's multi-bit mechanism;
/// with sampled = d it is the one-bit and the Laplace baseline of the paper's Table 2.
///
/// Privacy   epsilon for the features. Levels do not enter.
/// Estimate  Unbiased as sent. Variance d / sampled * (variance of one + x^2) - x^2.
/// Cost      O(sampled * log listed columns) a row.

/// Multi-bit ("mb"): the local randomizer on the paper's max(1, min(d, floor(epsilon / 2.2))) columns.
/// `sampled` instead of that number, for studies of it.
[[nodiscard]] Result<FeatureMechanismPtr> make_multi_bit(Schema schema, double epsilon,
                                                         std::optional<std::uint32_t> sampled = {});
/// One-bit ("1b"): the local randomizer on every column.
[[nodiscard]] Result<FeatureMechanismPtr> make_one_bit(Schema schema, double epsilon);
/// Laplace ("lp"): Laplace noise of scale 2 d / epsilon on every column.
[[nodiscard]] Result<FeatureMechanismPtr> make_laplace(Schema schema, double epsilon);

/// The paper's sample size for a budget.
std::uint32_t paper_sampled(double epsilon, std::uint32_t dim) noexcept;

/// Whether so many of `dim` columns can be sampled; none always can.
[[nodiscard]] Result<void> check_sampled(std::optional<std::uint32_t> sampled, std::uint32_t dim);

/// Whether a budget can be used; the error names it as `field`.
[[nodiscard]] Result<void> check_budget(double epsilon, const char* field);

}  // namespace ppgnn::ldp_research
