#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ppgnn/ldp/subset_response.hpp"

namespace ppgnn::ldp {

/// Most public directions.
inline constexpr std::uint32_t kMaxDirections = 1024;

/// Subset response over directions, for dense features: M public vectors of +1 and -1, the same for everybody; the
/// favoured ones are the K with the largest inner product with how far the features are from absent.
///
/// Privacy   SubsetResponse's, for any vectors. Proof docs/proofs/direction_response.md.
/// Estimate  SubsetResponse's, of 1[direction is favoured]; the mean of the vectors sent leans toward the mean of the
///           features, by rho (information) in units of its noise.
/// Cost      O(listed columns * M) steps, no allocation once `out` has its size; the same for every level.
struct DirectionResponse : SubsetKind<DirectionResponse> {
  static constexpr ReportKind kKind = ReportKind::directions;
  static constexpr std::string_view kFile = "direction_response";  ///< of its sources, tests and proof
  static constexpr std::string_view kName = "directions";          ///< in plan files
  static constexpr std::string_view kOption = "directions";        ///< on the command line
  static constexpr std::uint64_t kWireKey = 7;                     ///< of the payload in a report

  static std::string problem_with(const PlanTables& tables);
  static std::string problem_with(const PlanTables& tables, const PlanLevel& level);
  /// M of 256 and of 1,024, every K up to half of it in steps, r from 1.
  static std::vector<PlanLevel> candidates(const PlanTables& tables, const ShapeWishes& wishes);

  /// How far a direction that is sent leans toward the features, squared, r times: r (phi(t) (p - h) / (h (1 - h)))^2,
  /// where t cuts off the share h of a normal distribution, which the inner products follow where columns are many.
  static double information(double gain, const Shape& shape) noexcept;

  /// 64 signs of the vectors 64 `block` .. 64 `block` + 63 at one column; a set bit is +1.
  static std::uint64_t signs(std::uint64_t codebook, std::uint32_t column, std::uint32_t block) noexcept;
  static void choose(const PlanTables& tables, const Shape& shape, const Asked& asked, const Row& row,
                     std::span<std::uint32_t> favoured) noexcept;

  // For people.
  static constexpr std::string_view kSent = "directions sent";
  static std::string title(const Shape& shape);
  static std::string content(const Shape& shape);
};

}  // namespace ppgnn::ldp
