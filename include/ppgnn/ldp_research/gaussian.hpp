#pragma once

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp_research/feature_mechanism.hpp"

namespace ppgnn::ldp_research {

/// Gaussian ("gm"): noise of one standard deviation on every column, calibrated on the whole vector.
///
/// Privacy   (epsilon, delta) for the features, in real numbers; the noise is in doubles, so not exact.
/// Estimate  Unbiased as sent; variance sigma^2.
/// Source    Balle and Wang 2018 (analytic calibration), L2 sensitivity 2 sqrt(d), delta 1e-10 as in LPGNN's code.
///           Differs from the paper, whose formula per column ignores the range of 2 and needs epsilon < 1:
///           `as_printed` takes that one, epsilon / d a column, and states the delta that it really has.
[[nodiscard]] Result<FeatureMechanismPtr> make_gaussian(Schema schema, double epsilon, double delta = 1e-10,
                                                        bool as_printed = false);

/// The least standard deviation that is (epsilon, delta)-private for an L2 sensitivity.
double gaussian_sigma(double epsilon, double delta, double sensitivity) noexcept;

}  // namespace ppgnn::ldp_research
