#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ppgnn/ldp/subset_response.hpp"

namespace ppgnn::ldp {

/// Subset response over buckets, for sparse features: a public hash, another one for each person, puts every word (a
/// column that is above, or below, its absent value) into one of M buckets; the favoured ones hold the person's
/// heaviest words, the heaviest K that are in different buckets, filled up by the same hash where there are fewer.
///
/// Privacy   SubsetResponse's, for any hash, any salt and any features. Proof docs/proofs/bucket_response.md.
/// Estimate  SubsetResponse's, of 1[bucket is favoured]; what it says of a word, the server knows from the salt.
///           Buckets of two people hold different words, so nothing is averaged over a graph.
/// Cost      O(listed columns * K) steps, no allocation once `out` has its size; the same for every level.
/// Source    docs/proofs/bucket_response.md; the idea of salted local hashing is that of OLH (Wang et al., 2017).
struct BucketResponse : SubsetKind<BucketResponse> {
  static constexpr ReportKind kKind = ReportKind::buckets;
  static constexpr std::string_view kFile = "bucket_response";  ///< of its sources, tests and proof
  static constexpr std::string_view kName = "buckets";          ///< in plan files
  static constexpr std::string_view kOption = "buckets";        ///< on the command line
  static constexpr std::uint64_t kWireKey = 6;                  ///< of the payload in a report

  static std::string problem_with(const PlanTables& tables);
  static std::string problem_with(const PlanTables& tables, const PlanLevel& level);
  /// K as asked for, else 15 or a tenth of the words there are; M from 2 K to as many as there are words, r from 1.
  static std::vector<PlanLevel> candidates(const PlanTables& tables, const ShapeWishes& wishes);

  /// Where everybody can look up the bucket of a word: `column`, above its absent value or below it.
  static std::uint32_t bucket_of(std::uint64_t key, std::uint32_t column, bool above, std::uint32_t buckets) noexcept;
  /// The key of one person's hash under a plan.
  static std::uint64_t key_of(const PlanTables& tables, const Asked& asked) noexcept;
  static void choose(const PlanTables& tables, const Shape& shape, const Asked& asked, const Row& row,
                     std::span<std::uint32_t> favoured) noexcept;

  // For people.
  static constexpr std::string_view kSent = "buckets sent";
  static std::string title(const Shape& shape);
  static std::string content(const Shape& shape);
};

}  // namespace ppgnn::ldp
