#include "ppgnn/train/predict.hpp"

#include <algorithm>
#include <cmath>

namespace ppgnn::train {

Predictions predict(nn::Network& network, const kernels::Threads& threads) {
  network.update_first_layer(threads);
  const ConstMatrixView logits = network.forward(kernels::DropoutMask::nothing(), threads);
  const std::size_t classes = network.classes();
  Predictions out;
  out.classes.resize(logits.rows);
  out.probabilities.resize(logits.rows * classes);
  for (std::size_t node = 0; node < logits.rows; ++node) {
    const auto row = logits.row(node).first(classes);
    const auto best = std::max_element(row.begin(), row.end());
    out.classes[node] = static_cast<std::uint32_t>(best - row.begin());
    const auto share = [&](float logit) { return std::exp(static_cast<double>(logit) - static_cast<double>(*best)); };
    double sum = 0;
    for (const float logit : row) sum += share(logit);
    for (std::size_t c = 0; c < classes; ++c) {
      out.probabilities[node * classes + c] = static_cast<float>(share(row[c]) / sum);
    }
  }
  return out;
}

}  // namespace ppgnn::train
