#include "ppgnn/ldp/question.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
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
constexpr int kDropped = 15;  // bits of a feature that a question does not look at: sums then stay below 2^63

Error refuse(std::string_view what) {
  return {ErrorCode::malformed, filled("question: {}", {what})};
}

// How far the features are from absent, in units of 2^-15: what each class gets of it.
struct Evidence {
  std::array<std::int64_t, kMaxAskedClasses> for_class{};
  std::int64_t total = 0;  // of all differences, signs apart
};

}  // namespace

std::string problem_with(const QuestionModel& model, const Schema& schema) {
  const std::size_t classes = model.classes.size();
  if (model.width != 8 && model.width != 16) return "weights: must have 8 or 16 bits";
  if (classes < 2 || classes > kMaxAskedClasses) return filled("classes: there must be 2 to {}", {kMaxAskedClasses});
  for (const std::string& name : model.classes) {
    if (name.empty() || name.size() > 200 || has_hidden_characters(name) || name.front() == ' ' || name.back() == ' ') {
      return "class: a name must have 1 to 200 bytes of UTF-8 without control or bidirectional characters";
    }
  }
  std::vector<std::string_view> names(model.classes.begin(), model.classes.end());
  heap_sort(std::span(names));
  if (std::adjacent_find(names.begin(), names.end()) != names.end()) return "class: two have the same name";
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
  question.bytes_ = {kVersion, static_cast<std::uint8_t>(classes.size() - 1)};
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
    const std::int64_t step = Schema::difference(schema.group_of(column), value) / (std::int64_t{1} << kDropped);
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
    const std::uint16_t one = question.classes()[i];
    // Who has no feature to speak of answers by the biases, and by what the graph says.
    const std::int64_t weight = evidence.total > 0 ? evidence.total : 1;
    const Int128 own = Int128{evidence.for_class[i]} + Int128{model.biases[one]} * weight;
    scores[i] = 256 * own + (model.fused() ? Int128{question.odds()[i]} * model.unit * weight : 0);
    if (i == 0) continue;
    if (ahead(i, best)) {
      second = best;
      best = i;
    } else if (i == 1 || ahead(i, second)) {
      second = i;
    }
  }
  const Int128 lead = scores[best] - scores[second];
  std::uint32_t confidence = 0;
  for (const std::uint32_t least : model.confident) {
    confidence += static_cast<std::uint32_t>(evidence.total > 0 && lead >= Int128{least} * 256 * evidence.total);
  }
  return best + choices * confidence;
}

std::vector<std::uint32_t> weighing_columns(const QuestionModel& model, const Question& question,
                                            std::uint32_t choices) {
  const std::size_t columns = model.weights_of(0).size();
  std::vector<int> apart(columns);
  std::vector<std::uint32_t> found;
  for (std::uint32_t column = 0; column < columns; ++column) {
    int least = model.weights_of(question.classes()[0])[column];
    int most = least;
    for (std::uint32_t i = 1; i < choices; ++i) {
      const int weight = model.weights_of(question.classes()[i])[column];
      least = std::min(least, weight);
      most = std::max(most, weight);
    }
    apart[column] = most - least;
    if (apart[column] > 0) found.push_back(column);
  }
  heap_sort(std::span(found),
            [&](std::uint32_t a, std::uint32_t b) { return apart[a] != apart[b] ? apart[a] > apart[b] : a < b; });
  return found;
}

}  // namespace ppgnn::ldp
