#include <algorithm>
#include <cmath>
#include <limits>

#include "audit/spectator.hpp"
#include "ppgnn/random/samplers.hpp"

namespace ppgnn::audit {

namespace {

using Group = const ldp::ColumnGroup&;

constexpr std::uint32_t kMostTold = 64;  // classes told apart; with more, the rest is one outcome

// Looks at the class itself.
class CategorySpectator final : public Spectator {
 public:
  explicit CategorySpectator(const ldp::Plan& plan) : Spectator(plan), told_(std::min(plan.outcomes(), kMostTold)) {}

  [[nodiscard]] std::vector<Input> inputs() const override {
    const auto middle = [](Group g) { return std::floor(g.high / 2); };
    std::vector<Input> all{
        dense("first class", [](Group g) { return g.low; }), dense("last class", [](Group g) { return g.high; }),
        dense("NaN", [](Group) { return std::numeric_limits<double>::quiet_NaN(); }),
        dense("far above", [](Group g) { return g.high + 1e6 * (g.high - g.low); }), dense("middle class", middle)};
    all.push_back(sparse("sparse, first class", {0}, [](Group g) { return g.low; }));
    all.push_back(sparse("sparse, last class", {0}, [](Group g) { return g.high; }));
    all.push_back({"ones: the second class", Input::Form::ones, {0}, {}});
    all.push_back({"ones: nothing listed", Input::Form::ones, {}, {}});
    return all;
  }

  [[nodiscard]] std::vector<InputPair> pairs() const override { return {{0, 1}, {4, 0}, {5, 6}, {7, 8}, {6, 8}}; }
  [[nodiscard]] std::vector<std::size_t> level_inputs() const override { return {0, 1, 4, 6, 8}; }
  [[nodiscard]] std::vector<std::size_t> looks() const override { return {told_ + 2}; }

  [[nodiscard]] std::string look(const ldp::Report& report, std::size_t, const Input&, std::span<std::size_t> outcomes,
                                 std::span<std::uint64_t>) const override {
    if (report.outcomes.size() != 1) return "one class";
    if (report.outcomes[0] >= plan().outcomes()) return "class out of range";
    outcomes[0] = outcome_of(report.outcomes[0]);
    return {};
  }

  void add_fits(std::size_t level, std::span<const Input> inputs, std::span<const Tally> tallies,
                const AddFit& add) const override {
    const std::string at = " at level " + std::to_string(level + 1);
    const std::size_t outcomes = looks()[0];
    for (std::size_t input = 0; input < inputs.size(); ++input) {
      for (std::size_t index = 0; index < estimator().cases(); ++index) {
        std::uint64_t reports = 0;
        for (std::size_t outcome = 0; outcome < outcomes; ++outcome) {
          reports += tallies[input].key(0, index * outcomes + outcome);
        }
        for (std::size_t outcome = 0; outcome < outcomes; ++outcome) {
          add("outcome " + std::to_string(outcome) + ", " + inputs[input].name + ", case " + std::to_string(index + 1) +
                  at,
              tallies[input].key(0, index * outcomes + outcome), reports, chance(level, inputs[input], outcome));
        }
      }
    }
  }

  // Both kept, or both replaced by the same class.
  [[nodiscard]] double agreement() const noexcept override {
    const double kept = kept_at(0);
    return kept * kept + (1 - kept) * (1 - kept) / (plan().outcomes() - 1.0);
  }

 private:
  // The first classes one by one, the last one, and all others.
  [[nodiscard]] std::size_t outcome_of(std::uint32_t category) const noexcept {
    if (category < told_) return category;
    return category == plan().outcomes() - 1 ? told_ : told_ + 1;
  }
  [[nodiscard]] double kept_at(std::size_t level) const noexcept {
    return std::ldexp(static_cast<double>(plan().levels()[level].entry), -random::kThresholdBits);
  }
  [[nodiscard]] double chance(std::size_t level, const Input& input, std::size_t outcome) const {
    const ldp::ColumnGroup& group = plan().schema().groups().front();
    const double value = input.value(0, group.absent);
    const double kept_value = std::clamp(std::isnan(value) ? group.absent : value, group.low, group.high);
    const auto own = static_cast<std::uint32_t>(std::lrint(kept_value));
    const double classes = plan().outcomes();
    double members = 1;  // classes behind the outcome
    if (outcome == told_) members = plan().outcomes() > told_ ? 1 : 0;
    if (outcome == told_ + 1) members = std::max(0.0, classes - told_ - 1);
    const bool has_own = outcome_of(own) == outcome;
    const double other = (1 - kept_at(level)) / (classes - 1);
    return (members - (has_own ? 1 : 0)) * other + (has_own ? kept_at(level) : 0);
  }

  std::uint32_t told_;
};

}  // namespace

std::unique_ptr<Spectator> make_category_spectator(const ldp::Plan& plan) {
  return std::make_unique<CategorySpectator>(plan);
}

}  // namespace ppgnn::audit
