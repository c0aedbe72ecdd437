#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ppgnn/core/sha256.hpp"

namespace ppgnn::ldp {

/// What a report tells of the features. To add one: HACKING.md, "To add a report kind"; the compiler names the places.
enum class ReportKind {
  signs,       ///< SignBits: a sample of features, one bit each
  category,    ///< CategoryResponse: one class out of C
  buckets,     ///< BucketResponse: one bucket that may hold a word of the person's
  directions,  ///< DirectionResponse: one direction that the features may point to
  answer,      ///< AnswerResponse: an answer to a question about the features
};

/// What one person sends in one round. Everything in it is public; which fields are used is the plan's choice.
struct Report {
  std::uint64_t round = 0;
  /// Absent for protected levels without a level report; the randomised level (may lie outside 1..levels) with one;
  /// the true level where the plan makes levels public.
  std::optional<std::int32_t> reported_level;
  /// Whether the randomness was anything but the operating system's: such a report protects nobody. `perturb` says it.
  bool seeded = false;
  /// Signs: the sampled columns, ascending, and +1 or -1 for each.
  std::vector<std::uint32_t> columns;
  std::vector<std::int8_t> signs;
  /// The others: the randomised outcomes (a class, buckets, directions, an answer), in the order they were drawn.
  std::vector<std::uint32_t> outcomes;
  /// Answer: the digest of the question; zeros elsewhere.
  Digest question{};

  bool operator==(const Report&) const = default;
};

/// A report and the number of the person who sent it, as a server counts people.
struct NodeReport {
  std::uint32_t node = 0;
  Report report;
};

/// One coordinate of an estimate; coordinates not listed are 0.
struct EstimateEntry {
  std::uint32_t column = 0;
  double value = 0;
};

}  // namespace ppgnn::ldp
