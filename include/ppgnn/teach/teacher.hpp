#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/question.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/teach/beliefs.hpp"

namespace ppgnn::teach {

/// How much each column speaks for each class, as far as reports tell.
struct TaughtModel {
  std::size_t classes = 0;
  std::vector<double> effects;  ///< column by column, one a class: what speaks for it, against the average person's
  std::vector<double> shares;   ///< of people with the column among their heaviest, one a column; none of directions
  std::vector<double> biases;   ///< one a class: an average person speaks for no class
  double trust = 1;  ///< what effects were to be multiplied by, as far as reports tell; near 0: they are chance

  [[nodiscard]] std::size_t columns() const noexcept { return classes == 0 ? 0 : effects.size() / classes; }
};

struct TeachOptions {
  double effect_variance = .3;  ///< of the normal prior of effects: most columns say little
  double share_variance = 1.5;  ///< of the logarithm of how usual a column is
  std::size_t steps = 100;
  double rate = .05;
  /// Share of people who, for all the teacher believes, may be of any other class than their label's, where a report has
  /// several outcomes to tell it by; below 1. Above 0
  /// no word or outcome counts for more than honest people can make it. 0: everybody is believed.
  double liars = .2;
};

/// Learns from teaching reports of people whose class is known. Of directions: the mean of what a class sent leans toward
/// the mean of its features. Of buckets: the effects under which the reports are likeliest. The
/// likelihood is that of the reports as they were drawn, noise and shared buckets included:
///     P(bucket | class c) proportional to 1 + (e^a - 1) * sum of the shares in class c of the words in it,
/// with priors that pull effects to zero; a report of a strict person hardly moves anything by itself.
/// Against people who lie: a bucket is never likelier than certain; what comes oftener, among reports of one level and
/// class, than if everybody there had the word, weighs as if it did not; and a label is believed only so far, so that a
/// report which fits another class much better counts for that one. docs/results/poison.md says what that is worth.
///
/// Determinism  Depends on its arguments only; one thread.
/// Cost         Words in the bucket sent, times classes, for each report and step.
/// Errors       mismatch for reports of another kind of plan, or a person outside `names`.
/// Source       docs/research/teacher.md
[[nodiscard]] Result<TaughtModel> learn(const ldp::Plan& plan, std::span<const ldp::NodeReport> reports,
                                        const graph::NodeNames& names, std::span<const std::int32_t> labels,
                                        std::size_t classes, const TeachOptions& options = {});

/// The same of people whose class may only be believed: `believed` has a row for everybody. A report counts for each
/// class as much as its sender is believed to be of it; what is believed at less than a hundredth counts for nothing.
[[nodiscard]] Result<TaughtModel> learn(const ldp::Plan& plan, std::span<const ldp::NodeReport> reports,
                                        const graph::NodeNames& names, const Beliefs& believed,
                                        const TeachOptions& options = {});

/// The model as devices take it, in integers of 16 bits, with one threshold of confidence: half of the people that the
/// model imagines are surer. Imagined people have `words` columns, drawn as often as the model says; of directions, all
/// columns, scattered around the mean of their class.
///
/// Determinism  Depends on its arguments only.
[[nodiscard]] ldp::QuestionModel question_model(const TaughtModel& model, const graph::StringList& class_names,
                                                std::size_t words, std::uint64_t seed);

}  // namespace ppgnn::teach
