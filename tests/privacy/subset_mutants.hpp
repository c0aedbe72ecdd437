#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/ldp/public_hash.hpp"
#include "support/plans.hpp"

/// Subset responses in steps, over buckets, and devices that get one step wrong.
namespace ppgnn::test {

/// S(x) over buckets from its definition, by sorting: written down a second time, on purpose.
struct BucketRules {
  struct Word {
    std::int64_t weight;
    std::uint64_t rank;
    std::uint32_t bucket;
  };

  static std::vector<Word> words(const ldp::Plan& plan, std::uint64_t salt, const ldp::Row& row) {
    const std::uint64_t key = ldp::public_hash(plan.tables().codebook, salt);
    std::uint64_t words = plan.schema().dim();
    for (const ldp::ColumnGroup& group : plan.schema().groups()) {
      if (group.low < group.absent && group.absent < group.high) words = 2 * std::uint64_t{plan.schema().dim()};
    }
    std::uint64_t factor = ldp::public_hash(key + 3, 0) % words;
    while (std::gcd(factor, words) != 1) factor = (factor + 1) % words;
    const std::uint64_t shift = ldp::public_hash(key + 3, 1) % words;
    std::vector<Word> all;
    for (std::uint32_t column = 0; column < plan.schema().dim(); ++column) {
      const ldp::ColumnGroup& group = plan.schema().group_of(column);
      const std::int64_t step =
          ldp::Schema::quantise(group, row.value(column, group.absent)) - ldp::Schema::quantise(group, group.absent);
      if (step == 0) continue;
      const std::uint64_t word = words == plan.schema().dim() ? column : std::uint64_t{column} * 2 + (step > 0 ? 1 : 0);
      const std::uint64_t place = (factor * word + shift) % words * plan.outcomes() / words;
      all.push_back({std::abs(step), ldp::public_hash(key + 1, word), static_cast<std::uint32_t>(place)});
    }
    return all;
  }
  static std::uint32_t filler(const ldp::Plan& plan, std::uint64_t salt, std::uint64_t attempt) {
    const std::uint64_t key = ldp::public_hash(plan.tables().codebook, salt);
    return static_cast<std::uint32_t>((ldp::public_hash(key + 2, attempt) >> 32) * plan.outcomes() >> 32);
  }
};

/// The steps of a report over buckets, done right. A mutant replaces one step.
struct SubsetSteps {
  const ldp::Plan& plan;

  [[nodiscard]] std::uint64_t salt() const { return Person(plan).salt; }
  [[nodiscard]] std::size_t wanted(std::size_t) const { return plan.shape(0).favoured; }
  [[nodiscard]] bool before(const BucketRules::Word& a, const BucketRules::Word& b) const {
    return a.weight != b.weight ? a.weight > b.weight : a.rank > b.rank;
  }
  [[nodiscard]] std::uint32_t filler(std::uint32_t, std::uint64_t attempt) const {
    return BucketRules::filler(plan, salt(), attempt);
  }
  [[nodiscard]] std::uint64_t entry(std::uint32_t level, std::size_t) const { return plan.levels()[level - 1].entry; }
  template <class Bits>
  [[nodiscard]] std::uint64_t place(std::uint64_t members, Bits& bits) const {
    return members > 1 ? random::below(members, bits) : 0;
  }
  template <class Bits>
  [[nodiscard]] std::uint64_t outsider(std::uint64_t others, bool, Bits& bits) const {
    return random::below(others, bits);
  }
};

template <class Device, class Bits>
void subset_with(const Device& device, std::uint32_t level, const ldp::Row& row, Bits& bits, ldp::Report& out) {
  std::vector<BucketRules::Word> words = BucketRules::words(device.plan, device.salt(), row);
  std::stable_sort(words.begin(), words.end(), [&](const auto& a, const auto& b) { return device.before(a, b); });
  std::vector<std::uint32_t> set;
  const auto add = [&](std::uint32_t bucket) {
    if (std::find(set.begin(), set.end(), bucket) == set.end()) set.push_back(bucket);
  };
  const std::size_t wanted = device.wanted(words.size());
  for (const BucketRules::Word& word : words) {
    if (set.size() < wanted) add(word.bucket);
  }
  for (std::uint64_t attempt = 0; set.size() < wanted; ++attempt) add(device.filler(level, attempt));
  std::sort(set.begin(), set.end());

  out.reported_level.reset();
  out.outcomes.resize(device.plan.levels()[level - 1].sampled);
  for (std::size_t i = 0; i < out.outcomes.size(); ++i) {
    const std::uint64_t chance = bits.next() >> (64 - random::kThresholdBits);
    const bool inside = chance < device.entry(level, i);
    const std::uint64_t place = device.place(set.size(), bits);
    auto other = static_cast<std::uint32_t>(device.outsider(device.plan.outcomes() - set.size(), inside, bits));
    for (const std::uint32_t member : set) other += member <= other ? 1 : 0;
    out.outcomes[i] = inside ? set[place] : other;
  }
}

// One bucket fewer is favoured.
struct OneFavouredFewer : SubsetSteps {
  [[nodiscard]] std::size_t wanted(std::size_t) const { return plan.shape(0).favoured - 1; }
};

// As many buckets are favoured as the person has words, at least one.
struct AsManyAsWords : SubsetSteps {
  [[nodiscard]] std::size_t wanted(std::size_t words) const {
    return std::clamp<std::size_t>(words, 1, plan.shape(0).favoured);
  }
};

// What fills up the set depends on the level.
struct FillerByLevel : SubsetSteps {
  [[nodiscard]] std::uint32_t filler(std::uint32_t level, std::uint64_t attempt) const {
    return BucketRules::filler(plan, salt() + level, attempt);
  }
};

// The first columns win ties.
struct TiesByColumn : SubsetSteps {
  [[nodiscard]] bool before(const BucketRules::Word& a, const BucketRules::Word& b) const {
    return a.weight > b.weight;
  }
};

// The lighter words win.
struct LightestFirst : SubsetSteps {
  [[nodiscard]] bool before(const BucketRules::Word& a, const BucketRules::Word& b) const {
    return a.weight != b.weight ? a.weight < b.weight : a.rank > b.rank;
  }
};

// The level is capped by the outcomes that are not favoured alone.
struct OneEventInTheCap : SubsetSteps {
  [[nodiscard]] std::uint64_t entry(std::uint32_t level, std::size_t) const {
    const ldp::Shape shape = plan.shape(0);
    const double rest = static_cast<double>(shape.outcomes - shape.favoured) / shape.favoured;
    const double strictest = plan.levels()[0].budget;
    const double cap = std::log(std::exp(plan.tables().level_budget) * (std::exp(strictest) + rest) - rest);
    return ldp::SubsetResponse::quantise(std::min(plan.levels()[level - 1].budget, cap), shape);
  }
};

// The outsider is drawn only when it is sent.
struct OutsiderWhenNeeded : SubsetSteps {
  template <class Bits>
  [[nodiscard]] std::uint64_t outsider(std::uint64_t others, bool inside, Bits& bits) const {
    return inside ? 0 : random::below(others, bits);
  }
};

// The salt chooses the outsider, and the member.
struct SaltAsRandomness : SubsetSteps {
  template <class Bits>
  [[nodiscard]] std::uint64_t outsider(std::uint64_t others, bool, Bits& bits) const {
    static_cast<void>(random::below(others, bits));
    return salt() % others;
  }
};
struct SaltChoosesTheMember : SubsetSteps {
  template <class Bits>
  [[nodiscard]] std::uint64_t place(std::uint64_t members, Bits& bits) const {
    static_cast<void>(random::below(members, bits));
    return salt() % members;
  }
};

// The next level's entry.
struct SubsetLevelOffByOne : SubsetSteps {
  [[nodiscard]] std::uint64_t entry(std::uint32_t level, std::size_t) const {
    return plan.levels()[std::min<std::size_t>(level, plan.levels().size() - 1)].entry;
  }
};

// The first two outcomes share the budget; those that follow get as much again each.
struct ThirdOutcomeOverspends : SubsetSteps {
  [[nodiscard]] std::uint64_t entry(std::uint32_t level, std::size_t draw) const {
    const ldp::Shape shape = plan.shape(level - 1);
    const double loss = ldp::SubsetResponse::features_loss(SubsetSteps::entry(level, draw), shape);
    return draw < 2 ? SubsetSteps::entry(level, draw) : ldp::SubsetResponse::quantise(2 * loss, shape);
  }
};

// Every level beyond the sixteenth takes the entry of one below it.
struct SubsetEntriesOfSixteenLevels : SubsetSteps {
  [[nodiscard]] std::uint64_t entry(std::uint32_t level, std::size_t) const {
    return plan.levels()[(level - 1) % 16].entry;
  }
};

}  // namespace ppgnn::test
