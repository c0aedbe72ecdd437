#include "ppgnn/ldp/question.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <limits>
#include <utility>

#include "ppgnn/core/heap.hpp"
#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/payload.hpp"
#include "ppgnn/ldp/public_hash.hpp"
#include "ppgnn/random/samplers.hpp"

namespace ppgnn::ldp {

namespace {

using random::Int128;

constexpr std::uint8_t kVersion = 1;
constexpr int kFactorBits = 14;  // of the length's factor

Error refuse(std::string_view what) {
  return {ErrorCode::malformed, filled("question: {}", {what})};
}

// How far the features are from absent, in units of 2^-15: what each class gets of it.
struct Evidence {
  std::array<std::int64_t, kMaxAskedClasses> for_class{};
  std::int64_t total = 0;  // of all differences, signs apart
};

// What a class of the question has whatever the features are, in 1/256 of a weight.
std::int64_t score_without_features(const QuestionModel& model, const Question& question,
                                    std::uint32_t place) noexcept {
  const std::int64_t odds = model.fused() ? std::int64_t{question.odds()[place]} * model.unit : 0;
  return 256 * std::int64_t{model.biases[question.classes()[place]]} + odds;
}

}  // namespace

std::uint64_t length_factor(const QuestionModel& model, std::uint64_t total) noexcept {
  if (model.length == 0) return std::uint64_t{1} << kFactorBits;
  // The largest whole number whose square is not above the square wanted, bit by bit.
  const std::uint64_t square = (total << (2 * kFactorBits)) / model.length;
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31; bit > 0; bit /= 2) {
    if ((root + bit) * (root + bit) <= square) root += bit;
  }
  return root;
}

std::string problem_with(const QuestionModel& model, const Schema& schema) {
  const std::size_t classes = model.classes.size();
  if (model.width != 8 && model.width != 16) return "weights: must have 8 or 16 bits";
  if (classes < 2 || classes > kMaxAskedClasses) return filled("classes: there must be 2 to {}", {kMaxAskedClasses});
  for (std::size_t i = 0; i < classes; ++i) {
    const std::string& name = model.classes[i];
    if (name.empty() || name.size() > 200 || has_hidden_characters(name) || name.front() == ' ' || name.back() == ' ') {
      return "class: a name must have 1 to 200 bytes of UTF-8 without control or bidirectional characters";
    }
    for (std::size_t other = 0; other < i; ++other) {  // there are few, and sorting them takes more code
      if (model.classes[other] == name) return "class: two have the same name";
    }
  }
  if (model.weights.size() != classes * schema.dim()) return "weights: there must be one a column for each class";
  if (model.weights.size() * (static_cast<std::size_t>(model.width) / 8) > kMaxModelBytes) {
    return filled("weights: must take at most {} bytes", {kMaxModelBytes});
  }
  const int limit = model.width == 8 ? 127 : 32767;
  const bool fit = std::all_of(model.weights.begin(), model.weights.end(),
                               [&](std::int16_t weight) { return std::abs(int{weight}) <= limit; });
  if (!fit) return filled("weights: must be between -{} and {}", {limit, limit});
  if (model.biases.size() != classes) return "bias: there must be one for each class";
  for (const std::int32_t bias : model.biases) {
    if (bias < -kMaxBias || bias > kMaxBias) return filled("bias: must be at most {} in size", {kMaxBias});
  }
  if (model.length > kMaxLength) return filled("length: must be at most {}", {kMaxLength});
  if (model.unit > kMaxUnit) return filled("unit: must be at most {}", {kMaxUnit});
  if (model.confident.size() > kMaxConfidence) {
    return filled("confident: at most {} levels", {kMaxConfidence});
  }
  const bool ascending = std::adjacent_find(model.confident.begin(), model.confident.end(), std::greater_equal<>()) ==
                         model.confident.end();
  if (!ascending || (!model.confident.empty() && model.confident.front() == 0)) {
    return "confident: leads must be above 0 and ascend";
  }
  return {};
}

Result<Question> Question::make(const QuestionModel& model, std::vector<std::uint16_t> classes,
                                std::vector<std::int16_t> odds) {
  if (classes.size() < 2 || classes.size() > model.classes.size()) {
    return refuse(filled("there must be 2 to {} classes", {model.classes.size()}));
  }
  std::array<bool, kMaxAskedClasses> seen{};
  for (const std::uint16_t one : classes) {
    if (one >= model.classes.size()) return refuse("there is no such class");
    if (std::exchange(seen[one], true)) return refuse("a class occurs twice");
  }
  if (odds.size() != (model.fused() ? classes.size() : 0)) return refuse("odds do not fit the plan");
  Question question;
  question.bytes_.push_back(std::uint8_t{kVersion});
  question.bytes_.push_back(static_cast<std::uint8_t>(classes.size() - 1));
  for (const std::uint16_t one : classes) question.bytes_.push_back(static_cast<std::uint8_t>(one));
  for (const std::int16_t one : odds) append_big_endian(static_cast<std::uint16_t>(one), 2, question.bytes_);
  Sha256 hash;
  hash.update(question.bytes_);
  question.digest_ = hash.finish();
  question.classes_ = std::move(classes);
  question.odds_ = std::move(odds);
  return question;
}

Result<Question> Question::parse(const QuestionModel& model, std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 2) return refuse("cut off");
  if (bytes[0] != kVersion) return refuse("version: not 1");
  const std::size_t count = std::size_t{bytes[1]} + 1;
  if (bytes.size() != 2 + count * (model.fused() ? 3 : 1)) return refuse("wrong length");
  std::vector<std::uint16_t> classes(bytes.begin() + 2, bytes.begin() + 2 + static_cast<std::ptrdiff_t>(count));
  std::vector<std::int16_t> odds;
  for (auto rest = bytes.subspan(2 + count); !rest.empty(); rest = rest.subspan(2)) {
    odds.push_back(static_cast<std::int16_t>(read_big_endian(rest.first(2))));
  }
  return make(model, std::move(classes), std::move(odds));
}

std::uint32_t answer_of(const QuestionModel& model, const Question& question, std::uint32_t choices,
                        const Schema& schema, const Row& row, std::uint64_t key) noexcept {
  Evidence evidence;
  row.for_each(schema.dim(), [&](std::uint32_t column, double value) noexcept {
    const std::int64_t step = step_of(schema.group_of(column), value);
    evidence.total += std::abs(step);
    for (std::uint32_t i = 0; i < choices; ++i) {
      evidence.for_class[i] += step * model.weights_of(question.classes()[i])[column];
    }
  });
  // Everything in units of 2^-23 of a weight, times how far the features are from absent in all.
  std::array<Int128, kMaxAskedClasses> scores;
  std::uint32_t best = 0;
  std::uint32_t second = 1;
  const auto rank = [&](std::uint32_t i) { return public_hash(key, question.classes()[i]); };
  const auto ahead = [&](std::uint32_t a, std::uint32_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : rank(a) > rank(b);
  };
  for (std::uint32_t i = 0; i < choices; ++i) {
    // Who has no feature to speak of answers by the biases, and by what the graph says.
    const std::int64_t weight = evidence.total > 0 ? evidence.total : 1;
    scores[i] = 256 * Int128{evidence.for_class[i]} + Int128{score_without_features(model, question, i)} * weight;
    if (i == 0) continue;
    if (ahead(i, best)) {
      second = best;
      best = i;
    } else if (i == 1 || ahead(i, second)) {
      second = i;
    }
  }
  const auto factor = static_cast<std::int64_t>(length_factor(model, static_cast<std::uint64_t>(evidence.total)));
  const Int128 lead = (scores[best] - scores[second]) * factor;
  std::uint32_t confidence = 0;
  for (const std::uint32_t least : model.confident) {
    const Int128 wanted = Int128{least} * 256 * evidence.total * (std::int64_t{1} << kFactorBits);
    confidence += static_cast<std::uint32_t>(evidence.total > 0 && lead >= wanted);
  }
  return best + choices * confidence;
}

// A class's score is a sum over columns: how far each is from absent, times (256 times its weight there, negative below
// absent, plus what the class has without any feature). docs/proofs/answer_response.md says why nothing else decides.
std::vector<std::uint32_t> weighing_columns(const QuestionModel& model, const Question& question, std::uint32_t choices,
                                            const Schema& schema) {
  const auto spread = [&](std::int64_t side, std::uint32_t column) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    for (std::uint32_t i = 0; i < choices; ++i) {
      const std::uint16_t one = question.classes()[i];
      const std::int64_t score =
          256 * side * model.weights_of(one)[column] + score_without_features(model, question, i);
      least = std::min(least, score);
      most = std::max(most, score);
    }
    return most - least;
  };
  // Features are weighed against what a class has without any, and a lead against all of them: each column then counts.
  const bool every = !model.confident.empty() || spread(0, 0) > 0;
  std::vector<std::int64_t> apart(schema.dim());
  std::vector<std::uint32_t> found;
  for (std::uint32_t column = 0; column < schema.dim(); ++column) {
    const ColumnGroup& group = schema.group_of(column);
    if (group.high > group.absent) apart[column] = spread(1, column);
    if (group.low < group.absent) apart[column] = std::max(apart[column], spread(-1, column));
    if (every || apart[column] > 0) found.push_back(column);
  }
  heap_sort(std::span(found),
            [&](std::uint32_t a, std::uint32_t b) { return apart[a] != apart[b] ? apart[a] > apart[b] : a < b; });
  return found;
}

}  // namespace ppgnn::ldp
