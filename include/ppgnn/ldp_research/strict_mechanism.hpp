#pragma once

#include "ppgnn/ldp_research/feature_mechanism.hpp"

namespace ppgnn::ldp_research {

/// The strict protocol behind the interface of the baselines ("strict"), for comparisons. The bits are the device's.
///
/// Errors  mismatch for a plan of another kind than signs.
[[nodiscard]] Result<FeatureMechanismPtr> make_strict(ldp::Plan plan);

}  // namespace ppgnn::ldp_research
