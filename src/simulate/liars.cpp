#include "ppgnn/simulate/liars.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "ppgnn/ldp/bucket_response.hpp"
#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/population/rows.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"

namespace ppgnn::simulate {

namespace {

constexpr int kDraws = 1000;  // to find somebody of a class

// Calls `found` with each word of a row: its column, and whether it lies above the absent value.
template <class Found>
void for_each_word(const ldp::Schema& schema, const ldp::Row& row, Found&& found) {
  row.for_each(schema.dim(), [&](std::uint32_t column, double value) {
    const std::int64_t step = ldp::Schema::difference(schema.group_of(column), value);
    if (step != 0) found(column, step > 0);
  });
}

// The answer for the first class, as surely as can be said; for the last that may be chosen where it is not among these.
std::uint32_t first_class(const ldp::Plan& plan, const ldp::Shape& shape, const ldp::Question& question) {
  const std::uint32_t sureness = plan.tables().model->confidences();
  const std::uint32_t choices = shape.outcomes / sureness;
  const auto end = question.classes().begin() + choices;
  const auto at = std::find(question.classes().begin(), end, 0);
  const auto choice = static_cast<std::uint32_t>((at == end ? end - 1 : at) - question.classes().begin());
  return choice + choices * (sureness - 1);
}

}  // namespace

Liars::Liars(const graph::Dataset& dataset, double share, Lie lie, std::uint64_t seed, std::uint64_t run)
    : dataset_(&dataset), lie_(lie), seed_(seed), run_(run), liars_(dataset.num_nodes()) {
  for (std::uint32_t person = 0; person < liars_.size(); ++person) {
    seeded::SeededStream bits(seed, seeded::Purpose::lie, run << 32 | person);
    liars_[person] = std::ldexp(static_cast<double>(bits.next() >> 11), -53) < share;
  }
}

void Liars::declare(std::span<const graph::NodeId> teachers, std::span<ldp::Level> levels, std::size_t last) const {
  if (liars_.empty()) return;
  std::vector<bool> lying(levels.size(), lies_when_answering());
  for (const graph::NodeId teacher : teachers) lying[teacher] = lies_when_teaching();
  for (std::uint32_t person = 0; person < levels.size(); ++person) {
    if (lying[person] && liars_[person]) levels[person] = ldp::Level{static_cast<std::uint32_t>(last)};
  }
}

std::size_t Liars::class_of(std::uint32_t person) const noexcept {
  const std::int32_t label = dataset_->labels[person];
  return label < 0 ? person % dataset_->num_classes() : static_cast<std::size_t>(label);
}

std::vector<double> Liars::count_words(const ldp::Plan& plan) const {
  const population::PlanRows rows(dataset_->features, plan);
  const std::size_t classes = dataset_->num_classes();
  std::vector<double> counts(plan.schema().dim() * 2 * classes);
  std::vector<float> buffer;
  for (std::uint32_t person = 0; person < liars_.size(); ++person) {
    for_each_word(plan.schema(), rows.row(person, buffer), [&](std::uint32_t column, bool above) {
      ++counts[(column * 2 + (above ? 1 : 0)) * classes + class_of(person)];
    });
  }
  return counts;
}

std::vector<Liars::Word> Liars::words_of(const ldp::Plan& plan, std::span<const double> counts,
                                         std::uint32_t person) const {
  const std::size_t classes = dataset_->num_classes();
  const auto of = [&](std::size_t word, std::size_t one) { return counts[word * classes + one]; };
  std::vector<std::pair<double, std::size_t>> found;
  if (lie_ == Lie::one_word) {
    std::pair<double, std::size_t> most;
    for (std::size_t word = 0; word * classes < counts.size(); ++word) {
      double all = 0;
      for (std::size_t c = 0; c < classes; ++c) all += of(word, c);
      if (all > most.first) most = {all, word};
    }
    found.push_back(most);
  } else {
    // Somebody of the next class, by chance; should there be hardly anybody, somebody else.
    seeded::SeededStream bits(seed_, seeded::Purpose::lie, run_ << 32 | person);
    bits.next();
    const std::size_t next = (class_of(person) + 1) % classes;
    std::uint32_t other = person;
    for (int draw = 0; draw < kDraws && class_of(other) != next; ++draw) {
      other = static_cast<std::uint32_t>(random::below(liars_.size(), bits));
    }
    const population::PlanRows rows(dataset_->features, plan);
    std::vector<float> buffer;
    for_each_word(plan.schema(), rows.row(other, buffer), [&](std::uint32_t column, bool above) {
      const std::size_t word = column * 2 + (above ? 1 : 0);
      found.emplace_back((of(word, next) + 1) / (of(word, class_of(person)) + 1), word);
    });
    std::sort(found.begin(), found.end(), std::greater<>());
    if (found.empty()) found.emplace_back();
  }
  std::vector<Word> words;
  for (const auto& [value, word] : found) words.push_back({static_cast<std::uint32_t>(word / 2), word % 2 == 1});
  return words;
}

Result<void> Liars::tell(const ldp::Plan& plan, const ldp::Questions& questions,
                         std::vector<wire::EncodedReport>& sent) const {
  if (liars_.empty()) return {};
  const bool asks = plan.tables().model.has_value();
  if (!(asks ? lies_when_answering() : lies_when_teaching())) return {};
  const bool words = !asks && lie_ != Lie::constant;
  if (words && plan.kind() != ldp::BucketResponse::kKind) {
    return Error{ErrorCode::invalid_argument, "lie: needs columns on one side of their absent value"};
  }
  const ldp::Estimator estimator(plan.tables());
  const std::vector<double> counts = words ? count_words(plan) : std::vector<double>();
  for (auto& [person, bytes] : sent) {
    if (!liars_[person]) continue;
    Result<ldp::Report> report = wire::decode(plan, bytes);
    if (!report) return report.error();
    const ldp::Shape& shape = estimator.shape(estimator.case_of(report->reported_level));
    if (words) {
      const ldp::WordBuckets buckets(
          plan.tables(), shape, {ldp::salt_of(plan.tables().campaign->name, dataset_->nodes.name(person)), nullptr});
      const std::vector<Word> claimed = words_of(plan, counts, person);
      for (std::size_t i = 0; i < report->outcomes.size(); ++i) {
        const Word& word = claimed[i % claimed.size()];
        report->outcomes[i] = buckets.bucket(word.column, word.above);
      }
    } else {
      const std::uint32_t outcome = lie_ == Lie::constant ? 0 : first_class(plan, shape, *questions[person]);
      std::fill(report->outcomes.begin(), report->outcomes.end(), outcome);
    }
    bytes = wire::encode(plan, *report);
  }
  return {};
}

}  // namespace ppgnn::simulate
