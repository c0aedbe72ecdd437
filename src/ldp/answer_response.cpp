#include "ppgnn/ldp/answer_response.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "ldp/subset_shapes.hpp"
#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/messages.hpp"
#include "ppgnn/ldp/public_hash.hpp"

namespace ppgnn::ldp {

namespace {

constexpr std::size_t kNamed = 8;  // columns that people are told by name

}  // namespace

std::string AnswerResponse::problem_with(const PlanTables& tables) {
  if (std::string wrong = problem_with_codebook(tables); !wrong.empty()) return wrong;
  if (tables.campaign->role == Role::teach) return "role: people who answer do not teach";
  const std::string wrong = ldp::problem_with(*tables.model, tables.schema);
  return wrong.empty() ? wrong : filled("question: {}", {wrong});
}

std::string AnswerResponse::problem_with(const PlanTables& tables, const PlanLevel& level) {
  const std::uint32_t confidences = tables.model->confidences();
  const auto classes = static_cast<std::uint32_t>(tables.model->classes.size());
  if (level.sampled != 1) return "sampled: must be 1 in an answer's plan";
  if (level.favoured != 1) return "favoured: must be 1 in an answer's plan";
  if (level.outcomes % confidences != 0 || level.outcomes < 2 * confidences || level.outcomes > classes * confidences) {
    return filled("outcomes: must be 2 to {} classes times {} levels of confidence, but is {}",
                  {classes, confidences, level.outcomes});
  }
  return {};
}

std::vector<PlanLevel> AnswerResponse::candidates(const PlanTables& tables, const ShapeWishes& wishes) {
  const std::uint32_t confidences = tables.model->confidences();
  const auto classes = static_cast<std::uint32_t>(tables.model->classes.size());
  std::vector<PlanLevel> found;
  // Two classes at small budgets, all at large ones; between the two there is little to gain.
  for (const std::uint32_t choices : {2u, classes}) {
    found.push_back({.sampled = wishes.sampled.value_or(1),
                     .outcomes = wishes.outcomes.value_or(choices * confidences),
                     .favoured = wishes.favoured.value_or(1)});
  }
  return found;
}

double AnswerResponse::information(double gain, const Shape& shape) noexcept {
  // Of M outcomes as likely, the own one with probability p: ln M + p ln p + (1 - p) ln((1 - p) / (M - 1)).
  const double outcomes = shape.outcomes;
  const double p = (1 + gain * (outcomes - 1)) / outcomes;
  const double rest = 1 - p;
  return std::log(outcomes) + p * std::log(p) + (rest > 0 ? rest * std::log(rest / (outcomes - 1)) : 0);
}

void AnswerResponse::choose(const PlanTables& tables, const Shape& shape, const Asked& asked, const Row& row,
                            std::span<std::uint32_t> favoured) noexcept {
  assert(asked.question != nullptr);
  const std::uint32_t choices = shape.outcomes / tables.model->confidences();
  favoured[0] =
      answer_of(*tables.model, *asked.question, choices, tables.schema, row, public_hash(tables.codebook, asked.salt));
}

void AnswerResponse::encode(const Report& report, const Shape& shape, std::vector<std::uint8_t>& payload) {
  for (const std::uint8_t byte : report.question) payload.push_back(std::uint8_t{byte});
  SubsetResponse::encode(report, shape, payload);
}

std::string AnswerResponse::decode(std::span<const std::uint8_t> payload, const Shape& shape, Report& report) {
  if (payload.size() < report.question.size()) return "wrong length";
  std::copy_n(payload.begin(), report.question.size(), report.question.begin());
  return SubsetResponse::decode(payload.subspan(report.question.size()), shape, report);
}

std::string AnswerResponse::title(const Shape& shape) {
  return filled(messages::kAnswerTitle, {shape.outcomes, shape.dim});
}

std::string AnswerResponse::content(const Shape& shape) {
  return filled(messages::kAnswer, {shape.outcomes});
}

std::string words_of(const PlanTables& tables, const Question& question, std::uint32_t choices) {
  const QuestionModel& model = *tables.model;
  std::string classes;
  for (std::uint32_t i = 0; i < choices; ++i) {
    if (i > 0) classes += i + 1 == choices ? messages::kOr : messages::kAnd;
    classes += model.classes[question.classes()[i]];
  }
  std::string words = filled(model.confident.empty() ? messages::kQuestion : messages::kClearQuestion, {classes});
  if (model.fused()) words += messages::kFused;
  const auto columns = weighing_columns(model, question, choices, tables.schema);
  if (columns.empty()) return words.append(messages::kNoColumn);
  std::string names;
  for (std::size_t i = 0; i < std::min(columns.size(), kNamed); ++i) {
    if (i > 0) names += messages::kAnd;
    names += tables.schema.column_name(columns[i]);
  }
  if (columns.size() == 1) return words.append(filled(messages::kOneColumn, {names}));
  return words.append(
      filled(columns.size() > kNamed ? messages::kManyColumns : messages::kFewColumns, {columns.size(), names}));
}

Result<Question> question_of(const PlanTables& tables, std::span<const std::uint8_t> bytes) {
  if (!tables.model) return Error{ErrorCode::invalid_argument, "question: the plan asks none"};
  Result<Question> question = Question::parse(*tables.model, bytes);
  if (!question) return question;
  // For every level: whether a device answers must not depend on the person's.
  for (const PlanLevel& level : tables.levels) {
    if (question->classes().size() < level.outcomes / tables.model->confidences()) {
      return Error{ErrorCode::mismatch, "question: has fewer classes than the plan chooses from"};
    }
  }
  return question;
}

}  // namespace ppgnn::ldp
