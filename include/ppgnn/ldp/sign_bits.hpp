#pragma once

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

/// Reports the sign of `sampled` of `dim` features, one random bit each: + with probability (1 + x t) / 2.
/// A level's table entry is T = t * 2^62.
///
/// Privacy   Features given the level: sampled * ln((1 + t) / (1 - t)). Levels and pairs: see the losses below.
///           Proof docs/proofs/sign_bits.md, attacked by tests/privacy/.
/// Estimate  dim / (sampled * gain) * sign on the sampled columns, 0 elsewhere; gain is t averaged over the levels a
///           report may come from. Unbiased over that average (features independent of levels), not for each person.
/// Cost      O(sampled * log listed columns) a report, no allocation once `out` has its size; the same for every level.
/// Source    Algorithms 1 and 2 of the paper without the scaling, which the server does.
struct SignBits {
  static constexpr ReportKind kKind = ReportKind::signs;
  static constexpr std::string_view kFile = "sign_bits";  ///< of its sources, tests and proof
  static constexpr std::string_view kName = "signs";      ///< in plan files
  static constexpr std::string_view kOption = "signs";    ///< on the command line
  static constexpr std::uint64_t kWireKey = 4;            ///< of the payload in a report
  static constexpr bool kAveraged = true;                 ///< whether estimates of different people may be averaged
  static constexpr bool kCampaign = false;                ///< whether people have roles in a campaign
  static constexpr bool kAsks = false;                    ///< whether a plan asks a question, by a model

  /// What is wrong with a plan of this kind, levels apart, and with one of its levels; empty: nothing.
  static std::string problem_with(const PlanTables& tables);
  static std::string problem_with(const PlanTables& tables, const PlanLevel& level);
  static Shape shape(const Schema& schema, const PlanLevel& level) noexcept;
  /// The shapes of a report that may keep most information, for levels with these budgets.
  static std::vector<PlanLevel> candidates(const PlanTables& tables, const ShapeWishes& wishes);
  static EntryRange entries(const Shape& shape) noexcept;

  /// The largest entry whose loss stays within `budget`, rounded toward privacy.
  static std::uint64_t quantise(double budget, const Shape& shape) noexcept;

  /// Most that one report tells two feature vectors apart, for somebody who knows the level.
  static double features_loss(std::uint64_t entry, const Shape& shape) noexcept;
  /// Largest ln P(report | x, first) / P(report | x, second) over x and reports.
  static double level_loss(std::uint64_t first, std::uint64_t second, const Shape& shape) noexcept;
  /// Largest ln P(report | x, first) / P(report | y, second) over x, y and reports.
  static double pair_loss(std::uint64_t first, std::uint64_t second, const Shape& shape) noexcept;
  /// The largest budget that keeps a level within `level_budget` of a level that spends `strictest`.
  static double cap(double level_budget, double strictest, const Shape& shape) noexcept;

  /// E[sign | x] = x * gain.
  static double gain(std::uint64_t entry, const Shape& shape) noexcept;
  /// What a report is worth: the inverse variance of its estimate, times dim, at x = 0.
  static double information(double gain, const Shape& shape) noexcept;
  /// Variance of the estimate of a feature `x` in [-1, 1], exact.
  static double variance(double gain, double x, const Shape& shape) noexcept;

  /// The number of columns that makes the variance least for `budget`, at most `dim`: exact, not floor(budget / 2.2).
  static std::uint32_t best_sampled(double budget, std::uint32_t dim) noexcept;

  /// Size of an estimate: dim / (sampled * gain).
  static double scale(double gain, const Shape& shape) noexcept;
  static std::uint32_t estimated_columns(const Shape& shape) noexcept;
  /// Appends the estimate of one report.
  static void estimate(const Report& report, double gain, const Shape& shape, std::vector<EstimateEntry>& out);
  /// ln P(payload | features, entry), up to what neither changes.
  static double log_likelihood(const Report& report, const Row& row, const PlanTables& tables, const Asked& asked,
                               std::uint64_t entry, const Shape& shape);

  /// Appends the payload: a number of fixed width for each sampled column, column * 2, plus 1 for a plus.
  static void encode(const Report& report, const Shape& shape, std::vector<std::uint8_t>& payload);
  /// Reads a payload; says what is wrong with it, or nothing.
  static std::string decode(std::span<const std::uint8_t> payload, const Shape& shape, Report& report);

  // For people.
  static constexpr std::string_view kSent = "columns sent";  ///< what `sampled` counts
  static constexpr std::string_view kIntroduction = messages::kColumns;
  static constexpr std::string_view kTime = messages::kTimeFeatures;
  /// "signs of features, 1433 columns".
  static std::string title(const Shape& shape);
  /// What a device sends.
  static std::string content(const Shape& shape);

  template <random::BitSource Bits>
  static void perturb(const PlanTables& tables, const Shape& shape, std::uint64_t entry, const Asked&, const Row& row,
                      Bits& bits, Report& out) {
    const Schema& schema = tables.schema;
    out.columns.resize(shape.sampled);
    out.signs.resize(shape.sampled);
    random::subset(schema.dim(), out.columns, bits);
    for (std::uint32_t i = 0; i < shape.sampled; ++i) {
      const ColumnGroup& group = schema.group_of(out.columns[i]);
      const std::int64_t feature = Schema::quantise(group, row.value(out.columns[i], group.absent));
      const bool plus = random::sign(feature, entry, bits);
      out.signs[i] = static_cast<std::int8_t>(2 * static_cast<int>(plus) - 1);
    }
  }
};

}  // namespace ppgnn::ldp
