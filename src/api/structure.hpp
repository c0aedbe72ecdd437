#pragma once

#include <cstdint>

#include "ppgnn/api/data.hpp"
#include "ppgnn/campaign/steps.hpp"

namespace ppgnn::api {

/// What graph and labels say, by the training labels and a seed. Shares the data.
[[nodiscard]] campaign::Structure structure_of(const Data& data, std::uint64_t seed);

}  // namespace ppgnn::api
