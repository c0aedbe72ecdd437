#pragma once

#include <cstdint>
#include <span>

#include "ppgnn/kernels/threads.hpp"

namespace ppgnn::kernels {

/// Step sizes of Adam (Kingma and Ba, 2015).
struct AdamOptions {
  double learning_rate = 0.01;  ///< > 0
  double weight_decay = 0.001;  ///< >= 0; added to the gradient (L2), not decoupled
  double beta_first = 0.9;
  double beta_second = 0.999;
  double epsilon = 1e-8;
};

/// One step, `step` counted from 1:
///     g = gradient + weight_decay p;  m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2;
///     p -= learning_rate / (1 - b1^step) * m / (sqrt(v) / sqrt(1 - b2^step) + epsilon).
void adam_step(const AdamOptions& options, std::uint64_t step, std::span<const float> gradient,
               std::span<float> parameters, std::span<float> first_moment, std::span<float> second_moment,
               const Threads& threads);

}  // namespace ppgnn::kernels
