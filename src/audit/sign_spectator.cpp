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
constexpr std::uint32_t kMostCounted = 8;                      // even columns told apart in one report
constexpr std::uint32_t kMostListed = std::uint32_t{1} << 16;  // by one input, but for those that list all
constexpr std::uint32_t kMostDense = std::uint32_t{1} << 20;   // columns of a row in full
constexpr std::array<double, 5> kPoints{-1, -.5, 0, .5, 1};    // features are put into the classes between

double high_of(Group g) {
  return g.high;
}
double low_of(Group g) {
  return g.low;
}

// Looks at the number of pluses; at one watched column; and at how many of the even columns were sampled, with how many
// pluses. A device that lets what a person lists into the sample shows in the last two.
class SignSpectator final : public Spectator {
 public:
  explicit SignSpectator(const ldp::Plan& plan)
      : Spectator(plan),
        blocks_(std::min<std::uint32_t>(plan.schema().dim(), kMostBlocks)),
        watched_(plan.schema().dim() - 1) {
    for (const ldp::PlanLevel& level : plan.levels()) most_sampled_ = std::max(most_sampled_, level.sampled);
  }

  [[nodiscard]] std::vector<Input> inputs() const override {
    std::vector<Input> all;
    std::vector<std::uint32_t> even;
    std::vector<std::uint32_t> first;
    for (std::uint32_t c = 0; c < dim() && even.size() < kMostListed; c += 2) even.push_back(c);
    for (std::uint32_t c = 0; c < (dim() + 1) / 2 && c < kMostListed; ++c) first.push_back(c);
    all.push_back(sparse("sparse, even columns high", std::move(even), high_of));
    all.push_back(sparse("sparse, first half high", std::move(first), high_of));
    all.push_back({"ones: nothing listed", Input::Form::ones, {}, {}});
    all.push_back({"ones: the last column", Input::Form::ones, {watched_}, {}});
    all.push_back(sparse("sparse, last column high", {watched_}, high_of));
    all.push_back(sparse("sparse, last column low", {watched_}, low_of));
    if (dim() > kMostDense) return all;
    const auto width = [](Group g) { return g.high - g.low; };
    std::vector<Input> in_full{dense("high", high_of),
                               dense("low", low_of),
                               dense("middle", [&](Group g) { return g.low + width(g) / 2; }),
                               dense("NaN", [](Group) { return std::numeric_limits<double>::quiet_NaN(); }),
                               dense("far above", [&](Group g) { return g.high + 1e6 * width(g); }),
                               dense("far below", [&](Group g) { return g.low - 1e6 * width(g); }),
                               dense("low but for the last column", low_of)};
    in_full.back().values[watched_] = static_cast<float>(plan().schema().group_of(watched_).high);
    std::vector<std::uint32_t> every(dim());
    for (std::uint32_t c = 0; c < dim(); ++c) every[c] = c;
    in_full.push_back(sparse("sparse, every column high", every, high_of));
    in_full.push_back(sparse("sparse, every column low", std::move(every), low_of));
    in_full.insert(in_full.end(), all.begin(), all.end());
    return in_full;
  }

  [[nodiscard]] std::vector<InputPair> pairs() const override {
    const std::size_t s = dim() > kMostDense ? 0 : 9;  // the first sparse one of any size
    std::vector<InputPair> pairs{{s, s + 1},     {s, s + 2},     {s + 1, s + 2},
                                 {s + 3, s + 2}, {s + 4, s + 5}, {s + 4, s + 2}};
    if (s > 0) pairs.insert(pairs.begin(), {{0, 1}, {6, 1}, {7, 8}, {7, s + 2}});
    return pairs;
  }
  [[nodiscard]] std::vector<std::size_t> level_inputs() const override {
    return dim() > kMostDense ? std::vector<std::size_t>{0, 2} : std::vector<std::size_t>{0, 1, 9, 11};
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

  [[nodiscard]] std::vector<std::size_t> looks() const override {
    return {most_sampled_ + 1, 3, std::size_t{kMostCounted + 1} * (kMostCounted + 1)};
  }

  // Per block: reports with a column in it, columns in it, and those of them that are plus. Per class of features:
  // columns, and those that are plus.
  [[nodiscard]] std::size_t counters() const noexcept override { return std::size_t{3} * blocks_ + 2 * kPoints.size(); }

  [[nodiscard]] std::string look(const ldp::Report& report, std::size_t level, const Input& input,
                                 std::span<std::size_t> outcomes, std::span<std::uint64_t> counters) const override {
    if (report.columns.size() != plan().levels()[level].sampled) return "number of columns";
    std::uint32_t last_block = blocks_;
    std::size_t pluses = 0;
    std::size_t watched = 0;
    std::size_t evens = 0;
    std::size_t even_pluses = 0;
    for (std::size_t i = 0; i < report.columns.size(); ++i) {
      const std::uint32_t column = report.columns[i];
      if (column >= dim()) return "column out of range";
      if (i > 0 && column <= report.columns[i - 1]) return "columns repeat or are not ascending";
      const std::uint32_t block = block_of(column);
      const std::size_t plus = report.signs[i] > 0 ? 1 : 0;
      counters[std::size_t{3} * block] += static_cast<std::uint64_t>(block != last_block);
      ++counters[3 * block + 1];
      counters[3 * block + 2] += plus;
      const std::size_t point = std::size_t{3} * blocks_ + 2 * point_of(feature_of(input, column));
      ++counters[point];
      counters[point + 1] += plus;
      pluses += plus;
      if (column == watched_) watched = 1 + plus;
      if ((column & 1) == 0) {
        ++evens;
        even_pluses += plus;
      }
      last_block = block;
    }
    outcomes[0] = pluses;
    outcomes[1] = watched;
    outcomes[2] = std::min<std::size_t>(evens, kMostCounted) * (kMostCounted + 1) +
                  std::min<std::size_t>(even_pluses, kMostCounted);
    return {};
  }

  void add_fits(std::size_t level, std::span<const Input> inputs, std::span<const Tally> tallies,
                const AddFit& add) const override {
    const std::string at = " at level " + std::to_string(level + 1);
    for (std::size_t input = 0; input < inputs.size(); ++input) {
      add_sign_fits(level, inputs[input], tallies[input], add);
      add_sample_fits(level, inputs[input], tallies[input], add);
    }
    if (dim() <= kMostDense) add_number_fits(level, inputs.front(), tallies.front(), add);
    for (std::uint32_t block = 0; block < blocks_; ++block) {
      std::uint64_t hits = 0;
      std::uint64_t trials = 0;
      for (const Tally& tally : tallies) {
        hits += tally.counters[std::size_t{3} * block];
        trials += tally.trials;
      }
      // 1 - C(d - size, m) / C(d, m)
      double miss = 1;
      for (std::uint32_t i = 0; i < plan().levels()[level].sampled; ++i) {
        miss *= std::max(0.0, static_cast<double>(dim()) - block_size(block) - i) / (static_cast<double>(dim()) - i);
      }
      add("columns block " + std::to_string(block + 1) + at, hits, trials, 1 - miss);
    }
  }

  // Signs of NaN are fair coins.
  [[nodiscard]] double agreement() const noexcept override { return .5; }

 private:
  [[nodiscard]] std::uint32_t dim() const noexcept { return plan().schema().dim(); }
  [[nodiscard]] std::uint32_t block_of(std::uint32_t column) const noexcept {
    return static_cast<std::uint32_t>(std::uint64_t{column} * blocks_ / dim());
  }
  [[nodiscard]] std::uint32_t block_size(std::uint32_t block) const noexcept {
    const auto begin = [&](std::uint64_t index) { return (index * dim() + blocks_ - 1) / blocks_; };
    return static_cast<std::uint32_t>(begin(block + 1) - begin(block));
  }
  [[nodiscard]] double plus_chance(std::size_t level, double x) const {
    return (1 + x * ldp::SignBits::gain(plan().levels()[level].entry, plan().shape(level))) / 2;
  }
  // What a column should count as, on the scale [-1, 1].
  [[nodiscard]] double feature_of(const Input& input, std::uint32_t column) const {
    const ldp::ColumnGroup& group = plan().schema().group_of(column);
    const double value = input.value(column, group.absent);
    if (std::isnan(value)) return 0;
    return std::clamp(2 * (value - group.low) / (group.high - group.low) - 1, -1.0, 1.0);
  }
  // The point of kPoints that a feature is at; what lies between belongs to none and is counted at the nearest.
  [[nodiscard]] static std::size_t point_of(double x) noexcept {
    return static_cast<std::size_t>(std::clamp(std::lround((x + 1) * 2), 0L, 4L));
  }
  // Which points the features of an input are at; none where one lies between two.
  [[nodiscard]] std::array<bool, kPoints.size()> points_of(const Input& input) const {
    std::array<bool, kPoints.size()> there{};
    bool between = false;
    const auto mark = [&](std::uint32_t column) {
      const double x = feature_of(input, column);
      there[point_of(x)] = true;
      between = between || std::abs(x - kPoints[point_of(x)]) > 1e-6;
    };
    for (const std::uint32_t column : input.columns) mark(column);
    // Of a dense row every column; of others the first of each group that is not listed.
    std::uint32_t start = 0;
    for (const ldp::ColumnGroup& group : plan().schema().groups()) {
      const std::uint32_t end = start + group.count;
      for (std::uint32_t column = start; column < end; ++column) {
        if (std::binary_search(input.columns.begin(), input.columns.end(), column)) continue;
        mark(column);
        if (input.form != Input::Form::dense) break;
      }
      start = end;
    }
    return between ? std::array<bool, kPoints.size()>{} : there;
  }

  // Signs are independent given the features, whatever was reported as level and whichever columns were drawn.
  void add_sign_fits(std::size_t level, const Input& input, const Tally& tally, const AddFit& add) const {
    const std::string at = " at level " + std::to_string(level + 1);
    const auto there = points_of(input);
    for (std::size_t point = 0; point < kPoints.size(); ++point) {
      if (!there[point]) continue;
      const std::uint64_t* counts = tally.counters.data() + std::size_t{3} * blocks_ + 2 * point;
      add("plus at " + std::to_string(kPoints[point]).substr(0, 4) + ", " + input.name + at, counts[1], counts[0],
          plus_chance(level, kPoints[point]));
    }
  }

  // C(E, k) C(d - E, m - k) / C(d, m) for E even columns of d, factor by factor: exact to rounding at any size.
  [[nodiscard]] double chance_of_evens(std::uint32_t number, std::uint32_t sampled) const noexcept {
    const double all = dim();
    const std::uint32_t evens = (dim() + 1) / 2;
    const double even = evens;
    double chance = 1;
    for (std::uint32_t i = 0; i < sampled; ++i) {
      const bool is_even = i < number;
      const double left = is_even ? even - i : all - even - (i - number);
      chance *= std::max(0.0, left) / (all - i);
      if (is_even) chance *= static_cast<double>(sampled - i) / (i + 1);
    }
    return chance;
  }

  // The law of the sampled set, which must not know the input: the watched column, and how many columns are even.
  void add_sample_fits(std::size_t level, const Input& input, const Tally& tally, const AddFit& add) const {
    const std::uint32_t sampled = plan().levels()[level].sampled;
    const std::string at = " at level " + std::to_string(level + 1);
    std::uint64_t watched = 0;
    std::vector<std::uint64_t> evens(kMostCounted + 1, 0);
    for (std::size_t index = 0; index < estimator().cases(); ++index) {
      watched += tally.key(1, 3 * index + 1) + tally.key(1, 3 * index + 2);
      for (std::size_t outcome = 0; outcome < looks()[2]; ++outcome) {
        evens[outcome / (kMostCounted + 1)] += tally.key(2, index * looks()[2] + outcome);
      }
    }
    add("last column sampled, " + input.name + at, watched, tally.trials, static_cast<double>(sampled) / dim());
    for (std::uint32_t number = 0; number < std::min(sampled + 1, kMostCounted); ++number) {
      add(std::to_string(number) + " even columns, " + input.name + at, evens[number], tally.trials,
          chance_of_evens(number, sampled));
    }
  }

  // How many of a report's signs are plus where all columns are alike, by the level field too, and whether columns matter.
  void add_number_fits(std::size_t level, const Input& input, const Tally& tally, const AddFit& add) const {
    const std::uint32_t sampled = plan().levels()[level].sampled;
    const std::string at = " at level " + std::to_string(level + 1);
    const double plus = plus_chance(level, feature_of(input, 0));
    const std::size_t numbers = looks()[0];
    const boost::math::binomial_distribution<double> law(sampled, plus);
    for (std::size_t number = 0; number <= sampled && sampled > 1; ++number) {
      std::uint64_t hits = 0;
      for (std::size_t index = 0; index < estimator().cases(); ++index) hits += tally.key(0, index * numbers + number);
      add(std::to_string(number) + " plus" + at, hits, tally.trials,
          boost::math::pdf(law, static_cast<double>(number)));
    }
    for (std::size_t index = 0; index < estimator().cases() && estimator().cases() > 1; ++index) {
      std::uint64_t reports = 0;
      std::uint64_t pluses = 0;
      for (std::size_t number = 0; number <= sampled; ++number) {
        reports += tally.key(0, index * numbers + number);
        pluses += number * tally.key(0, index * numbers + number);
      }
      add("plus, " + input.name + ", reported level " + std::to_string(*estimator().reported_level(index)) + at, pluses,
          reports * sampled, plus);
    }
    for (std::uint32_t block = 0; block < blocks_; ++block) {
      add("plus, columns block " + std::to_string(block + 1) + at, tally.counters[3 * block + 2],
          tally.counters[3 * block + 1], plus);
    }
  }

  std::uint32_t blocks_;
  std::uint32_t watched_;
  std::uint32_t most_sampled_ = 0;
};

}  // namespace

std::unique_ptr<Spectator> make_sign_spectator(const ldp::Plan& plan) {
  return std::make_unique<SignSpectator>(plan);
}

}  // namespace ppgnn::audit
