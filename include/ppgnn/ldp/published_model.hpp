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

/// What a published model says beside the weights that pilots were asked about.
struct DecisionScale {
  std::uint32_t evidence = 0;  ///< what one weight counts, in 2^-32 nat: decided by the pilots
  std::vector<std::int16_t>
      usual;  ///< one per class: how usual it is, as log-odds against the most usual, in 1/256 nat
  HintKind hint = HintKind::coarse;
  /// Of coarse hints what each step stands for, else zeros: log-odds against the likeliest class in 1/256 nat, none above
  /// 0, of the second class that the hint names, and of each class that it does not name.
  std::array<std::int16_t, kHintSteps> second{};
  std::array<std::int16_t, kHintSteps> others{};

  [[nodiscard]] std::size_t classes() const noexcept { return usual.size(); }
};

/// The content of a published model, before it is known to be sound.
struct DecisionTables : DecisionScale {
  std::string campaign;  ///< as in the campaign's plans
  Schema schema;         ///< what the features are, as in the campaign's plans
  QuestionModel model;   ///< how much features speak for each class; asks nothing
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
  // NOLINTNEXTLINE(*-explicit-*): hints and decisions look at no more of it.
  operator const DecisionScale&() const noexcept { return tables_; }
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

class Plan;

/// A published model as a device keeps it, which has the pilots' plan: that has the campaign, the columns and the weights.
struct PlannedModel : DecisionScale {
  Digest hash{};  ///< of the model's text

  /// Errors  malformed for what is no model; mismatch for another campaign's, other columns, or weights that the plan does
  ///         not ask about, to the byte. Then this is none either.
  [[nodiscard]] Result<void> read(std::string_view text, const Plan& plan);
};

/// "coarse", "full".
std::string_view to_text(HintKind kind) noexcept;

}  // namespace ppgnn::ldp
