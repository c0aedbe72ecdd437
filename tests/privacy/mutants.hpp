#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "ppgnn/ldp/mechanism.hpp"
#include "privacy/steps.hpp"

/// Broken devices, each with one plausible mistake. Built into tests only.
namespace ppgnn::test {

// --- the mistakes ---------------------------------------------------------------------------------------------------

struct BudgetTenPercentMore : Steps {
  [[nodiscard]] std::uint64_t entry(std::uint32_t level) const {
    const ldp::Shape shape = tables().shape(at(level));
    return ldp::SignBits::quantise(1.1 * ldp::SignBits::features_loss(at(level).entry, shape), shape);
  }
};

struct BudgetNotDivided : Steps {
  [[nodiscard]] std::uint64_t entry(std::uint32_t level) const {
    const ldp::Shape shape = tables().shape(at(level));
    return ldp::SignBits::quantise(shape.sampled * ldp::SignBits::features_loss(at(level).entry, shape), shape);
  }
};

struct LambdaNotSubtracted : Steps {
  [[nodiscard]] std::uint64_t entry(std::uint32_t level) const {
    return ldp::SignBits::quantise(at(level).budget, tables().shape(at(level)));
  }
};

struct LevelBudgetPerLevel : Steps {
  template <class Bits>
  [[nodiscard]] std::int32_t reported(std::uint32_t level, Bits& bits) const {
    ldp::LevelResponse own =
        ldp::LevelResponse::make(tables().gamma * at(level).budget, tables().level_response->levels);
    own.radius = tables().level_response->radius;  // even with the window made common
    return own.perturb(level, bits);
  }
};

struct TwiceLambda : Steps {
  template <class Bits>
  [[nodiscard]] std::int32_t reported(std::uint32_t level, Bits& bits) const {
    ldp::LevelResponse wrong = *tables().level_response;
    wrong.weight = ldp::LevelResponse::make(2 * lambda(), wrong.levels).weight;
    return wrong.perturb(level, bits);
  }
};

// The paper's formula as printed: the window is around the index of the output, cut off at the end, the rest
// renormalised.
struct IndexShiftMissing : Steps {
  template <class Bits>
  [[nodiscard]] std::int32_t reported(std::uint32_t level, Bits& bits) const {
    const ldp::LevelResponse& response = *tables().level_response;
    const std::int32_t outputs = response.last() - response.first() + 1;
    std::vector<std::uint64_t> weights;
    std::uint64_t total = 0;
    for (std::int32_t output = 1; output <= outputs; ++output) {
      const bool inside =
          std::abs(output - static_cast<std::int32_t>(level)) <= static_cast<std::int32_t>(response.radius);
      weights.push_back(inside ? response.weight : random::kWeightOut);
      total += weights.back();
    }
    std::uint64_t draw = random::below(total, bits);
    std::int32_t output = 0;
    while (draw >= weights[static_cast<std::size_t>(output)]) draw -= weights[static_cast<std::size_t>(output++)];
    return response.first() + output;
  }
};

struct InsideAndOutsideSwapped : Steps {
  template <class Bits>
  [[nodiscard]] std::int32_t reported(std::uint32_t level, Bits& bits) const {
    const ldp::LevelResponse& response = *tables().level_response;
    // Outside gets the large weight: draw outputs until one is kept with the swapped odds.
    while (true) {
      const auto span = static_cast<std::uint64_t>(response.last() - response.first() + 1);
      const std::int32_t output = response.first() + static_cast<std::int32_t>(random::below(span, bits));
      const bool inside =
          std::abs(output - static_cast<std::int32_t>(level)) <= static_cast<std::int32_t>(response.radius);
      if (random::below(response.weight, bits) < (inside ? random::kWeightOut : response.weight)) return output;
    }
  }
};

struct LevelOffByOne : Steps {
  [[nodiscard]] std::uint64_t entry(std::uint32_t level) const {
    return at(std::min<std::uint32_t>(level + 1, static_cast<std::uint32_t>(plan.levels().size()))).entry;
  }
};

// Each step up with a coin of its own; the largest wins.
struct MaximumOfCoins : Steps {
  template <class Bits>
  [[nodiscard]] std::int32_t reported(std::uint32_t level, Bits& bits) const {
    const std::int32_t first = tables().level_response->perturb(level, bits);
    return std::max(first, tables().level_response->perturb(level, bits));
  }
};

// Sends as many columns as the most relaxed level, each with the own budget over the own number.
struct EverybodySamplesTheMost : Steps {
  [[nodiscard]] std::uint64_t entry(std::uint32_t level) const {
    ldp::Shape shape = tables().shape(at(level));
    shape.sampled = ldp::SignBits::best_sampled(at(level).budget, shape.dim);
    return ldp::SignBits::quantise(ldp::SignBits::features_loss(at(level).entry, tables().shape(at(level))), shape);
  }
};

struct ZeroNoise : Steps {
  template <class Bits>
  [[nodiscard]] bool sign(std::int64_t feature, std::uint64_t, const ldp::Report&, Bits& bits) const {
    bits.next();
    bits.next();
    return feature > 0;
  }
};

struct UnclampedInput : Steps {
  [[nodiscard]] std::int64_t feature(const ldp::ColumnGroup& group, double value) const {
    if (std::isnan(value)) return 0;
    const double x = 2 * (value - group.low) / (group.high - group.low) - 1;
    return std::llrint(std::ldexp(std::clamp(x, -4.0, 4.0), 30));  // far enough outside to show
  }
  template <class Bits>
  [[nodiscard]] bool sign(std::int64_t feature, std::uint64_t entry, const ldp::Report&, Bits& bits) const {
    const random::UInt128 high = bits.next() >> 35;
    const auto draw = static_cast<random::Int128>(high << 64 | bits.next());
    return draw < (random::Int128{1} << 92) + random::Int128{feature} * static_cast<std::int64_t>(entry);
  }
};

struct WithReplacement : Steps {
  template <class Bits>
  void subset(const ldp::Row&, std::vector<std::uint32_t>& columns, Bits& bits) const {
    for (std::uint32_t& column : columns) column = static_cast<std::uint32_t>(random::below(plan.schema().dim(), bits));
    std::sort(columns.begin(), columns.end());
  }
};

// The first word of the level report is used again for the first sign.
struct WordReused : Steps {
  template <class Bits>
  struct Recording {
    Bits& bits;
    std::uint64_t& kept;
    std::uint64_t next() noexcept { return kept = bits.next(); }
  };
  template <class Bits>
  struct Replay {
    Bits& bits;
    std::uint64_t kept;
    bool use;
    std::uint64_t next() noexcept { return std::exchange(use, false) ? kept : bits.next(); }
  };
  mutable std::uint64_t kept = 0;
  mutable bool fresh = false;
  template <class Bits>
  [[nodiscard]] std::int32_t reported(std::uint32_t level, Bits& bits) const {
    Recording<Bits> recording{bits, kept};
    fresh = true;
    return tables().level_response->perturb(level, recording);
  }
  template <class Bits>
  [[nodiscard]] bool sign(std::int64_t feature, std::uint64_t entry, const ldp::Report&, Bits& bits) const {
    Replay<Bits> replay{bits, kept, std::exchange(fresh, false)};
    return random::sign(feature, entry, replay);
  }
};

struct SixteenBitModulo : Steps {
  template <class Bits>
  void subset(const ldp::Row&, std::vector<std::uint32_t>& columns, Bits& bits) const {
    for (std::uint32_t& column : columns)
      column = static_cast<std::uint32_t>((bits.next() & 0xffff) % plan.schema().dim());
    std::sort(columns.begin(), columns.end());
  }
};

// All signs of a report from one draw.
struct SignsShareADraw : Steps {
  template <class Bits>
  [[nodiscard]] bool sign(std::int64_t feature, std::uint64_t entry, const ldp::Report& report, Bits& bits) const {
    if (&report != last || report.columns != columns) {
      last = &report;
      columns = report.columns;
      words = {bits.next(), bits.next()};
    }
    struct Same {
      std::pair<std::uint64_t, std::uint64_t> words;
      bool second = false;
      std::uint64_t next() noexcept { return std::exchange(second, true) ? words.second : words.first; }
    } same{words};
    return random::sign(feature, entry, same);
  }
  mutable const ldp::Report* last = nullptr;
  mutable std::vector<std::uint32_t> columns{};
  mutable std::pair<std::uint64_t, std::uint64_t> words{};
};

// The levels beyond the eighth are the eighth; those beyond the sixteenth begin anew.
struct EightLevels : Steps {
  [[nodiscard]] std::uint64_t entry(std::uint32_t level) const { return at(std::min(level, 8u)).entry; }
};
struct SixteenLevels : Steps {
  [[nodiscard]] std::uint64_t entry(std::uint32_t level) const { return at((level - 1) % 16 + 1).entry; }
};
struct SixteenLevelsReported : Steps {
  template <class Bits>
  [[nodiscard]] std::int32_t reported(std::uint32_t level, Bits& bits) const {
    return tables().level_response->perturb((level - 1) % 16 + 1, bits);
  }
};

// The noise of 64 signs: those that follow have none.
struct NoiseForSixtyFourSigns : Steps {
  mutable std::size_t next = 0;
  template <class Bits>
  void subset(const ldp::Row& row, std::vector<std::uint32_t>& columns, Bits& bits) const {
    next = 0;
    Steps::subset(row, columns, bits);
  }
  template <class Bits>
  [[nodiscard]] bool sign(std::int64_t feature, std::uint64_t entry, const ldp::Report&, Bits& bits) const {
    const bool plus = random::sign(feature, entry, bits);
    return next++ < 64 ? plus : feature > 0;
  }
};

// --- mistakes with what a row lists --------------------------------------------------------------------------------

constexpr double kNowhere = -1e30;  // what nobody's features are: marks a column that a row does not list

inline bool lists(const ldp::Row& row, std::uint32_t column) {
  return row.value(column, kNowhere) != kNowhere;
}

// Now and then a column that is listed takes the place of one that is not.
struct ListedColumnFavoured : Steps {
  template <class Bits>
  void subset(const ldp::Row& row, std::vector<std::uint32_t>& columns, Bits& bits) const {
    random::subset(plan.schema().dim(), columns, bits);
    if (columns.size() != 1 || lists(row, columns[0])) return;
    // Looks a little further for something to say.
    std::vector<std::uint32_t> second(1);
    random::subset(plan.schema().dim(), second, bits);
    if (lists(row, second[0])) columns = second;
  }
};

// What is not listed is 0, whatever the schema says.
struct AbsentIsZero : Steps {
  [[nodiscard]] double value(const ldp::Row& row, std::uint32_t column, const ldp::ColumnGroup&) const {
    return row.value(column, 0);
  }
};

// What is not listed gets a fair coin.
struct UnlistedIsACoin : Steps {
  [[nodiscard]] double value(const ldp::Row& row, std::uint32_t column, const ldp::ColumnGroup&) const {
    return row.value(column, std::numeric_limits<double>::quiet_NaN());
  }
};

// A listed column is high, whatever its value.
struct ListedIsHigh : Steps {
  [[nodiscard]] double value(const ldp::Row& row, std::uint32_t column, const ldp::ColumnGroup& group) const {
    return lists(row, column) ? group.high : group.absent;
  }
};

// The value of the column before.
struct LookedUpOneOff : Steps {
  [[nodiscard]] double value(const ldp::Row& row, std::uint32_t column, const ldp::ColumnGroup& group) const {
    return row.value(column == 0 ? 0 : column - 1, group.absent);
  }
};

// A listed column is reported without noise.
struct ListedWithoutNoise : Steps {
  mutable bool listed = false;
  [[nodiscard]] double value(const ldp::Row& row, std::uint32_t column, const ldp::ColumnGroup& group) const {
    listed = lists(row, column) && row.value(column, 0) == group.high;
    return row.value(column, group.absent);
  }
  template <class Bits>
  [[nodiscard]] bool sign(std::int64_t feature, std::uint64_t entry, const ldp::Report&, Bits& bits) const {
    const bool plus = random::sign(feature, entry, bits);
    return listed || plus;
  }
};

// Columns are looked up by sixteen bits.
struct SixteenBitLookup : Steps {
  [[nodiscard]] double value(const ldp::Row& row, std::uint32_t column, const ldp::ColumnGroup& group) const {
    return row.value(column & 0xffff, group.absent);
  }
};

// Drawn columns are kept in sixteen bits.
struct SixteenBitSampler : Steps {
  template <class Bits>
  void subset(const ldp::Row&, std::vector<std::uint32_t>& columns, Bits& bits) const {
    random::subset(plan.schema().dim(), columns, bits);
    for (std::uint32_t& column : columns) column &= 0xffff;
    std::sort(columns.begin(), columns.end());
  }
};

// Payload entries are written with sixteen bits.
struct SixteenBitPayload : Steps {
  void send(ldp::Report& report) const {
    for (std::uint32_t& column : report.columns) column = (column * 2 & 0xffff) / 2;
  }
};

// The last column is never drawn.
struct LastColumnLeftOut : Steps {
  template <class Bits>
  void subset(const ldp::Row&, std::vector<std::uint32_t>& columns, Bits& bits) const {
    random::subset(plan.schema().dim() - 1, columns, bits);
  }
};

// Every column has the range of the first group.
struct FirstGroupForAll : Steps {
  [[nodiscard]] const ldp::ColumnGroup& group(std::uint32_t) const { return plan.schema().groups().front(); }
};

// --- mistakes with one class ----------------------------------------------------------------------------------------

// One class is kept more often than the plan says, and only that one.
struct OneClassKeptMore : CategorySteps {
  [[nodiscard]] std::uint64_t entry(std::uint32_t level, std::uint32_t category) const {
    const std::uint64_t right = CategorySteps::entry(level, category);
    return category == plan.outcomes() / 2 ? right + ((std::uint64_t{1} << 62) - right) / 2 : right;
  }
};

// The class after the own one is never sent in its place.
struct NextClassLeftOut : CategorySteps {
  template <class Bits>
  [[nodiscard]] std::uint32_t other(std::uint32_t category, Bits& bits) const {
    const std::uint32_t drawn = CategorySteps::other(category, bits);
    return drawn == category + 1 ? (category == 0 ? plan.outcomes() - 1 : 0) : drawn;
  }
};

// Nothing listed is the first class, whatever the schema says.
struct AbsentIsTheFirstClass : CategorySteps {
  [[nodiscard]] std::uint32_t own(const ldp::Row& row) const { return lists(row, 0) ? CategorySteps::own(row) : 0; }
};

}  // namespace ppgnn::test
