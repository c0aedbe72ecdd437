#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "ppgnn/ldp/subset_response.hpp"

namespace ppgnn::ldp {

/// Where one person's words are, for everybody to look up: a public permutation of all words, another one for each
/// person, cut into M buckets of equal size. Where there are as many buckets as words, no two words share one.
class WordBuckets {
 public:
  WordBuckets(const PlanTables& tables, const Shape& shape, const Asked& asked) noexcept;

  /// A word is a column that lies above its absent value, or one that lies below.
  [[nodiscard]] std::uint32_t bucket(std::uint32_t column, bool above) const noexcept {
    const std::uint64_t place = (factor_ * word(column, above) + shift_) % words_;  // below 2^62 before the remainder
    return static_cast<std::uint32_t>(place * buckets_ / words_);
  }
  /// Undoes the permutation: calls `found` with the number of every word in a bucket, below words().
  template <class Found>
  void for_each_word(std::uint32_t bucket, Found&& found) const {
    const auto first_of = [&](std::uint64_t one) { return (one * words_ + buckets_ - 1) / buckets_; };
    const std::uint64_t inverse = inverse_factor();
    for (std::uint64_t place = first_of(bucket); place < first_of(std::uint64_t{bucket} + 1); ++place) {
      found((place + words_ - shift_) % words_ * inverse % words_);
    }
  }
  [[nodiscard]] std::uint64_t words() const noexcept { return words_; }
  /// Who goes first of two words that weigh the same: the larger.
  [[nodiscard]] std::uint64_t rank(std::uint32_t column, bool above) const noexcept;
  /// The buckets that fill up, in this order.
  [[nodiscard]] std::uint32_t filler(std::uint64_t attempt) const noexcept;

 private:
  [[nodiscard]] std::uint64_t word(std::uint32_t column, bool above) const noexcept {
    return two_sided_ ? std::uint64_t{column} * 2 + static_cast<std::uint64_t>(above) : column;
  }

  // What times the factor is 1, but for multiples of the number of words.
  [[nodiscard]] std::uint64_t inverse_factor() const noexcept {
    std::int64_t before = 0, now = 1;
    for (std::uint64_t large = words_, small = factor_ % words_; small > 1;) {
      const std::uint64_t times = large / small;
      before = std::exchange(now, before - static_cast<std::int64_t>(times) * now);
      large = std::exchange(small, large - times * small);
    }
    return now < 0 ? words_ - static_cast<std::uint64_t>(-now) : static_cast<std::uint64_t>(now);
  }

  std::uint64_t key_;
  std::uint64_t words_;
  std::uint64_t factor_;  // without a common divisor with words_
  std::uint64_t shift_;
  std::uint32_t buckets_;
  bool two_sided_;
};

/// Subset response over buckets, for sparse features: the favoured ones hold the person's heaviest words, the heaviest K
/// that are in different buckets, filled up by a public hash where there are fewer. WordBuckets says which words a
/// bucket holds.
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

  static void choose(const PlanTables& tables, const Shape& shape, const Asked& asked, const Row& row,
                     std::span<std::uint32_t> favoured) noexcept;

  // For people.
  static constexpr std::string_view kSent = "buckets sent";
  static std::string title(const Shape& shape);
  static std::string content(const Shape& shape);
};

}  // namespace ppgnn::ldp
