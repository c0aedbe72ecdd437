#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>

#include "audit/spectator.hpp"
#include "ppgnn/ldp/sign_bits.hpp"

namespace ppgnn::audit {

namespace {

using Group = const ldp::ColumnGroup&;

constexpr std::uint32_t kMostBlocks = 16;

// Looks at the number of pluses, and at where the sampled columns lie, block by block.
class SignSpectator final : public Spectator {
 public:
  explicit SignSpectator(const ldp::Plan& plan)
      : Spectator(plan), blocks_(std::min<std::uint32_t>(plan.schema().dim(), kMostBlocks)) {
    for (const ldp::PlanLevel& level : plan.levels()) most_sampled_ = std::max(most_sampled_, level.sampled);
  }

  [[nodiscard]] std::vector<Input> inputs() const override {
    const auto width = [](Group g) { return g.high - g.low; };
    return {input_of("high", 1, [](Group g) { return g.high; }),
            input_of("low", -1, [](Group g) { return g.low; }),
            input_of("middle", 0, [&](Group g) { return g.low + width(g) / 2; }),
            input_of("NaN", 0, [](Group) { return std::numeric_limits<double>::quiet_NaN(); }),
            input_of("far above", 1, [&](Group g) { return g.high + 1e6 * width(g); }),
            input_of("far below", -1, [&](Group g) { return g.low - 1e6 * width(g); })};
  }

  [[nodiscard]] Result<void> check() const override {
    const auto as_float = [](double value) { return static_cast<double>(static_cast<float>(value)); };
    for (const ldp::ColumnGroup& group : plan().schema().groups()) {
      const double middle = group.low + (group.high - group.low) / 2;
      const double width = as_float(group.high) - as_float(group.low);
      const bool held = std::abs(2 * (as_float(middle) - as_float(group.low)) - width) <= 1e-6 * width &&
                        std::abs(width - (group.high - group.low)) <= 1e-6 * width;
      if (!held) {
        return Error{ErrorCode::invalid_argument, "schema: the range of column '" + group.name +
                                                      "' is too narrow for 32-bit values; it cannot be tested"};
      }
    }
    return {};
  }

  [[nodiscard]] std::size_t outcomes() const noexcept override { return most_sampled_ + 1; }

  // Per block: reports with a column in it, columns in it, and those of them that are plus.
  [[nodiscard]] std::size_t counters() const noexcept override { return 3 * std::size_t{blocks_}; }

  [[nodiscard]] std::string look(const ldp::Report& report, std::size_t level, std::size_t& outcome,
                                 std::span<std::uint64_t> counters) const override {
    if (report.columns.size() != plan().levels()[level].sampled) return "number of columns";
    std::uint32_t last_block = blocks_;
    outcome = 0;
    for (std::size_t i = 0; i < report.columns.size(); ++i) {
      const std::uint32_t column = report.columns[i];
      if (column >= plan().schema().dim()) return "column out of range";
      if (i > 0 && column <= report.columns[i - 1]) return "columns repeat or are not ascending";
      const std::uint32_t block = block_of(column);
      const auto plus = static_cast<std::uint64_t>(report.signs[i] > 0);
      counters[3 * block] += static_cast<std::uint64_t>(block != last_block);
      ++counters[3 * block + 1];
      counters[3 * block + 2] += plus;
      outcome += plus;
      last_block = block;
    }
    return {};
  }

  void add_fits(std::size_t level, std::span<const Input> inputs, std::span<const Tally> tallies,
                const AddFit& add) const override {
    for (std::size_t input = 0; input < inputs.size(); ++input) {
      add_sign_fits(level, inputs[input], tallies[input], input < 2, add);
    }
    add_number_fits(level, inputs.front(), tallies.front(), add);
    add_column_fits(level, tallies, add);
  }

  // Signs of NaN are fair coins.
  [[nodiscard]] double agreement() const noexcept override { return .5; }

 private:
  [[nodiscard]] std::uint32_t block_of(std::uint32_t column) const noexcept {
    return static_cast<std::uint32_t>(std::uint64_t{column} * blocks_ / plan().schema().dim());
  }
  [[nodiscard]] std::uint32_t block_size(std::uint32_t block) const noexcept {
    const auto begin = [&](std::uint64_t index) { return (index * plan().schema().dim() + blocks_ - 1) / blocks_; };
    return static_cast<std::uint32_t>(begin(block + 1) - begin(block));
  }
  [[nodiscard]] double plus_chance(std::size_t level, double x) const {
    const double gain = ldp::SignBits::gain(plan().levels()[level].entry, plan().shape(level));
    return (1 + x * gain) / 2;
  }

  // Signs are independent given the input, whatever was reported as level.
  void add_sign_fits(std::size_t level, const Input& input, const Tally& tally, bool by_case, const AddFit& add) const {
    const std::uint32_t sampled = plan().levels()[level].sampled;
    const std::string at = " at level " + std::to_string(level + 1);
    const double plus = plus_chance(level, input.x);
    std::uint64_t all = 0;
    for (std::size_t index = 0; index < estimator().cases(); ++index) {
      std::uint64_t reports = 0;
      std::uint64_t pluses = 0;
      for (std::size_t number = 0; number <= sampled; ++number) {
        reports += tally.key(key_of(index, number));
        pluses += number * tally.key(key_of(index, number));
      }
      all += pluses;
      if (estimator().cases() > 1 && by_case) {
        add("plus, " + input.name + ", reported level " + std::to_string(*estimator().reported_level(index)) + at,
            pluses, reports * sampled, plus);
      }
    }
    add("plus, " + input.name + at, all, tally.trials * sampled, plus);
  }

  // How many of a report's signs are plus, and whether columns matter.
  void add_number_fits(std::size_t level, const Input& input, const Tally& tally, const AddFit& add) const {
    const std::uint32_t sampled = plan().levels()[level].sampled;
    const std::string at = " at level " + std::to_string(level + 1);
    const double plus = plus_chance(level, input.x);
    const boost::math::binomial_distribution<double> numbers(sampled, plus);
    for (std::size_t number = 0; number <= sampled && sampled > 1; ++number) {
      std::uint64_t hits = 0;
      for (std::size_t index = 0; index < estimator().cases(); ++index) hits += tally.key(key_of(index, number));
      add(std::to_string(number) + " plus" + at, hits, tally.trials,
          boost::math::pdf(numbers, static_cast<double>(number)));
    }
    for (std::uint32_t block = 0; block < blocks_; ++block) {
      add("plus, columns block " + std::to_string(block + 1) + at, tally.counters[3 * block + 2],
          tally.counters[3 * block + 1], plus);
    }
  }

  void add_column_fits(std::size_t level, std::span<const Tally> tallies, const AddFit& add) const {
    const std::uint32_t sampled = plan().levels()[level].sampled;
    const double dim = plan().schema().dim();
    for (std::uint32_t block = 0; block < blocks_; ++block) {
      std::uint64_t hits = 0;
      std::uint64_t trials = 0;
      for (const Tally& tally : tallies) {
        hits += tally.counters[3 * block];
        trials += tally.trials;
      }
      // 1 - C(d - size, m) / C(d, m)
      double miss = 1;
      for (std::uint32_t i = 0; i < sampled; ++i) miss *= std::max(0.0, dim - block_size(block) - i) / (dim - i);
      add("columns block " + std::to_string(block + 1) + " at level " + std::to_string(level + 1), hits, trials,
          1 - miss);
    }
  }

  std::uint32_t blocks_;
  std::uint32_t most_sampled_ = 0;
};

}  // namespace

std::unique_ptr<Spectator> make_sign_spectator(const ldp::Plan& plan) {
  return std::make_unique<SignSpectator>(plan);
}

}  // namespace ppgnn::audit
