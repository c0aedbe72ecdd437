#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/core/sha256.hpp"
#include "ppgnn/ldp/question.hpp"
#include "ppgnn/ldp/schema.hpp"

namespace ppgnn::ldp {

/// What hints of a campaign say of a person (hint.hpp).
enum class HintKind : std::uint8_t {
  coarse,  ///< the two likeliest classes and one of eight steps of odds between them
  full,    ///< how likely each class is
};

inline constexpr std::size_t kHintSteps = 8;

/// What a coarse hint stands for: log-odds against the likeliest class in 1/256 nat, none above 0.
struct HintStep {
  std::int16_t second = 0;  ///< of the second class that it names
  std::int16_t others = 0;  ///< of each class that it does not name

  bool operator==(const HintStep&) const = default;
};

/// The content of a published model, before it is known to be sound.
struct DecisionTables {
  std::string campaign;        ///< as in the campaign's plans
  Schema schema;               ///< what the features are, as in the campaign's plans
  QuestionModel model;         ///< how much features speak for each class; asks nothing
  std::uint32_t evidence = 0;  ///< what one weight counts, in 2^-32 nat: decided by the pilots
  std::vector<std::int16_t>
      usual;  ///< one per class: how usual it is, as log-odds against the most usual, in 1/256 nat
  HintKind hint = HintKind::coarse;
  std::array<HintStep, kHintSteps> steps{};  ///< of coarse hints, else zero
};

/// The model by which devices decide: the same for everybody in a campaign, with a canonical text and a hash. It makes no
/// report: there is nothing in it that could be sent. docs/formats/model.md.
class PublishedModel {
 public:
  /// Errors  invalid_argument, naming the field.
  [[nodiscard]] static Result<PublishedModel> make(DecisionTables tables);
  /// Reads the canonical text; anything else is refused, down to the byte.
  [[nodiscard]] static Result<PublishedModel> parse(std::string_view text);

  [[nodiscard]] const DecisionTables& tables() const noexcept { return tables_; }
  [[nodiscard]] std::size_t classes() const noexcept { return tables_.model.classes.size(); }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  /// SHA-256 of the text before the hash line.
  [[nodiscard]] const Digest& hash() const noexcept { return hash_; }

 private:
  PublishedModel() = default;

  DecisionTables tables_;
  std::string text_;
  Digest hash_{};
};

/// "coarse", "full".
std::string_view to_text(HintKind kind) noexcept;

}  // namespace ppgnn::ldp
