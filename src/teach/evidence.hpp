#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/ldp/schema.hpp"
#include "ppgnn/teach/beliefs.hpp"

/// Teaching reports by buckets as the teacher reads them: which words each may have been sent for.
namespace ppgnn::teach {

inline constexpr std::uint32_t kSides = 2;  // of an absent value
inline constexpr double kLeastBelief = .01;

// Words by number: a column above its absent value, or below it, where both can be.
struct Words {
  const ldp::Schema* schema;

  [[nodiscard]] std::uint32_t count() const noexcept { return schema->dim() * kSides; }
  [[nodiscard]] bool possible(std::uint32_t word) const noexcept {
    const ldp::ColumnGroup& group = schema->group_of(word / kSides);
    return word % kSides == 1 ? group.absent < group.high : group.absent > group.low;
  }
};

// One bucket that somebody sent, and the words in it.
struct Sent {
  std::span<const float> believed;  // of the sender, by class
  std::uint32_t level_case = 0;     // of the estimator
  std::uint32_t outcome = 0;
  double weight = 1;         // in the evidence
  std::size_t together = 1;  // buckets of the same report, from here on
  double odds = 0;           // e^a - 1: how much more likely a bucket is for being favoured
  double rate = 0;           // of a word's share, at no effect: (e^a - 1) / (M (1 + h (e^a - 1)))
  std::size_t first = 0;
  std::size_t last = 0;
};

struct Evidence {
  std::vector<Sent> sent;
  std::vector<std::uint32_t> words;
  double mean_share = 0;  // of a word: K / words, over reports
};

[[nodiscard]] Evidence gather(const ldp::Plan& plan, std::span<const ldp::NodeReport> reports,
                              const graph::NodeNames& names, const Beliefs& believed);

// Calls `found` with each class that a sender is believed to be of, and how much.
template <class Found>
void for_each_class(const Sent& sent, Found&& found) {
  for (std::size_t c = 0; c < sent.believed.size(); ++c) {
    const auto belief = static_cast<double>(sent.believed[c]);
    if (belief >= kLeastBelief) found(c, belief);
  }
}

// Holds what is said together to what honest people can say, among the reports of one case: an outcome comes as often as
// any other, because salts spread words over all of them, and nothing comes oftener than a word that everybody of a class
// has. What comes oftener than that weighs as if it did not.
void hold_to_possible(const ldp::Estimator& estimator, std::size_t words, std::size_t classes, Evidence& evidence);

// What effects were to be multiplied by, by Bayes' rule: from how much farther classes lie apart in what they send than if
// beliefs were dealt out anew among the reports of a level. `shares`: of people with a word, by word, learned without a
// look at classes; `variance`: of the prior that effects were learned with. 0 without reports.
[[nodiscard]] double trust_of(const Evidence& evidence, std::span<const double> shares, std::size_t classes,
                              double variance);

}  // namespace ppgnn::teach
