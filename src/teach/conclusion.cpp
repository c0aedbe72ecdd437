#include "ppgnn/teach/conclusion.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ppgnn/teach/asking.hpp"

namespace ppgnn::teach {

namespace {

// Nats by which a part must make the validation labels likelier: as many as it has weights.
constexpr double kWorthAWeight = 1;

// Folds of the validation people: what answers mean is judged by people from whom it was not learnt.
constexpr std::size_t kFolds = 5;

// Which parts of several are worth their weight, the first always, and what they weigh: each other one is added in turn
// where it makes the validation labels likelier by more than that costs.
struct Weighing {
  std::vector<bool> taken;
  Pool pool;
};

Weighing weigh(std::span<const Beliefs* const> parts, std::span<const std::int32_t> labels,
               std::span<const std::uint32_t> people) {
  std::vector<const Beliefs*> chosen{parts.front()};
  const auto fit = [&] { return Pool::fit(chosen, labels, people, std::vector<double>(chosen.size(), 1)); };
  const auto loss = [&](const Pool& pool) {
    return pool.quality(chosen, labels, people).log_loss * static_cast<double>(people.size());
  };
  Weighing best{{true}, fit()};
  double least = loss(best.pool);
  for (const Beliefs* part : parts.subspan(1)) {
    chosen.push_back(part);
    Pool pool = fit();
    const double after = loss(pool);
    best.taken.push_back(pool.weights.back() > 0 && least - after > kWorthAWeight);
    if (best.taken.back()) {
      best.pool = std::move(pool);
      least = after;
    } else {
      chosen.pop_back();
    }
  }
  return best;
}

}  // namespace

Beliefs calibrated(const Beliefs& structure, std::span<const std::int32_t> labels, const graph::Split& split) {
  const std::array<const Beliefs*, 1> alone{&structure};
  return Pool::fit(alone, labels, split.validation, {1}).apply(alone);
}

Conclusion conclude(const graph::Dataset& dataset, const graph::Split& split, const Beliefs& structure, bool all_labels,
                    const ldp::Plan& plan, const ldp::Questions& questions, std::span<const ldp::NodeReport> answers) {
  const auto labels = dataset.labels.span();
  // What answers mean, by the validation people whose turn it is not.
  const auto model_without = [&](std::size_t fold) {
    std::vector<std::int32_t> pilots(dataset.num_nodes(), graph::kUnknown);
    for (std::size_t i = 0; i < split.validation.size(); ++i) {
      if (i % kFolds != fold) pilots[split.validation[i]] = labels[split.validation[i]];
    }
    return AnswerModel::fit(plan, questions, answers, pilots);
  };
  const Beliefs evidence = model_without(kFolds).evidence(dataset.num_nodes(), questions, answers);
  Beliefs judged = evidence;
  std::vector<std::uint8_t> turn(dataset.num_nodes(), kFolds);
  for (std::size_t i = 0; i < split.validation.size(); ++i) {
    turn[split.validation[i]] = static_cast<std::uint8_t>(i % kFolds);
  }
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    model_without(fold).write_evidence(
        questions, answers, [&](std::uint32_t person) { return turn[person] == fold; }, judged);
  }
  std::vector<std::uint32_t> known = split.train;
  if (all_labels) known.insert(known.end(), split.validation.begin(), split.validation.end());
  const Beliefs heard = spread_answers(dataset.graph, calibrated(structure, labels, split), evidence, labels, known);
  const std::array<const Beliefs*, 3> to_judge{&structure, &judged, &heard};
  const Weighing weighing = weigh(to_judge, labels, split.validation);
  const std::array<const Beliefs*, 3> parts{&structure, &evidence, &heard};
  std::vector<const Beliefs*> chosen;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (weighing.taken[i]) chosen.push_back(parts[i]);
  }
  return {weighing.pool.apply(chosen), weighing.taken[1], weighing.taken[2]};
}

}  // namespace ppgnn::teach
