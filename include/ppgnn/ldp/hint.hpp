#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/published_model.hpp"

namespace ppgnn::ldp {

/// What graph and labels say of one person, told to that person's device alone. Public in form, but it says something of
/// friends' labels: of somebody with one friend whose label is known, nearly that label. docs/formats/hint.md.
class Hint {
 public:
  /// Nothing of the person: how usual classes are, as the model has it.
  [[nodiscard]] static Hint usual();
  /// Errors  malformed for classes that the model does not have, twice the same, or another step; or a model whose hints
  ///         are full.
  [[nodiscard]] static Result<Hint> coarse(const DecisionScale& model, std::uint16_t first, std::uint16_t second,
                                           std::uint8_t step);
  /// `odds`: one per class, in 1/256 nat, the largest 0.
  ///
  /// Errors  malformed for others, or a model whose hints are coarse.
  [[nodiscard]] static Result<Hint> full(const DecisionScale& model, std::span<const std::int16_t> odds);
  /// Reads `bytes`; refuses whatever `bytes()` would not have written.
  [[nodiscard]] static Result<Hint> parse(const DecisionScale& model, std::span<const std::uint8_t> bytes);

  [[nodiscard]] const std::vector<std::uint8_t>& bytes() const noexcept { return bytes_; }
  /// Whether it says anything of the person.
  [[nodiscard]] bool personal() const noexcept { return bytes_.size() > 2; }
  /// The log-odds of each class of the model, in 1/256 nat, the likeliest at 0: `out` has one place per class.
  void odds(const DecisionScale& model, std::span<std::int32_t> out) const noexcept;

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace ppgnn::ldp
