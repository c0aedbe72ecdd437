#include "ppgnn/ldp/decide.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "ppgnn/random/samplers.hpp"

namespace ppgnn::ldp {

namespace {

using random::Int128;

constexpr int kMeanBits = 12;  // of a mean weight: |sums| stay below 2^51, times this below 2^63
constexpr std::int64_t kMostReason = std::int64_t{1} << 24;

// e^-(2^(i - 16)) in units of 2^-32, rounded.
constexpr std::array<std::uint64_t, 21> kPowers{4294901760, 4294836226, 4294705160, 4294443040, 4293918848, 4292870656,
                                                4290775039, 4286586875, 4278222805, 4261543595, 4228380000, 4162825044,
                                                4034748382, 3790295335, 3344923893, 2605029347, 1580030169, 581260615,
                                                78665070,   1440801,    483};

// e^-x in units of 2^-32, for x in units of 2^-16.
std::uint64_t decayed(std::uint64_t x) noexcept {
  if (x >> kPowers.size() != 0) return 0;
  std::uint64_t result = std::uint64_t{1} << 32;
  for (std::size_t i = 0; i < kPowers.size(); ++i) {
    if ((x >> i & 1) != 0) result = result * kPowers[i] >> 32;
  }
  return result;
}

// What features say, from how far each is from absent.
class Scale {
 public:
  Scale(const DecisionTables& tables, std::int64_t total) noexcept
      : total_(total),
        // In 2^-32 nat per weight: the factor is below 2^32 in units of 2^-14, the evidence below 2^32.
        worth_((length_factor(tables.model, static_cast<std::uint64_t>(total)) * tables.evidence) >> 14) {}

  // Of a sum over columns of differences times weights, and a bias over the same columns' differences: 2^-16 nat.
  [[nodiscard]] std::int64_t nats(std::int64_t sum, std::int64_t bias, std::int64_t differences) const noexcept {
    if (total_ == 0) return 0;
    const std::int64_t one = std::int64_t{1} << kMeanBits;
    const std::int64_t biased = bias * differences;  // below 2^60: its mean in two steps
    const std::int64_t mean = sum * one / total_ + biased / total_ * one + biased % total_ * one / total_;
    return static_cast<std::int64_t>(Int128{mean} * static_cast<std::int64_t>(worth_) /
                                     (Int128{1} << (kMeanBits + 16)));
  }

 private:
  std::int64_t total_;
  std::uint64_t worth_;
};

std::int32_t reason(std::int64_t nats) noexcept {
  return static_cast<std::int32_t>(std::clamp(nats / 256, -kMostReason, kMostReason));
}

// Shares of 2^16: one for everybody, the rest by likelihood, what rounding leaves to the first.
void share_out(std::span<const std::int64_t> scores, std::size_t first, std::span<std::uint32_t> shares) noexcept {
  const std::size_t classes = shares.size();
  std::array<std::uint64_t, kMaxAskedClasses> likely;
  std::uint64_t all = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    all += likely[c] = decayed(static_cast<std::uint64_t>(scores[first] - scores[c]));
  }
  std::uint32_t rest = kCertain;
  for (std::size_t c = 0; c < classes; ++c) {
    shares[c] = static_cast<std::uint32_t>(1 + (kCertain - classes) * likely[c] / all);
    rest -= shares[c];
  }
  shares[first] += rest;
}

}  // namespace

Decision decide(const PublishedModel& published, const Hint& hint, const Row& row,
                std::span<std::uint32_t> probabilities, std::span<std::int32_t> groups) noexcept {
  const DecisionTables& tables = published.tables();
  const QuestionModel& model = tables.model;
  const std::size_t classes = published.classes();
  const std::size_t columns = tables.schema.dim();
  std::array<std::int64_t, kMaxAskedClasses> sums{};
  std::int64_t total = 0;
  row.for_each(tables.schema.dim(), [&](std::uint32_t column, double value) noexcept {
    const std::int64_t step = step_of(tables.schema.group_of(column), value);
    total += std::abs(step);
    const std::int16_t* weight = model.weights.data() + column;
    for (std::size_t c = 0; c < classes; ++c) sums[c] += step * weight[c * columns];
  });
  const Scale scale(tables, total);
  std::array<std::int32_t, kMaxAskedClasses> odds;
  hint.odds(published, std::span(odds).first(classes));
  std::array<std::int64_t, kMaxAskedClasses> scores;
  Decision decision{0, 1};
  for (std::size_t c = 0; c < classes; ++c) {
    scores[c] = std::int64_t{256} * odds[c] + scale.nats(sums[c], model.biases[c], total);
    if (c == 0) continue;
    const auto one = static_cast<std::uint16_t>(c);
    if (scores[c] > scores[decision.first]) {
      decision.second = decision.first;
      decision.first = one;
    } else if (scores[c] > scores[decision.second]) {
      decision.second = one;
    }
  }
  share_out(std::span(scores).first(classes), decision.first, probabilities);
  const auto first = model.weights_of(decision.first);
  const auto second = model.weights_of(decision.second);
  const std::int64_t bias = std::int64_t{model.biases[decision.first]} - model.biases[decision.second];
  decision.graph = odds[decision.first] - odds[decision.second];
  decision.features = reason(scale.nats(sums[decision.first] - sums[decision.second], bias, total));
  if (groups.empty()) return decision;

  // The same sums once more, group after group: columns ascend.
  std::fill(groups.begin(), groups.end(), 0);
  const ColumnGroup* begin = tables.schema.groups().data();
  const ColumnGroup* group = begin;
  std::int64_t sum = 0;
  std::int64_t differences = 0;
  const auto end_group = [&]() noexcept {
    groups[static_cast<std::size_t>(group - begin)] = reason(scale.nats(sum, bias, differences));
    sum = differences = 0;
  };
  row.for_each(tables.schema.dim(), [&](std::uint32_t column, double value) noexcept {
    const ColumnGroup& own = tables.schema.group_of(column);
    if (&own != group) end_group();
    group = &own;
    const std::int64_t step = step_of(own, value);
    differences += std::abs(step);
    sum += step * (std::int64_t{first[column]} - second[column]);
  });
  end_group();
  return decision;
}

}  // namespace ppgnn::ldp
