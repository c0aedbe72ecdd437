#pragma once

#include <cstdint>
#include <vector>

#include "ppgnn/kernels/threads.hpp"
#include "ppgnn/nn/network.hpp"

namespace ppgnn::train {

/// What a network says of every node.
struct Predictions {
  std::vector<std::uint32_t> classes;  ///< of the largest logit; the first of equals
  std::vector<float> probabilities;    ///< of every class, node by node
};

/// Of the parameters as they are, without dropout.
[[nodiscard]] Predictions predict(nn::Network& network, const kernels::Threads& threads);

}  // namespace ppgnn::train
