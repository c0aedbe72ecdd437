#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/ldp/subset_response.hpp"

namespace ppgnn::ldp {

/// Subset response with one favoured outcome: which of the classes of the person's question the features speak for, by
/// the plan's public model, and, where the plan asks for it, how clearly. The payload begins with the question's digest,
/// so that an answer cannot be read against another question.
///
/// Privacy   SubsetResponse's with K = 1, for any model, any question and any history: the server chooses the question,
///           and it may be any question about the features. Proof docs/proofs/answer_response.md.
/// Estimate  SubsetResponse's, of 1[outcome is the person's].
/// Cost      O(listed columns * classes asked about), no allocation once `out` has its size; the same for every level
///           where levels are protected.
struct AnswerResponse : SubsetKind<AnswerResponse> {
  static constexpr ReportKind kKind = ReportKind::answer;
  static constexpr std::string_view kFile = "answer_response";  ///< of its sources, tests and proof
  static constexpr std::string_view kName = "answer";           ///< in plan files
  static constexpr std::string_view kOption = "answer";         ///< on the command line
  static constexpr std::uint64_t kWireKey = 8;                  ///< of the payload in a report
  static constexpr bool kAsks = true;

  static std::string problem_with(const PlanTables& tables);
  static std::string problem_with(const PlanTables& tables, const PlanLevel& level);
  /// Two classes to choose from, or all, whichever tells more at the budget, unless a number is wished for.
  static std::vector<PlanLevel> candidates(const PlanTables& tables, const ShapeWishes& wishes);
  /// What an answer tells of the class, in nats, if the model is always right and all classes are as likely.
  static double information(double gain, const Shape& shape) noexcept;

  static void choose(const PlanTables& tables, const Shape& shape, const Asked& asked, const Row& row,
                     std::span<std::uint32_t> favoured) noexcept;

  /// Whether an answer was given to this question.
  static bool answers(const Report& report, const Question& question) noexcept {
    return report.question == question.digest();
  }

  static void encode(const Report& report, const Shape& shape, std::vector<std::uint8_t>& payload);
  static std::string decode(std::span<const std::uint8_t> payload, const Shape& shape, Report& report);

  template <random::BitSource Bits>
  static void perturb(const PlanTables& tables, const Shape& shape, std::uint64_t entry, const Asked& asked,
                      const Row& row, Bits& bits, Report& out) {
    out.question = asked.question->digest();
    SubsetKind::perturb(tables, shape, entry, asked, row, bits, out);
  }

  // For people.
  static constexpr std::string_view kSent = "answers sent";
  static constexpr std::string_view kIntroduction = messages::kAnyQuestion;
  static std::string title(const Shape& shape);
  static std::string content(const Shape& shape);
};

/// Reads a person's question under a plan. Refused: bytes that are no question of the plan's model, or with fewer classes
/// than some level chooses from.
[[nodiscard]] Result<Question> question_of(const PlanTables& tables, std::span<const std::uint8_t> bytes);

/// A question in words: "your device answers one question: do your features speak more for A or for B?", and the columns
/// that weigh most in it.
std::string words_of(const PlanTables& tables, const Question& question, std::uint32_t choices);

}  // namespace ppgnn::ldp
