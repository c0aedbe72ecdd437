#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/ldp/bound.hpp"
#include "ppgnn/ldp/messages.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/question.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/ldp/row.hpp"
#include "ppgnn/random/samplers.hpp"

namespace ppgnn::ldp {

/// Most outcomes there may be, most that a person's features may favour, most that a report may send.
inline constexpr std::uint32_t kMaxOutcomes = std::uint32_t{1} << 16;
inline constexpr std::uint32_t kMaxFavoured = 512;
inline constexpr std::uint32_t kMaxRepeats = 64;

/// Sends one of `outcomes` (M) public outcomes, `sampled` (r) times: a member of the set S(x) of exactly `favoured` (K)
/// that the features decide, with probability W / 2^62, each as likely; else one outside of it, each as likely. A
/// level's table entry is W. What S(x) is, each kind says: CategoryResponse (K = 1), BucketResponse, DirectionResponse,
/// AnswerResponse.
///
/// Privacy   Features given the level: r ln(W (M - K) / (K (2^62 - W))), whatever the sets are, as long as each has K
///           members. Levels and pairs: see the losses below. Proof docs/proofs/subset_response.md.
/// Estimate  Of 1[o is favoured], for an outcome o: (share of the r that are o - q) / gain, where q = (1 - gain K) / M
///           is the chance of an outcome that is not favoured; gain averaged over the levels a report may come from.
///           Unbiased over that average.
/// Cost      Three random words an outcome sent (two where K = 1), a redrawn one by chance apart; O(K) steps; neither
///           depends on the level or on what is sent, and no branch does.
struct SubsetResponse {
  // What most kinds say; the others say it anew.
  static constexpr bool kAveraged = false;
  static constexpr bool kCampaign = true;
  static constexpr bool kAsks = false;
  static constexpr std::string_view kIntroduction = messages::kColumns;
  static constexpr std::string_view kTime = messages::kTimeFeatures;

  static Shape shape(const Schema& schema, const PlanLevel& level) noexcept;
  static EntryRange entries(const Shape& shape) noexcept;
  static std::uint64_t quantise(double budget, const Shape& shape) noexcept;

  static double features_loss(std::uint64_t entry, const Shape& shape) noexcept;
  static double level_loss(std::uint64_t first, std::uint64_t second, const Shape& shape) noexcept;
  static double pair_loss(std::uint64_t first, std::uint64_t second, const Shape& shape) noexcept;
  static double cap(double level_budget, double strictest, const Shape& shape) noexcept;

  /// P(o sent | o favoured) - P(o sent | not).
  static double gain(std::uint64_t entry, const Shape& shape) noexcept;
  /// r (p - h)^2 / h, where h = K / M and p is the chance that a favoured outcome is sent. Rho squared in the review.
  static double information(double gain, const Shape& shape) noexcept;
  /// Variance of the estimate of 1[o is favoured] where it is (`x` = 1) and where it is not (`x` = 0), exact. `spread` is
  /// the variance of the gain over the levels that a report may come from: all its draws share one.
  static double variance(double gain, double x, const Shape& shape, double spread = 0) noexcept;

  static std::uint32_t estimated_columns(const Shape& shape) noexcept;
  /// Appends an estimate for every outcome.
  static void estimate(const Report& report, double gain, const Shape& shape, std::vector<EstimateEntry>& out);
  /// ln P(outcomes sent | the set, entry).
  static double log_likelihood(const Report& report, std::span<const std::uint32_t> favoured, std::uint64_t entry,
                               const Shape& shape);

  /// Appends the payload: the outcomes in the order they were drawn, as numbers of fixed width.
  static void encode(const Report& report, const Shape& shape, std::vector<std::uint8_t>& payload);
  static std::string decode(std::span<const std::uint8_t> payload, const Shape& shape, Report& report);

  /// Draws the outcomes; `favoured` has exactly K members, ascending.
  template <random::BitSource Bits>
  static void respond(std::span<const std::uint32_t> favoured, const Shape& shape, std::uint64_t entry, Bits& bits,
                      Report& out) {
    out.outcomes.resize(shape.sampled);
    for (std::uint32_t& outcome : out.outcomes) outcome = draw(favoured, shape.outcomes, entry, bits);
  }

 private:
  // Both a member and an outsider are drawn, below public bounds: neither words nor time tell which is sent.
  template <random::BitSource Bits>
  static std::uint32_t draw(std::span<const std::uint32_t> favoured, std::uint32_t outcomes, std::uint64_t entry,
                            Bits& bits) noexcept {
    const auto members = static_cast<std::uint32_t>(favoured.size());
    const std::uint64_t chance = bits.next() >> (64 - random::kThresholdBits);
    const std::uint64_t place = members > 1 ? random::below(members, bits) : 0;
    auto outsider = static_cast<std::uint32_t>(random::below(outcomes - members, bits));
    std::uint32_t member = 0;
    for (std::uint32_t i = 0; i < members; ++i) {
      member |= favoured[i] & (0 - static_cast<std::uint32_t>(i == place));
      outsider += static_cast<std::uint32_t>(favoured[i] <= outsider);  // the outsiders, counted past the members
    }
    const std::uint32_t inside = 0 - static_cast<std::uint32_t>(chance < entry);  // all ones or zero
    return (member & inside) | (outsider & ~inside);
  }
};

/// What the kinds of subset response share: `Kind::choose(tables, shape, asked, row, favoured)` writes S(x), ascending.
template <class Kind>
struct SubsetKind : SubsetResponse {
  /// ln P(report | features, entry).
  static double log_likelihood(const Report& report, const Row& row, const PlanTables& tables, const Asked& asked,
                               std::uint64_t entry, const Shape& shape) {
    Favoured favoured;
    return SubsetResponse::log_likelihood(report, favoured.chosen(tables, shape, asked, row), entry, shape);
  }

  template <random::BitSource Bits>
  static void perturb(const PlanTables& tables, const Shape& shape, std::uint64_t entry, const Asked& asked,
                      const Row& row, Bits& bits, Report& out) {
    Favoured favoured;
    respond(favoured.chosen(tables, shape, asked, row), shape, entry, bits, out);
  }

 private:
  struct Favoured {
    std::array<std::uint32_t, kMaxFavoured> members;

    std::span<const std::uint32_t> chosen(const PlanTables& tables, const Shape& shape, const Asked& asked,
                                          const Row& row) noexcept {
      const std::span<std::uint32_t> wanted(members.data(), shape.favoured);
      Kind::choose(tables, shape, asked, row, wanted);
      return wanted;
    }
  };
};

}  // namespace ppgnn::ldp
