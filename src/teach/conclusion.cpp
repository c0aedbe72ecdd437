#include "ppgnn/teach/conclusion.hpp"

#include <array>
#include <utility>
#include <vector>

#include "ppgnn/teach/asking.hpp"

namespace ppgnn::teach {

namespace {

// Nats by which a part must make the validation labels likelier: as many as it has weights.
constexpr double kWorthAWeight = 1;

// The pool of some parts, the first of which is always in it: each other one is added in turn where it makes the
// validation labels likelier by more than its weight costs.
Beliefs pooled(std::span<const Beliefs* const> parts, std::span<const std::int32_t> labels,
               std::span<const std::uint32_t> people, std::vector<bool>& taken) {
  std::vector<const Beliefs*> chosen{parts.front()};
  std::vector<double> centre{1};
  const auto beliefs = [&] { return Pool::fit(chosen, labels, people, centre).apply(chosen); };
  Beliefs best = beliefs();
  const double count = static_cast<double>(people.size());
  for (const Beliefs* part : parts.subspan(1)) {
    chosen.push_back(part);
    centre.push_back(1);
    const Pool pool = Pool::fit(chosen, labels, people, centre);
    Beliefs next = pool.apply(chosen);
    const double gain = (quality_of(best, labels, people).log_loss - quality_of(next, labels, people).log_loss) * count;
    taken.push_back(pool.weights.back() > 0 && gain > kWorthAWeight);
    if (taken.back()) {
      best = std::move(next);
      continue;
    }
    chosen.pop_back();
    centre.pop_back();
  }
  return best;
}

}  // namespace

Beliefs calibrated(const Beliefs& structure, std::span<const std::int32_t> labels, const graph::Split& split) {
  const std::array<const Beliefs*, 1> alone{&structure};
  return Pool::fit(alone, labels, split.validation, {1}).apply(alone);
}

Conclusion conclude(const graph::Dataset& dataset, const graph::Split& split, const Beliefs& structure, bool all_labels,
                    const ldp::Plan& plan, const server::Questions& questions,
                    std::span<const calibrate::NodeReport> answers) {
  const auto labels = dataset.labels.span();
  std::vector<std::int32_t> pilots(dataset.num_nodes(), graph::kUnknown);
  for (const std::uint32_t person : split.validation) pilots[person] = labels[person];
  const AnswerModel model = AnswerModel::fit(plan, questions, answers, pilots);
  const Beliefs evidence = model.evidence(dataset.num_nodes(), questions, answers);
  std::vector<std::uint32_t> known = split.train;
  if (all_labels) known.insert(known.end(), split.validation.begin(), split.validation.end());
  const Beliefs heard = spread_answers(dataset.graph, calibrated(structure, labels, split), evidence, labels, known);
  std::vector<bool> taken;
  const std::array<const Beliefs*, 3> parts{&structure, &evidence, &heard};
  Beliefs beliefs = pooled(parts, labels, split.validation, taken);
  return {std::move(beliefs), taken[0], taken[1]};
}

}  // namespace ppgnn::teach
