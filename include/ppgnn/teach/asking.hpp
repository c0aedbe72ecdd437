#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/csr.hpp"
#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/question.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/teach/beliefs.hpp"

namespace ppgnn::teach {

/// The questions of some people: which of their likeliest classes, by what is believed so far, do their features speak
/// for? Who is believed so surely that no answer could change the likeliest class is not asked and spends nothing:
/// odds above e to the most that an answer may tell. Where levels are public that is the person's own budget (`levels`,
/// one a person), else the plan's largest, so that who is asked depends on nothing private.
///
/// Errors  mismatch for a plan that asks nothing, or with other classes than the beliefs.
[[nodiscard]] Result<ldp::Questions> questions_for(const ldp::Plan& plan, const Beliefs& beliefs,
                                                   std::span<const std::uint32_t> people,
                                                   std::span<const ldp::Level> levels);

/// How answers go with classes: how likely a device of class y is to name class j of those it is asked about, and how
/// clearly. Fitted to answers of people whose class is known, noise included. Answers to another question than the
/// person's own, by the digest that they carry, count as none.
class AnswerModel {
 public:
  /// Priors are normal and centred on "answers tell nothing": few people show little.
  ///
  /// Determinism  Depends on its arguments only; one thread.
  [[nodiscard]] static AnswerModel fit(const ldp::Plan& plan, const ldp::Questions& questions,
                                       std::span<const ldp::NodeReport> answers, std::span<const std::int32_t> labels);

  /// How likely everybody's answer is under each class, made to sum to one; alike where there is no answer.
  [[nodiscard]] Beliefs evidence(std::size_t people, const ldp::Questions& questions,
                                 std::span<const ldp::NodeReport> answers) const;
  /// As `evidence`, in the rows of people who answered and for whom `only` holds.
  void write_evidence(const ldp::Questions& questions, std::span<const ldp::NodeReport> answers,
                      const std::function<bool(std::uint32_t person)>& only, Beliefs& into) const;

 private:
  // One answer: what it was chosen from, what was sent, and how much a chosen outcome is likelier.
  struct Answer {
    std::span<const std::uint16_t> classes;
    std::uint32_t outcome = 0;
    double odds = 0;
  };

  explicit AnswerModel(const ldp::Plan& plan);
  // Nothing for a report that answers no question, or another one than the person's.
  [[nodiscard]] std::optional<Answer> answer(const ldp::Report& report,
                                             const std::optional<ldp::Question>& question) const;
  [[nodiscard]] double weight(std::size_t confidence, std::size_t own, std::size_t named) const noexcept {
    return weights_[(confidence * classes_ + own) * classes_ + named];
  }
  // The weights of all outcomes that a person of class `own` may stand for, and of the one sent.
  struct Chance {
    double all = 0;
    double sent = 0;
  };
  [[nodiscard]] Chance chance(const Answer& answer, std::size_t own) const;
  void add_gradient(const Answer& answer, std::size_t own, std::vector<double>& gradient) const;

  ldp::Estimator estimator_;
  std::size_t classes_;
  std::size_t confidences_;
  std::vector<double> weights_;  // by confidence, own class and class named: how usual, as a factor
};

/// What neighbours' answers say of everybody: one step of belief propagation, with how often neighbours share a class
/// counted among known people. Known people send nothing: what they say is in the beliefs.
[[nodiscard]] Beliefs spread_answers(const graph::Csr& graph, const Beliefs& beliefs, const Beliefs& evidence,
                                     std::span<const std::int32_t> labels, std::span<const std::uint32_t> known);

}  // namespace ppgnn::teach
