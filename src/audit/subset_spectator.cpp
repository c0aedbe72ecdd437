#include <algorithm>
#include <cmath>

#include "audit/spectator.hpp"
#include "ppgnn/audit/falsifier.hpp"
#include "ppgnn/ldp/mechanism.hpp"

namespace ppgnn::audit {

namespace {

using Group = const ldp::ColumnGroup&;

constexpr std::uint32_t kBlocks = 16;                           // of outcomes, told apart
constexpr std::uint32_t kMostColumns = std::uint32_t{1} << 12;  // by one input

// Looks at which inputs favour the outcome that was sent, at where it lies, and at how many of the outcomes are the
// input's own. Buckets, directions and answers.
class SubsetSpectator final : public Spectator {
 public:
  explicit SubsetSpectator(const ldp::Plan& plan) : Spectator(plan), subject_(subject_of(plan)) {
    for (const Input& input : inputs()) names_.push_back(input.name);
    for (const ldp::PlanLevel& level : plan.levels()) most_sampled_ = std::max(most_sampled_, level.sampled);
    for (std::size_t level = 0; level < plan.levels().size(); ++level) {
      std::vector<std::vector<std::uint32_t>>& sets = favoured_.emplace_back();
      for (const Input& input : inputs()) sets.push_back(favoured_by(input, level));
    }
  }

  [[nodiscard]] std::vector<Input> inputs() const override {
    const std::uint32_t dim = plan().schema().dim();
    const auto high = [](Group g) { return g.high; };
    const auto low = [](Group g) { return g.low; };
    const auto listed = [dim](std::uint32_t first, std::uint32_t step) {
      std::vector<std::uint32_t> columns;
      for (std::uint32_t i = first; i < dim && columns.size() < kMostColumns; i += step) columns.push_back(i);
      return columns;
    };
    std::vector<Input> all;
    all.push_back(sparse("sparse, even columns high", listed(0, 2), high));
    all.push_back(sparse("sparse, odd columns high", listed(1, 2), high));
    all.push_back({"ones: nothing listed", Input::Form::ones, {}, {}});
    all.push_back({"ones: the first column", Input::Form::ones, {0}, {}});
    all.push_back({"ones: the last column", Input::Form::ones, {dim - 1}, {}});
    all.push_back(sparse("sparse, every column low", listed(0, 1), low));
    all.push_back(
        sparse("sparse, last column beyond", {dim - 1}, [](Group g) { return g.high + 1e6 * (g.high - g.low); }));
    if (dim <= kMostColumns) {
      all.push_back(dense("high", high));
    } else {
      all.push_back({"ones: the first columns", Input::Form::ones, listed(0, 1), {}});
    }
    return all;
  }

  [[nodiscard]] std::vector<InputPair> pairs() const override {
    return {{0, 1}, {2, 3}, {2, 4}, {3, 4}, {0, 5}, {4, 6}, {7, 2}};
  }
  [[nodiscard]] std::vector<std::size_t> level_inputs() const override { return {0, 2, 4}; }
  [[nodiscard]] std::vector<std::size_t> looks() const override {
    return {std::size_t{1} << kInputs, kBlocks, most_sampled_ + std::size_t{1}};
  }

  [[nodiscard]] std::string look(const ldp::Report& report, std::size_t level, const Input& input,
                                 std::span<std::size_t> outcomes, std::span<std::uint64_t>) const override {
    const ldp::Shape shape = plan().shape(level);
    if (report.outcomes.size() != shape.sampled) return "number of outcomes";
    for (const std::uint32_t outcome : report.outcomes) {
      if (outcome >= shape.outcomes) return "outcome out of range";
    }
    if (subject_.question && report.question != subject_.question->digest()) return "another question";
    outcomes[0] = whose(level, report.outcomes[0]);
    outcomes[1] = block_of(report.outcomes.back(), shape);
    outcomes[2] = 0;
    const std::size_t own = index_of(input);
    for (const std::uint32_t outcome : report.outcomes) outcomes[2] += is_favoured(level, own, outcome) ? 1U : 0U;
    return {};
  }

  void add_fits(std::size_t level, std::span<const Input> inputs, std::span<const Tally> tallies,
                const AddFit& add) const override {
    const std::string at = " at level " + std::to_string(level + 1);
    const ldp::Shape shape = plan().shape(level);
    const std::vector<std::size_t> sizes = looks();
    for (std::size_t input = 0; input < inputs.size(); ++input) {
      std::vector<double> chances(sizes[0] + sizes[1], 0);
      for (std::uint32_t outcome = 0; outcome < shape.outcomes; ++outcome) {
        const double chance = chance_of(level, input, outcome);
        chances[whose(level, outcome)] += chance;
        chances[sizes[0] + block_of(outcome, shape)] += chance;
      }
      const auto fit = [&](std::size_t look, std::size_t outcome, double chance) {
        // With public levels each level has a case of its own.
        const std::size_t index = estimator().cases() > 1 ? level : 0;
        add("look " + std::to_string(look) + ", outcome " + std::to_string(outcome) + ", " + inputs[input].name + at,
            tallies[input].key(look, index * sizes[look] + outcome), tallies[input].trials, std::min(1.0, chance));
      };
      for (std::size_t i = 0; i < sizes[0]; ++i) {
        if (chances[i] > 0) fit(0, i, chances[i]);
      }
      for (std::size_t i = 0; i < sizes[1]; ++i) {
        if (chances[sizes[0] + i] > 0) fit(1, i, chances[sizes[0] + i]);
      }
      double binomial = std::pow(1 - inside_at(level), shape.sampled);
      for (std::uint32_t own = 0; own <= shape.sampled; ++own) {
        fit(2, own, binomial);
        binomial *= inside_at(level) / (1 - inside_at(level)) * (shape.sampled - own) / (own + 1.0);
      }
    }
  }

  // Both send the same member, or the same outsider.
  [[nodiscard]] double agreement() const noexcept override {
    const ldp::Shape shape = plan().shape(0);
    const double inside = inside_at(0);
    return inside * inside / shape.favoured + (1 - inside) * (1 - inside) / (shape.outcomes - shape.favoured);
  }

 private:
  static constexpr std::size_t kInputs = 8;

  [[nodiscard]] std::vector<std::uint32_t> favoured_by(const Input& input, std::size_t level) const {
    const ldp::Shape shape = plan().shape(level);
    std::vector<std::uint32_t> favoured(shape.favoured);
    ldp::with_mechanism(plan().kind(), [&](auto mechanism) {
      if constexpr (requires { decltype(mechanism)::choose(plan().tables(), shape, {}, input.row(), favoured); }) {
        decltype(mechanism)::choose(plan().tables(), shape, subject_.asked(), input.row(), favoured);
      }
    });
    return favoured;
  }
  [[nodiscard]] bool is_favoured(std::size_t level, std::size_t input, std::uint32_t outcome) const {
    const auto& set = favoured_[level][input];
    return std::binary_search(set.begin(), set.end(), outcome);
  }
  // The inputs that favour an outcome, as bits.
  [[nodiscard]] std::size_t whose(std::size_t level, std::uint32_t outcome) const {
    std::size_t mask = 0;
    for (std::size_t input = 0; input < kInputs; ++input) {
      mask |= static_cast<std::size_t>(is_favoured(level, input, outcome)) << input;
    }
    return mask;
  }
  [[nodiscard]] static std::size_t block_of(std::uint32_t outcome, const ldp::Shape& shape) noexcept {
    return static_cast<std::size_t>(std::uint64_t{outcome} * kBlocks / shape.outcomes);
  }
  [[nodiscard]] std::size_t index_of(const Input& input) const {
    return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), input.name) - names_.begin());
  }
  [[nodiscard]] double inside_at(std::size_t level) const noexcept {
    return std::ldexp(static_cast<double>(plan().levels()[level].entry), -random::kThresholdBits);
  }
  [[nodiscard]] double chance_of(std::size_t level, std::size_t input, std::uint32_t outcome) const {
    const ldp::Shape shape = plan().shape(level);
    return is_favoured(level, input, outcome) ? inside_at(level) / shape.favoured
                                              : (1 - inside_at(level)) / (shape.outcomes - shape.favoured);
  }

  Subject subject_;
  std::vector<std::string> names_;
  std::uint32_t most_sampled_ = 1;
  std::vector<std::vector<std::vector<std::uint32_t>>> favoured_;  // by level, then input
};

}  // namespace

std::unique_ptr<Spectator> make_subset_spectator(const ldp::Plan& plan) {
  return std::make_unique<SubsetSpectator>(plan);
}

}  // namespace ppgnn::audit
