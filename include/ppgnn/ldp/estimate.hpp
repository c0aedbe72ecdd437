#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/report.hpp"

namespace ppgnn::ldp {

/// What the server makes of reports: the factor that undoes the shrinkage, its variance, and what a report is worth.
/// All of it follows from the plan and the report's level field; the features stay on the scale [-1, 1].
///
/// Estimate  The gain is the mean of the levels' gains given the reported level, by the plan's prior. So an estimate is
///           unbiased over people (if features do not depend on levels), not for each person: a strict person's report
///           is shrunk, a relaxed person's stretched. Averages lean toward relaxed people; see docs/proofs/strict.md.
/// Threads   Immutable after construction.
class Estimator {
 public:
  explicit Estimator(const PlanTables& tables);

  /// The number of values the level field can take: 1 (absent), levels + 2 radius, or levels.
  [[nodiscard]] std::size_t cases() const noexcept { return cases_.size(); }
  /// The level field of case `index`; nothing where the plan has none.
  [[nodiscard]] std::optional<std::int32_t> reported_level(std::size_t index) const noexcept;
  /// The case of a report's level field, which must be one the plan allows.
  [[nodiscard]] std::size_t case_of(std::optional<std::int32_t> reported_level) const noexcept;

  /// Probability that a report has this level field, by the prior. P(tau') in the review.
  [[nodiscard]] double probability(std::size_t index) const noexcept { return cases_[index].probability; }
  /// Mean gain of reports with this level field. T(tau') in the review.
  [[nodiscard]] double gain(std::size_t index) const noexcept { return cases_[index].gain; }
  [[nodiscard]] const Shape& shape(std::size_t index) const noexcept { return cases_[index].shape; }
  /// Exact variance of the estimate of a coordinate that is `x`.
  [[nodiscard]] double variance(std::size_t index, double x) const noexcept;
  /// Weight of a report in an average, up to a common factor: sampled * gain^2, or gain^2 for categories.
  [[nodiscard]] double mass(std::size_t index) const noexcept;

  /// How many coordinates an estimate has.
  [[nodiscard]] std::uint32_t columns() const noexcept { return columns_; }
  /// The unbiased estimate of one report, by ascending column.
  void estimate(const Report& report, std::vector<EstimateEntry>& out) const;

  /// Expected mass of a report.
  [[nodiscard]] double expected_mass() const noexcept;

 private:
  struct Case {
    double probability = 0;
    double gain = 0;
    double spread = 0;  // variance of the levels' gains
    Shape shape;
  };

  ReportKind kind_;
  std::optional<std::int32_t> first_reported_;
  std::vector<Case> cases_;
  std::uint32_t columns_ = 0;
};

/// Expected mass of a report over that of public levels at full budgets: what the secrecy of the level costs.
double information_kept(const PlanTables& tables);

}  // namespace ppgnn::ldp
