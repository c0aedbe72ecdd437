#include "ppgnn/ldp/direction_response.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ldp/subset_shapes.hpp"
#include "ppgnn/core/heap.hpp"
#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/messages.hpp"
#include "ppgnn/ldp/public_hash.hpp"

namespace ppgnn::ldp {

namespace {

// The density of a normal distribution where it cuts off its upper share `h`: bisection, for planning only.
double density_at_share(double h) noexcept {
  double low = 0;
  double high = 12;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::numbers::sqrt2) / 2 > h ? low : high) = middle;
  }
  return std::exp(-low * low / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

}  // namespace

std::string DirectionResponse::problem_with(const PlanTables& tables) {
  return problem_with_teaching(tables);
}

std::string DirectionResponse::problem_with(const PlanTables&, const PlanLevel& level) {
  return problem_with_shape(level, kMaxDirections);
}

std::vector<PlanLevel> DirectionResponse::candidates(const PlanTables&, const ShapeWishes& wishes) {
  std::vector<PlanLevel> found;
  for (const std::uint32_t repeats : repeats_to_try(wishes)) {
    for (const std::uint32_t directions : {std::uint32_t{256}, kMaxDirections}) {
      const std::uint32_t outcomes = wishes.outcomes.value_or(directions);
      for (const std::uint32_t favoured : steps_between(1, std::min(outcomes / 2, kMaxFavoured), wishes.favoured)) {
        found.push_back({.sampled = repeats, .outcomes = outcomes, .favoured = favoured});
      }
      if (wishes.outcomes) break;
    }
  }
  return found;
}

double DirectionResponse::information(double gain, const Shape& shape) noexcept {
  const double h = static_cast<double>(shape.favoured) / shape.outcomes;
  const double lean = density_at_share(h) * gain * shape.outcomes;  // (p - h) / (h (1 - h)) = gain M
  return shape.sampled * lean * lean;
}

std::uint64_t DirectionResponse::signs(std::uint64_t codebook, std::uint32_t column, std::uint32_t block) noexcept {
  return public_hash(codebook, std::uint64_t{column} * (kMaxDirections / 64) + block);
}

void DirectionResponse::choose(const PlanTables& tables, const Shape& shape, const Asked& asked, const Row& row,
                               std::span<std::uint32_t> favoured) noexcept {
  // Differences are below 2^32 and columns at most 2^30: sums stay below 2^62.
  std::array<std::int64_t, kMaxDirections> scores{};
  const std::uint32_t blocks = (shape.outcomes + 63) / 64;
  row.for_each(shape.dim, [&](std::uint32_t column, double value) noexcept {
    const std::int64_t step = Schema::difference(tables.schema.group_of(column), value);
    if (step == 0) return;
    for (std::uint32_t block = 0; block < blocks; ++block) {
      const std::uint64_t word = signs(tables.codebook, column, block);
      std::int64_t* const some = scores.data() + std::size_t{block} * 64;
      for (int i = 0; i < 64; ++i) some[i] += (word >> i & 1) != 0 ? step : -step;
    }
  });
  struct Place {
    std::int64_t score;
    std::uint64_t rank;
    std::uint32_t direction;
  };
  // Ties go by a public rank of the person's own, never by the order of the directions.
  const std::uint64_t key = public_hash(tables.codebook, asked.salt);
  std::array<Place, kMaxDirections> places;
  for (std::uint32_t i = 0; i < shape.outcomes; ++i) places[i] = {scores[i], public_hash(key, i), i};
  heap_select(std::span(places).first(shape.outcomes), favoured.size(),
              [](const Place& a, const Place& b) { return a.score != b.score ? a.score > b.score : a.rank > b.rank; });
  for (std::size_t i = 0; i < favoured.size(); ++i) favoured[i] = places[i].direction;
  heap_sort(favoured);
}

std::string DirectionResponse::title(const Shape& shape) {
  return filled(messages::kDirectionTitle, {shape.outcomes, shape.dim});
}

std::string DirectionResponse::content(const Shape& shape) {
  return content_of(shape);
}

}  // namespace ppgnn::ldp
