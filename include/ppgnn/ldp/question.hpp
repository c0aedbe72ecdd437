#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/core/sha256.hpp"
#include "ppgnn/ldp/row.hpp"
#include "ppgnn/ldp/schema.hpp"

namespace ppgnn::ldp {

/// Bounds of a taught model: classes, bytes of weights, levels of confidence.
inline constexpr std::uint32_t kMaxAskedClasses = 256;
inline constexpr std::size_t kMaxModelBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxConfidence = 8;
inline constexpr std::int32_t kMaxBias = std::int32_t{1} << 24;
inline constexpr std::uint32_t kMaxUnit = std::uint32_t{1} << 16;
inline constexpr std::uint64_t kMaxLength = std::uint64_t{1} << 35;

/// How much a person's features speak for a class, in small integers: the mean, over how far each column is from its
/// absent value, of the column's weight, plus the class's bias. Public, part of a plan.
struct QuestionModel {
  int width = 8;                         ///< bits of a weight, 8 or 16
  std::vector<std::string> classes;      ///< names, 2 to 256
  std::vector<std::int32_t> biases;      ///< one a class, at most 2^24 in size
  std::vector<std::int16_t> weights;     ///< class by class, one a column
  std::uint32_t unit = 0;                ///< weight that is one nat, for fused questions; 0: features alone
  std::vector<std::uint32_t> confident;  ///< lead of the best class, in weight, from which a person is surer; ascending
  /// How far from absent features are in all where what they say counts as it is, in units of 2^-15; of people with less
  /// or more it counts as the square root of that. 0: it counts alike for everybody.
  std::uint64_t length = 0;

  [[nodiscard]] bool fused() const noexcept { return unit > 0; }
  /// Outcomes of an answer for each class asked about.
  [[nodiscard]] std::uint32_t confidences() const noexcept { return static_cast<std::uint32_t>(confident.size()) + 1; }
  [[nodiscard]] std::span<const std::int16_t> weights_of(std::size_t one) const noexcept {
    const std::size_t columns = weights.size() / classes.size();
    return std::span(weights).subspan(one * columns, columns);
  }

  bool operator==(const QuestionModel&) const = default;
};

/// How far a person's features are from absent, as questions and decisions look at it: in units of 2^-15, of columns on
/// the scale [-1, 1]. Sums over the columns of a model stay below 2^36, times a weight below 2^51.
inline std::int64_t step_of(const ColumnGroup& group, double value) noexcept {
  return Schema::difference(group, value) / (std::int64_t{1} << 15);
}

/// The factor by which what features say counts, in units of 2^-14: the root of how far they are from absent in all over
/// the model's length. At most 2^32.
std::uint64_t length_factor(const QuestionModel& model, std::uint64_t total) noexcept;

/// What is wrong with a model for a schema; empty: nothing.
std::string problem_with(const QuestionModel& model, const Schema& schema);

/// One person's question under a plan: the classes to choose from, the likeliest first; a device takes as many as its
/// level chooses from. docs/formats/question.md.
class Question {
 public:
  /// `odds`: how much the graph speaks for each class, in 1/256 nat; as many as classes where the model is fused,
  /// else none.
  [[nodiscard]] static Result<Question> make(const QuestionModel& model, std::vector<std::uint16_t> classes,
                                             std::vector<std::int16_t> odds = {});
  /// Reads `bytes`; refuses whatever `bytes()` would not have written.
  [[nodiscard]] static Result<Question> parse(const QuestionModel& model, std::span<const std::uint8_t> bytes);

  [[nodiscard]] const std::vector<std::uint16_t>& classes() const noexcept { return classes_; }
  [[nodiscard]] const std::vector<std::int16_t>& odds() const noexcept { return odds_; }
  [[nodiscard]] const std::vector<std::uint8_t>& bytes() const noexcept { return bytes_; }
  /// SHA-256 of the bytes; an answer carries it.
  [[nodiscard]] const Digest& digest() const noexcept { return digest_; }

 private:
  std::vector<std::uint16_t> classes_;
  std::vector<std::int16_t> odds_;
  std::vector<std::uint8_t> bytes_;
  Digest digest_{};
};

/// One per person, as a server counts people; nothing for people who are not asked.
using Questions = std::vector<std::optional<Question>>;

/// What is public about one person when a report is made: it depends on nothing private, and the server computes the
/// same.
struct Asked {
  std::uint64_t salt = 0;              ///< of the person: decides where words go and who wins ties
  const Question* question = nullptr;  ///< which classes an answer chooses from; of an answer's plan only
};

/// The salt of a person in a campaign, by the name that device and server both know the person by.
std::uint64_t salt_of(std::string_view campaign, std::string_view person);

/// The outcome that a person's features stand for among the first `choices` classes of a question: the place of the best
/// class, plus `choices` for each lead that is reached. Ties go by `key`, never by the order of the classes.
///
/// Cost  O(choices * listed columns); no allocation, no floating point after the features are quantised.
std::uint32_t answer_of(const QuestionModel& model, const Question& question, std::uint32_t choices,
                        const Schema& schema, const Row& row, std::uint64_t key) noexcept;

/// The columns that may change which outcome the first `choices` classes of a question lead to, the strongest first; for
/// people. A column that is not among them changes no answer, whatever the others are.
std::vector<std::uint32_t> weighing_columns(const QuestionModel& model, const Question& question, std::uint32_t choices,
                                            const Schema& schema);

}  // namespace ppgnn::ldp
