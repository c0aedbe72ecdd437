#pragma once

#include <span>

#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/graph/split.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/question.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/teach/beliefs.hpp"

namespace ppgnn::teach {

/// What graph and labels say, at the temperature that fits the validation people best.
[[nodiscard]] Beliefs calibrated(const Beliefs& structure, std::span<const std::int32_t> labels,
                                 const graph::Split& split);

/// What is believed after everybody answered.
struct Conclusion {
  Beliefs beliefs;
  bool used = false;    ///< whether validation found that answers help
  bool spread = false;  ///< whether it found that neighbours' answers do
};

/// Weighs what graph and labels say, what people answered, and what their neighbours answered. The validation people's
/// labels say what answers mean and what each part weighs; a part that does not make them likelier by more than its
/// weight costs is left out. `all_labels`: whether the structure spread validation labels too.
///
/// Determinism  Depends on its arguments only; one thread.
[[nodiscard]] Conclusion conclude(const graph::Dataset& dataset, const graph::Split& split, const Beliefs& structure,
                                  bool all_labels, const ldp::Plan& plan, const ldp::Questions& questions,
                                  std::span<const ldp::NodeReport> answers);

}  // namespace ppgnn::teach
