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
#include "ppgnn/ldp/sign_bits.hpp"
#include "ppgnn/random/samplers.hpp"

namespace ppgnn::ldp {

/// Reports the sign of one column, always the first: what SignBits does with one column. Tries the list in HACKING.md.
///
/// Privacy   As SignBits with dim = sampled = 1. Proof docs/proofs/coin.md.
struct Coin {
  static constexpr ReportKind kKind = ReportKind::coin;
  static constexpr std::string_view kFile = "coin";
  static constexpr std::string_view kName = "coin";
  static constexpr std::string_view kOption = "coin";
  static constexpr std::uint64_t kWireKey = 22;

  static constexpr bool kAveraged = true;
  static constexpr bool kCampaign = false;
  static constexpr bool kAsks = false;

  static std::string problem_with(const PlanTables& tables);
  static std::string problem_with(const PlanTables&, const PlanLevel&) { return {}; }
  static std::vector<PlanLevel> candidates(const PlanTables&, const ShapeWishes&) { return {PlanLevel{}}; }
  static Shape shape(const Schema&, const PlanLevel&) noexcept { return {}; }
  static EntryRange entries(const Shape& shape) noexcept { return SignBits::entries(shape); }
  static std::uint64_t quantise(double budget, const Shape& shape) noexcept {
    return SignBits::quantise(budget, shape);
  }
  static double features_loss(std::uint64_t entry, const Shape& shape) noexcept {
    return SignBits::features_loss(entry, shape);
  }
  static double level_loss(std::uint64_t first, std::uint64_t second, const Shape& shape) noexcept {
    return SignBits::level_loss(first, second, shape);
  }
  static double pair_loss(std::uint64_t first, std::uint64_t second, const Shape& shape) noexcept {
    return SignBits::pair_loss(first, second, shape);
  }
  static double cap(double level_budget, double strictest, const Shape& shape) noexcept {
    return SignBits::cap(level_budget, strictest, shape);
  }
  static double gain(std::uint64_t entry, const Shape& shape) noexcept { return SignBits::gain(entry, shape); }
  static double information(double gain, const Shape& shape) noexcept { return SignBits::information(gain, shape); }
  static double variance(double gain, double x, const Shape& shape) noexcept {
    return SignBits::variance(gain, x, shape);
  }
  static std::uint32_t estimated_columns(const Shape&) noexcept { return 1; }
  static void estimate(const Report& report, double gain, const Shape& shape, std::vector<EstimateEntry>& out);
  static double log_likelihood(const Report& report, const Row& row, const PlanTables& tables, const Asked& asked,
                               std::uint64_t entry, const Shape& shape);
  static void encode(const Report& report, const Shape& shape, std::vector<std::uint8_t>& payload);
  static std::string decode(std::span<const std::uint8_t> payload, const Shape& shape, Report& report);

  static constexpr std::string_view kSent = "bits sent";
  static constexpr std::string_view kIntroduction = "";
  static constexpr std::string_view kTime = "";
  static std::string title(const Shape&) { return "one bit"; }
  static std::string content(const Shape&) { return "one noisy bit"; }

  template <random::BitSource Bits>
  static void perturb(const PlanTables& tables, const Shape&, std::uint64_t entry, const Asked&, const Row& row,
                      Bits& bits, Report& out) {
    const ColumnGroup& group = tables.schema.group_of(0);
    const bool heads = random::sign(Schema::quantise(group, row.value(0, group.absent)), entry, bits);
    out.outcomes.assign(1, heads ? 1 : 0);
  }
};

}  // namespace ppgnn::ldp
