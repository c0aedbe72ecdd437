#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ppgnn/ldp/perturb.hpp"
#include "support/plans.hpp"
#include "support/scripted_bits.hpp"

namespace ppgnn::test {

/// What a report shows, as a key.
using Output =
    std::tuple<std::int32_t, std::vector<std::uint32_t>, std::vector<std::int8_t>, std::vector<std::uint32_t>>;

inline Output output_of(const ldp::Report& report) {
  return {report.reported_level.value_or(-100), report.columns, report.signs, report.outcomes};
}

/// The exact distribution of reports for one person, found by driving the product's `perturb` through every cell of its
/// probability space with scripted words: no formula of the mechanism is used, only how many words lead where.
///
/// "All cells" plays, for signs: every sequence of subset draws, each by the last word of its stretch; for each sampled
/// column the draw where the sign turns, found by bisection over all 2^93; and every combination of signs at the two
/// draws beside those turns. For subset responses (classes, buckets, directions, answers): both sides of the threshold
/// times every member times every outsider, for each outcome sent. For level reports: every
/// output. A device that draws more or fewer words than the plan says is noticed (`problem`). What it cannot see: one
/// that gives other outputs at words of a stretch that are not played.
class Enumerator {
 public:
  /// The product, or something that claims to be it.
  using Device = std::function<void(ldp::Level, const ldp::Row&, ScriptedBits&, ldp::Report&)>;

  explicit Enumerator(const ldp::Plan& plan)
      : Enumerator(plan, [&plan, person = Person(plan)](ldp::Level level, const ldp::Row& row, ScriptedBits& bits,
                                                        ldp::Report& out) {
          ldp::perturb(plan, level, row, person.asked(), bits, out);
        }) {}
  Enumerator(const ldp::Plan& plan, Device device) : plan_(plan), device_(std::move(device)) {}

  /// What went another way than the plan says: words left or missing, other columns for the same draws. Empty: nothing.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

  std::map<Output, long double> distribution(ldp::Level level, const ldp::Row& row) {
    std::map<Output, long double> chances;
    for (const Stretch& reported : level_stretches()) {
      switch (plan_.kind()) {
        case ldp::ReportKind::signs:
          walk_subsets(level, row, reported, chances);
          break;
        case ldp::ReportKind::category:
        case ldp::ReportKind::buckets:
        case ldp::ReportKind::directions:
        case ldp::ReportKind::answer:
          walk(level, row, reported, subset_stretches(level), chances);
          break;
      }
    }
    return chances;
  }

 private:
  // Words that lead to one cell, and the share of all words that do.
  struct Stretch {
    std::vector<std::uint64_t> words;
    long double chance = 1;
  };

  // Every stretch of a payload that needs no look at what was drawn before.
  void walk(ldp::Level level, const ldp::Row& row, const Stretch& reported, const std::vector<Stretch>& stretches,
            std::map<Output, long double>& chances) const {
    for (const Stretch& payload : stretches) {
      chances[play(level, row, join(reported.words, payload.words))] += reported.chance * payload.chance;
    }
  }

  static std::vector<std::uint64_t> join(std::vector<std::uint64_t> first, const std::vector<std::uint64_t>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  }

  // The cells of a window response: its first words cover the window, the others follow in steps of the outer weight.
  static std::vector<Stretch> window_stretches(std::uint32_t inputs, std::uint32_t radius, std::uint64_t weight) {
    const std::uint64_t total = random::window_total(inputs, radius, weight);
    std::vector<Stretch> stretches;
    std::uint64_t at = 0;
    for (std::uint32_t i = 0; i < inputs + 2 * radius; ++i) {
      const std::uint64_t size = i <= 2 * radius ? weight : random::kWeightOut;
      stretches.push_back({{word_for(at, total)}, static_cast<long double>(size) / static_cast<long double>(total)});
      at += size;
    }
    return stretches;
  }

  std::vector<Stretch> level_stretches() const {
    const auto& response = plan_.tables().level_response;
    if (!response) return {Stretch{}};
    return window_stretches(response->levels, response->radius, response->weight);
  }

  // For each outcome sent: inside or not, at the very draws where it turns, times every member, times every outsider; all
  // are drawn either way (a single member is not).
  std::vector<Stretch> subset_stretches(ldp::Level level) const {
    const std::uint64_t entry = plan_.levels()[static_cast<std::uint32_t>(level) - 1].entry;
    const ldp::Shape shape = plan_.shape(static_cast<std::uint32_t>(level) - 1);
    const long double inside = static_cast<long double>(entry) * 0x1p-62L;
    const std::uint64_t members = shape.favoured;
    const std::uint64_t others = shape.outcomes - shape.favoured;
    std::vector<Stretch> one;
    for (std::uint64_t member = 0; member < members; ++member) {
      for (std::uint64_t other = 0; other < others; ++other) {
        std::vector<std::uint64_t> rest;
        if (members > 1) rest.push_back(word_for(member, members));
        rest.push_back(word_for(other, others));
        const long double share = 1.0L / static_cast<long double>(members * others);
        one.push_back({join({(entry - 1) << 2}, rest), inside * share});
        one.push_back({join({entry << 2}, rest), (1 - inside) * share});
      }
    }
    std::vector<Stretch> all{Stretch{}};
    for (std::uint32_t i = 0; i < shape.sampled; ++i) {
      std::vector<Stretch> longer;
      for (const Stretch& before : all) {
        for (const Stretch& after : one)
          longer.push_back({join(before.words, after.words), before.chance * after.chance});
      }
      all = std::move(longer);
    }
    return all;
  }

  Output play(ldp::Level level, const ldp::Row& row, const std::vector<std::uint64_t>& words) const {
    ScriptedBits bits(words);
    ldp::Report report;
    device_(level, row, bits, report);
    if (bits.exhausted() || bits.used() != words.size()) problem_ = "another number of words than the plan says";
    return output_of(report);
  }

  // Number of the 2^93 draws of one bit that give a plus, by bisection through perturb itself.
  random::UInt128 plus_draws(ldp::Level level, const ldp::Row& row, std::vector<std::uint64_t> words, std::size_t bit,
                             std::size_t first_sign, std::uint32_t column) {
    // Kept for rows with the same value there: a turn that is not the same for all is found when the signs are played.
    const auto key = std::tuple{static_cast<std::uint32_t>(level), column, row.value(column, -1e30)};
    if (const auto known = plus_draws_.find(key); known != plus_draws_.end()) return known->second;
    random::UInt128 low = 0;
    random::UInt128 high = random::UInt128{1} << 93;
    while (low < high) {
      const random::UInt128 middle = (low + high) / 2;
      std::tie(words[first_sign + 2 * bit], words[first_sign + 2 * bit + 1]) = words_for_sign(middle);
      if (std::get<2>(play(level, row, words))[bit] > 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return plus_draws_[key] = low;
  }

  // Every sequence of subset draws, and for each every combination of signs at the very draws where they turn.
  void walk_subsets(ldp::Level level, const ldp::Row& row, const Stretch& reported,
                    std::map<Output, long double>& chances) {
    const std::uint32_t dim = plan_.schema().dim();
    const std::uint32_t sampled = plan_.levels()[static_cast<std::uint32_t>(level) - 1].sampled;
    std::vector<std::uint64_t> draws(sampled, 0);
    for (bool more = true; more;) {
      std::vector<std::uint64_t> words = reported.words;
      long double chance = reported.chance;
      for (std::uint32_t i = 0; i < sampled; ++i) {
        words.push_back(word_for(draws[i], dim - sampled + i + 1));
        chance /= dim - sampled + i + 1;
      }
      const std::size_t first_sign = words.size();
      words.resize(first_sign + 2 * std::size_t{sampled}, 0);
      const auto columns = std::get<1>(play(level, row, words));
      std::vector<random::UInt128> plus(sampled);
      for (std::uint32_t i = 0; i < sampled; ++i) plus[i] = plus_draws(level, row, words, i, first_sign, columns[i]);

      for (std::uint32_t signs = 0; signs < (1u << sampled); ++signs) {
        long double joint = chance;
        for (std::uint32_t i = 0; i < sampled; ++i) {
          const bool positive = (signs >> i & 1) != 0;
          const random::UInt128 draw = positive ? plus[i] - 1 : plus[i];
          std::tie(words[first_sign + 2 * i], words[first_sign + 2 * i + 1]) = words_for_sign(draw);
          const auto share = static_cast<long double>(plus[i]) * 0x1p-93L;
          joint *= positive ? share : 1 - share;
        }
        const Output output = play(level, row, words);
        if (std::get<1>(output) != columns) problem_ = "the signs' words change the columns";
        for (std::uint32_t i = 0; i < sampled; ++i) {
          if (std::get<2>(output)[i] != ((signs >> i & 1) != 0 ? 1 : -1)) problem_ = "a sign turns twice";
        }
        chances[output] += joint;
      }
      more = false;
      for (std::uint32_t i = 0; i < sampled && !more; ++i) {
        more = ++draws[i] <= dim - sampled + i;
        if (!more) draws[i] = 0;
      }
    }
  }

  const ldp::Plan& plan_;
  Device device_;
  mutable std::string problem_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, double>, random::UInt128> plus_draws_;
};

}  // namespace ppgnn::test
