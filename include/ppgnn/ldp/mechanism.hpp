#pragma once

#include <array>
#include <concepts>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ppgnn/ldp/answer_response.hpp"
#include "ppgnn/ldp/bucket_response.hpp"
#include "ppgnn/ldp/category_response.hpp"
#include "ppgnn/ldp/direction_response.hpp"
#include "ppgnn/ldp/sign_bits.hpp"

namespace ppgnn::ldp {

/// Everything a report kind must say; SignBits says what each means. `perturb` is a template over the source of bits
/// and is checked where it is called.
template <class M>
concept Mechanism = requires(const PlanTables& tables, const Schema& schema, const PlanLevel& level,
                             const ShapeWishes& wishes, const Shape& shape, const Report& report, const Row& row,
                             const Asked& asked, std::uint64_t entry, double number,
                             std::vector<EstimateEntry>& estimate, std::vector<std::uint8_t>& bytes,
                             std::span<const std::uint8_t> payload, Report& read) {
  { M::kKind } -> std::convertible_to<ReportKind>;
  { M::kFile } -> std::convertible_to<std::string_view>;
  { M::kName } -> std::convertible_to<std::string_view>;
  { M::kOption } -> std::convertible_to<std::string_view>;
  { M::kWireKey } -> std::convertible_to<std::uint64_t>;
  { M::kAveraged } -> std::convertible_to<bool>;
  { M::kCampaign } -> std::convertible_to<bool>;
  { M::kAsks } -> std::convertible_to<bool>;
  { M::kSent } -> std::convertible_to<std::string_view>;
  { M::kIntroduction } -> std::convertible_to<std::string_view>;
  { M::kTime } -> std::convertible_to<std::string_view>;
  { M::title(shape) } -> std::same_as<std::string>;
  { M::content(shape) } -> std::same_as<std::string>;
  { M::problem_with(tables) } -> std::same_as<std::string>;
  { M::problem_with(tables, level) } -> std::same_as<std::string>;
  { M::candidates(tables, wishes) } -> std::same_as<std::vector<PlanLevel>>;
  { M::shape(schema, level) } -> std::same_as<Shape>;
  { M::entries(shape) } -> std::same_as<EntryRange>;
  { M::quantise(number, shape) } -> std::same_as<std::uint64_t>;
  { M::features_loss(entry, shape) } -> std::same_as<double>;
  { M::level_loss(entry, entry, shape) } -> std::same_as<double>;
  { M::pair_loss(entry, entry, shape) } -> std::same_as<double>;
  { M::cap(number, number, shape) } -> std::same_as<double>;
  { M::gain(entry, shape) } -> std::same_as<double>;
  { M::information(number, shape) } -> std::same_as<double>;
  { M::variance(number, number, shape) } -> std::same_as<double>;
  { M::estimated_columns(shape) } -> std::same_as<std::uint32_t>;
  { M::estimate(report, number, shape, estimate) } -> std::same_as<void>;
  { M::log_likelihood(report, row, tables, asked, entry, shape) } -> std::same_as<double>;
  { M::encode(report, shape, bytes) } -> std::same_as<void>;
  { M::decode(payload, shape, read) } -> std::same_as<std::string>;
};

/// The mechanisms there are, by kind.
template <Mechanism... M>
struct MechanismList {
  static constexpr std::array kKinds{M::kKind...};
  template <class One>
  static constexpr bool kHas = (std::is_same_v<One, M> || ...);
};
using Mechanisms = MechanismList<SignBits, CategoryResponse, BucketResponse, DirectionResponse, AnswerResponse>;
inline constexpr auto kReportKinds = Mechanisms::kKinds;

/// Calls `action` with the mechanism of a report kind: the one place where kinds are told apart. A kind that is missing
/// here does not compile.
template <class Action>
decltype(auto) with_mechanism(ReportKind kind, Action&& action) {
  const auto call = [&]<class M>(M mechanism) -> decltype(auto) {
    static_assert(Mechanisms::kHas<M>);
    return std::forward<Action>(action)(mechanism);
  };
  switch (kind) {
    case ReportKind::signs:
      return call(SignBits{});
    case ReportKind::category:
      return call(CategoryResponse{});
    case ReportKind::buckets:
      return call(BucketResponse{});
    case ReportKind::directions:
      return call(DirectionResponse{});
    case ReportKind::answer:
      return call(AnswerResponse{});
  }
  std::abort();  // not a kind
}

/// The name of a kind in plan files: "signs", "category", ...
inline std::string_view to_text(ReportKind kind) noexcept {
  return with_mechanism(kind, [](auto mechanism) { return decltype(mechanism)::kName; });
}

/// Whether plans of a kind belong to a campaign, and whether they ask a question.
inline bool needs_campaign(ReportKind kind) noexcept {
  return with_mechanism(kind, [](auto mechanism) { return decltype(mechanism)::kCampaign; });
}
inline bool asks(ReportKind kind) noexcept {
  return with_mechanism(kind, [](auto mechanism) { return decltype(mechanism)::kAsks; });
}

/// The name of a kind on the command line, and back.
inline std::string_view option_of(ReportKind kind) noexcept {
  return with_mechanism(kind, [](auto mechanism) { return decltype(mechanism)::kOption; });
}
inline std::optional<ReportKind> kind_of_option(std::string_view option) noexcept {
  for (const ReportKind kind : kReportKinds) {
    if (option_of(kind) == option) return kind;
  }
  return std::nullopt;
}

}  // namespace ppgnn::ldp
