#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/ldp/subset_response.hpp"

namespace ppgnn::ldp {

/// Subset response with one favoured outcome, the person's class (k-ary response): the true class with probability
/// W / 2^62, else another one, each as likely.
///
/// Privacy   SubsetResponse's with K = 1. Proof docs/proofs/category_response.md, attacked by tests/privacy/.
/// Estimate  SubsetResponse's, of 1[class is the person's].
/// Cost      Two random words a report, a redrawn one by chance apart, whatever the level and the class; no branch on
///           either.
struct CategoryResponse : SubsetKind<CategoryResponse> {
  static constexpr ReportKind kKind = ReportKind::category;
  static constexpr std::string_view kFile = "category_response";  ///< of its sources, tests and proof
  static constexpr std::string_view kName = "category";           ///< in plan files
  static constexpr std::string_view kOption = "class";            ///< on the command line
  static constexpr std::uint64_t kWireKey = 5;                    ///< of the payload in a report
  static constexpr bool kAveraged = true;
  static constexpr bool kCampaign = false;

  static std::string problem_with(const PlanTables& tables);
  static std::string problem_with(const PlanTables& tables, const PlanLevel& level);
  static Shape shape(const Schema& schema, const PlanLevel& level) noexcept;
  static std::vector<PlanLevel> candidates(const PlanTables&, const ShapeWishes& wishes) {
    return {{.sampled = wishes.sampled.value_or(1),
             .outcomes = wishes.outcomes.value_or(0),
             .favoured = wishes.favoured.value_or(0)}};
  }

  /// The class a device takes a row for.
  static std::uint32_t class_of(const Schema& schema, const Row& row) noexcept;
  static void choose(const PlanTables& tables, const Shape&, const Asked&, const Row& row,
                     std::span<std::uint32_t> favoured) noexcept {
    favoured[0] = class_of(tables.schema, row);
  }

  // For people.
  static constexpr std::string_view kSent = "classes sent";
  static constexpr std::string_view kIntroduction{};
  static constexpr std::string_view kTime = messages::kTimeClass;
  static std::string title(const Shape& shape);
  static std::string content(const Shape& shape);
};

}  // namespace ppgnn::ldp
