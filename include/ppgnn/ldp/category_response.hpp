#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/ldp/bound.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/ldp/row.hpp"
#include "ppgnn/ldp/schema.hpp"
#include "ppgnn/random/samplers.hpp"

namespace ppgnn::ldp {

/// Reports one class out of `classes`: the true one with probability W / 2^62, else another one, each as likely (k-ary
/// response). A level's table entry is W.
///
/// Privacy   Features given the level: ln(W (classes - 1) / (2^62 - W)). Levels and pairs: see the losses below.
///           Proof docs/proofs/category_response.md, attacked by tests/privacy/.
/// Estimate  (1[reported = c] - (1 - gain) / classes) / gain for class c; gain averaged over the levels a report may
///           come from. Unbiased over that average.
/// Cost      Two random words a report, a redrawn one by chance apart, whatever the level and the class; no branch on
///           either.
struct CategoryResponse {
  static constexpr ReportKind kKind = ReportKind::category;
  static constexpr std::string_view kFile = "category_response";  ///< of its sources, tests and proof
  static constexpr std::string_view kName = "category";           ///< in plan files
  static constexpr std::string_view kOption = "class";            ///< on the command line
  static constexpr std::uint64_t kWireKey = 5;                    ///< of the payload in a report

  static std::string problem_with(const Schema& schema);
  static std::uint32_t most_sampled(const Schema&) noexcept { return 1; }
  static Shape shape(const Schema& schema, std::uint32_t sampled) noexcept;
  /// The true class must be favoured.
  static EntryRange entries(const Shape& shape) noexcept;

  static std::uint64_t quantise(double budget, const Shape& shape) noexcept;

  static double features_loss(std::uint64_t entry, const Shape& shape) noexcept;
  static double level_loss(std::uint64_t first, std::uint64_t second, const Shape& shape) noexcept;
  static double pair_loss(std::uint64_t first, std::uint64_t second, const Shape& shape) noexcept;
  static double cap(double level_budget, double strictest, const Shape& shape) noexcept;

  /// P(reported = c | true = c) - P(reported = c | true is another).
  static double gain(std::uint64_t entry, const Shape& shape) noexcept;
  static double information(double gain, const Shape& shape) noexcept;
  /// Variance of the estimate of 1[true = c] for a person of class c (`x` = 1) or of another class (`x` = 0), exact.
  static double variance(double gain, double x, const Shape& shape) noexcept;

  static std::uint32_t best_sampled(double, std::uint32_t) noexcept { return 1; }

  static std::uint32_t estimated_columns(const Shape& shape) noexcept;
  /// Appends an estimate of 1[true = c] for every class c.
  static void estimate(const Report& report, double gain, const Shape& shape, std::vector<EstimateEntry>& out);
  static double log_likelihood(const Report& report, const Row& row, const Schema& schema, std::uint64_t entry,
                               const Shape& shape);

  /// Appends the payload: the class, as a number of fixed width.
  static void encode(const Report& report, const Shape& shape, std::vector<std::uint8_t>& payload);
  static std::string decode(std::span<const std::uint8_t> payload, const Shape& shape, Report& report);

  // For people.
  static constexpr std::string_view kSent = "classes sent";
  static constexpr std::string_view kIntroduction{};
  static constexpr std::string_view kTime = " or on the class";
  static std::string title(const Shape& shape);
  static std::string content(const Shape& shape);

  /// The class a device takes a row for.
  static std::uint32_t class_of(const Schema& schema, const Row& row) noexcept;

  template <random::BitSource Bits>
  static void perturb(const Schema& schema, std::uint32_t, std::uint64_t entry, const Row& row, Bits& bits,
                      Report& out) noexcept {
    const std::uint32_t category = class_of(schema, row);
    const std::uint32_t classes = shape(schema, 1).classes;
    // The other class is drawn always, below a public bound: neither words nor time tell whether it is used.
    const std::uint64_t draw = bits.next() >> (64 - random::kThresholdBits);
    auto other = static_cast<std::uint32_t>(random::below(classes - 1, bits));
    other += static_cast<std::uint32_t>(other >= category);
    const std::uint32_t keep = 0 - static_cast<std::uint32_t>(draw < entry);  // all ones or zero
    out.category = (category & keep) | (other & ~keep);
  }
};

}  // namespace ppgnn::ldp
