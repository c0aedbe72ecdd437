#include "ppgnn/ldp/bucket_response.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include "ldp/subset_shapes.hpp"
#include "ppgnn/core/heap.hpp"
#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/messages.hpp"
#include "ppgnn/ldp/public_hash.hpp"

namespace ppgnn::ldp {

namespace {

// Keys of the public choices beside the person's own.
constexpr std::uint64_t kRank = 1;    // who wins a tie
constexpr std::uint64_t kFiller = 2;  // what fills up
constexpr std::uint64_t kPlace = 3;   // where words are

// Words that a schema has.
std::uint64_t words_of(const Schema& schema) noexcept {
  return std::uint64_t{schema.dim()} * (schema.two_sided() ? 2 : 1);
}

// The heaviest word of a bucket.
struct Own {
  std::int64_t weight = 0;
  std::uint64_t rank = 0;
  std::uint32_t bucket = 0;

  // Whether this one goes before another: by weight, then by the public rank; never by the order of the columns.
  [[nodiscard]] bool before(const Own& other) const noexcept {
    return weight != other.weight ? weight > other.weight : rank > other.rank;
  }
};

// The best words in different buckets, at most as many as are wanted.
class Best {
 public:
  explicit Best(std::size_t wanted) noexcept : wanted_(wanted) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint32_t bucket(std::size_t i) const noexcept { return kept_[i].bucket; }

  void offer(const Own& word) noexcept {
    std::size_t last = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      if (kept_[i].bucket == word.bucket) {
        if (word.before(kept_[i])) kept_[i] = word;
        return;
      }
      if (kept_[last].before(kept_[i])) last = i;
    }
    if (size_ < wanted_) {
      kept_[size_++] = word;
    } else if (word.before(kept_[last])) {
      kept_[last] = word;
    }
  }

 private:
  std::array<Own, kMaxFavoured> kept_;
  std::size_t size_ = 0;
  std::size_t wanted_;
};

}  // namespace

WordBuckets::WordBuckets(const PlanTables& tables, const Shape& shape, const Asked& asked) noexcept
    : key_(public_hash(tables.codebook, asked.salt)),
      words_(words_of(tables.schema)),
      factor_(public_hash(key_ + kPlace, 0) % words_),
      shift_(public_hash(key_ + kPlace, 1) % words_),
      buckets_(shape.outcomes),
      two_sided_(tables.schema.two_sided()) {
  while (std::gcd(factor_, words_) != 1) factor_ = (factor_ + 1) % words_;
}

std::uint64_t WordBuckets::rank(std::uint32_t column, bool above) const noexcept {
  return public_hash(key_ + kRank, word(column, above));
}

std::uint32_t WordBuckets::filler(std::uint64_t attempt) const noexcept {
  return scaled(public_hash(key_ + kFiller, attempt), buckets_);
}

std::string BucketResponse::problem_with(const PlanTables& tables) {
  return problem_with_teaching(tables);
}

std::string BucketResponse::problem_with(const PlanTables&, const PlanLevel& level) {
  return problem_with_shape(level, kMaxOutcomes);
}

std::vector<PlanLevel> BucketResponse::candidates(const PlanTables& tables, const ShapeWishes& wishes) {
  // More buckets than words would stay empty.
  const auto most = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(words_of(tables.schema), 2, kMaxOutcomes));
  // As many as people have words: fewer leave words out, more are fillers. A guess where nobody says.
  const std::uint32_t favoured = wishes.favoured.value_or(std::clamp<std::uint32_t>(most / 10, 1, 15));
  std::vector<PlanLevel> found;
  for (const std::uint32_t repeats : repeats_to_try(wishes)) {
    for (const std::uint32_t buckets : steps_between(2 * favoured, std::max(most, 2 * favoured), wishes.outcomes)) {
      found.push_back({.sampled = repeats, .outcomes = buckets, .favoured = favoured});
    }
  }
  return found;
}

void BucketResponse::choose(const PlanTables& tables, const Shape& shape, const Asked& asked, const Row& row,
                            std::span<std::uint32_t> favoured) noexcept {
  const WordBuckets words(tables, shape, asked);
  Best best(favoured.size());
  row.for_each(shape.dim, [&](std::uint32_t column, double value) noexcept {
    const std::int64_t step = Schema::difference(tables.schema.group_of(column), value);
    if (step == 0) return;
    const bool above = step > 0;
    best.offer({std::abs(step), words.rank(column, above), words.bucket(column, above)});
  });
  const auto found = best.size();
  for (std::size_t i = 0; i < found; ++i) favoured[i] = best.bucket(i);
  // At most half of the buckets are favoured, so that a free one is found in two tries on average.
  std::uint64_t attempt = 0;
  for (std::size_t i = found; i < favoured.size();) {
    const std::uint32_t bucket = words.filler(attempt++);
    favoured[i] = bucket;
    const auto end = favoured.begin() + static_cast<std::ptrdiff_t>(i);
    i += static_cast<std::size_t>(std::find(favoured.begin(), end, bucket) == end);
  }
  heap_sort(favoured);
}

std::string BucketResponse::title(const Shape& shape) {
  return filled(messages::kBucketTitle, {shape.outcomes, shape.dim});
}

std::string BucketResponse::content(const Shape& shape) {
  return content_of(shape);
}

}  // namespace ppgnn::ldp
