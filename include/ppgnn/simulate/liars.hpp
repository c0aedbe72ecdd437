#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/question.hpp"
#include "ppgnn/wire/report_format.hpp"

/// People who do not follow the plan: their reports are of the right form, and say what spoils the model.
namespace ppgnn::simulate {

/// What liars say. They know everybody's features and labels, which makes them stronger than any liars can be.
enum class Lie {
  one_word,    ///< everybody the same word, the most usual one
  next_class,  ///< words of somebody of the next class, those that tell it best from their own
  constant,    ///< the same bytes from everybody: the first outcome
  one_class,   ///< answers the first class, as surely as can be said; teaches as the plan says
  both,        ///< teaches the next class's words and answers the first class
};
struct LieRow {
  std::string_view name;
  Lie lie;
};
inline constexpr std::array kLies{LieRow{"one-word", Lie::one_word}, LieRow{"next-class", Lie::next_class},
                                  LieRow{"constant", Lie::constant}, LieRow{"one-class", Lie::one_class},
                                  LieRow{"both", Lie::both}};

/// The liars of one campaign: each person is one with the same chance, whatever the class. Those of a smaller share are
/// among those of a larger one.
///
/// Determinism  Depends on its arguments only.
class Liars {
 public:
  /// Nobody.
  Liars() = default;
  Liars(const graph::Dataset& dataset, double share, Lie lie, std::uint64_t seed, std::uint64_t run);

  /// Whether each person is one; empty: nobody is.
  [[nodiscard]] const std::vector<bool>& all() const noexcept { return liars_; }
  /// Whoever will lie declares the level whose reports count most, the last; `teachers` are those who teach.
  void declare(std::span<const graph::NodeId> teachers, std::span<ldp::Level> levels, std::size_t last) const;
  /// Puts lies in place of what liars' devices made in a round: `sent`, of this plan and, where it asks, these questions.
  ///
  /// Errors  invalid_argument for words of a plan that has none.
  [[nodiscard]] Result<void> tell(const ldp::Plan& plan, const ldp::Questions& questions,
                                  std::vector<wire::EncodedReport>& sent) const;

 private:
  [[nodiscard]] bool lies_when_teaching() const noexcept { return lie_ != Lie::one_class; }
  [[nodiscard]] bool lies_when_answering() const noexcept {
    return lie_ == Lie::constant || lie_ == Lie::one_class || lie_ == Lie::both;
  }
  struct Word {
    std::uint32_t column = 0;
    bool above = true;
  };

  // How many people of each class have each word: word by word.
  [[nodiscard]] std::vector<double> count_words(const ldp::Plan& plan) const;
  // What a liar claims, best first.
  [[nodiscard]] std::vector<Word> words_of(const ldp::Plan& plan, std::span<const double> counts,
                                           std::uint32_t person) const;
  [[nodiscard]] std::size_t class_of(std::uint32_t person) const noexcept;

  const graph::Dataset* dataset_ = nullptr;
  Lie lie_ = Lie::one_word;
  std::uint64_t seed_ = 0;
  std::uint64_t run_ = 0;
  std::vector<bool> liars_;
};

}  // namespace ppgnn::simulate
