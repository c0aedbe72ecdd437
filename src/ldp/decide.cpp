#include "ppgnn/ldp/decide.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "ppgnn/random/samplers.hpp"

namespace ppgnn::ldp {

namespace {

constexpr int kMeanBits = 12;  // of a mean weight: |sums| stay below 2^51, times this below 2^63
constexpr std::int64_t kMostReason = std::int64_t{1} << 24;

// e^-(2^(i - 16)) in units of 2^-32, rounded.
constexpr std::array<std::uint32_t, 21> kPowers{4294901760, 4294836226, 4294705160, 4294443040, 4293918848, 4292870656,
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
class Evidence {
 public:
  Evidence(const QuestionModel& model, std::uint32_t evidence, std::int64_t total) noexcept
      : total_(total),
        // In 2^-32 nat per weight: the factor is below 2^32 in units of 2^-14, the evidence below 2^32.
        worth_((length_factor(model, static_cast<std::uint64_t>(total)) * evidence) >> 14) {}

  // Of a sum over columns of differences times weights, and a bias over the same columns' differences: 2^-16 nat.
  [[nodiscard]] std::int64_t nats(std::int64_t sum, std::int64_t bias, std::int64_t differences) const noexcept {
    if (total_ == 0) return 0;
    const std::int64_t one = std::int64_t{1} << kMeanBits;
    const std::int64_t biased = bias * differences;  // below 2^60: its mean in two steps
    const std::int64_t mean = sum * one / total_ + biased / total_ * one + biased % total_ * one / total_;
    // Rounded toward 0. No division of 128 bits: it alone is a kilobyte of the module.
    const auto size = random::UInt128{static_cast<std::uint64_t>(std::abs(mean))} * worth_ >> (kMeanBits + 16);
    const auto nats = static_cast<std::int64_t>(size);
    return mean < 0 ? -nats : nats;
  }

 private:
  std::int64_t total_;
  std::uint64_t worth_;
};

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
  return decide(tables.schema, tables.model, tables, hint, row, probabilities, groups);
}

Decision decide(const Schema& schema, const QuestionModel& model, const DecisionScale& scale, const Hint& hint,
                const Row& row, std::span<std::uint32_t> probabilities, std::span<std::int32_t> groups) noexcept {
  const std::size_t classes = model.classes.size();
  const std::size_t columns = schema.dim();
  std::array<std::int64_t, kMaxAskedClasses> sums{};
  std::int64_t differences = 0;
  Decision decision{0, 1};
  std::optional<Evidence> evidence;  // once all columns were seen
  const ColumnGroup* begin = schema.groups().data();
  const ColumnGroup* group = begin;
  // Of the sums so far: what they add to the lead. Then they begin anew.
  const auto lead = [&]() noexcept {
    const std::int64_t bias = std::int64_t{model.biases[decision.first]} - model.biases[decision.second];
    const std::int64_t nats = evidence->nats(sums[decision.first] - sums[decision.second], bias, differences);
    sums.fill(0);
    differences = 0;
    return static_cast<std::int32_t>(std::clamp(nats / 256, -kMostReason, kMostReason));
  };
  // All columns, ascending; the second time group after group.
  const auto add_columns = [&]() noexcept {
    row.for_each(schema.dim(), [&](std::uint32_t column, double value) noexcept {
      const ColumnGroup& own = schema.group_of(column);
      if (evidence && &own != group) groups[static_cast<std::size_t>(group - begin)] = lead();
      group = &own;
      const std::int64_t step = step_of(own, value);
      differences += std::abs(step);
      const std::int16_t* weight = model.weights.data() + column;
      for (std::size_t c = 0; c < classes; ++c) sums[c] += step * weight[c * columns];
    });
  };
  add_columns();
  evidence.emplace(model, scale.evidence, differences);
  std::array<std::int32_t, kMaxAskedClasses> odds;
  hint.odds(scale, std::span(odds).first(classes));
  std::array<std::int64_t, kMaxAskedClasses> scores;
  for (std::size_t c = 0; c < classes; ++c) {
    scores[c] = std::int64_t{256} * odds[c] + evidence->nats(sums[c], model.biases[c], differences);
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
  decision.graph = odds[decision.first] - odds[decision.second];
  decision.features = lead();
  if (groups.empty()) return decision;
  std::fill(groups.begin(), groups.end(), 0);
  group = begin;
  add_columns();
  groups[static_cast<std::size_t>(group - begin)] = lead();
  return decision;
}

}  // namespace ppgnn::ldp
