#include "ppgnn/kernels/attention.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention.cpp"
#include <hwy/foreach_target.h>
// After foreach_target: compiled once per instruction set.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "ppgnn/core/sizes.hpp"

#ifndef PPGNN_KERNELS_ATTENTION_JOB
#define PPGNN_KERNELS_ATTENTION_JOB
namespace ppgnn::kernels {

struct AttentionJob {
  const std::uint64_t* offsets;
  const std::uint32_t* columns;
  const std::uint64_t* source;
  std::size_t heads;
  std::size_t width;  // columns of one head
  const float* t;
  const float* from;
  const float* to;
  const float* weights;         // entries x heads
  const float* score_gradient;  // entries x heads
  const float* g;
  const float* gradient_to;
  const float* vector_from;
  const float* vector_to;
  // What a step writes.
  float* weights_out;
  float* score_gradient_out;
  float* gradient_to_out;
  float* gradient_from_out;
  float* out;  // nodes x (heads * width)
};

// Most heads a row keeps on the stack.
constexpr std::size_t kMaxHeads = 16;

}  // namespace ppgnn::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace ppgnn::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE float leaky(float score) {
  return score > 0 ? score : kLeakySlope * score;
}

// e^x, and NaN of NaN: the library's exponential of it is 0, which would hide it among finite neighbours.
template <class D>
HWY_INLINE hn::Vec<D> exponential(D d, hn::Vec<D> x) {
  const auto hidden = hn::IsNaN(x);
  return hn::IfThenElse(hidden, x, hn::Exp(d, hn::IfThenZeroElse(hidden, x)));
}

// sum over c of a[c] b[c].
HWY_INLINE float dot(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, std::size_t count) {
  const hn::CappedTag<float, 16> d;
  const std::size_t lanes = hn::Lanes(d);
  float sum = 0;
  std::size_t c = 0;
  if (count >= lanes) {
    auto sums = hn::Zero(d);
    for (; c + lanes <= count; c += lanes) sums = hn::MulAdd(hn::LoadU(d, a + c), hn::LoadU(d, b + c), sums);
    sum = hn::GetLane(hn::SumOfLanes(d, sums));
  }
  for (; c < count; ++c) sum += a[c] * b[c];
  return sum;
}

// y[c] += factor x[c].
HWY_INLINE void add_scaled(float factor, const float* HWY_RESTRICT x, float* HWY_RESTRICT y, std::size_t count) {
  const auto run = [&](auto d, std::size_t c) HWY_ATTR {
    hn::StoreU(hn::MulAdd(hn::Set(d, factor), hn::LoadU(d, x + c), hn::LoadU(d, y + c)), d, y + c);
  };
  const hn::CappedTag<float, 16> full;
  const hn::CappedTag<float, 4> quarter;
  std::size_t c = 0;
  for (; c + hn::Lanes(full) <= count; c += hn::Lanes(full)) run(full, c);
  for (; c + hn::Lanes(quarter) <= count; c += hn::Lanes(quarter)) run(quarter, c);
  for (; c < count; ++c) run(hn::CappedTag<float, 1>(), c);
}

void scores_rows(const float* t, const float* vector, std::size_t heads, std::size_t width, float* scores,
                 std::size_t first, std::size_t last) {
  for (std::size_t i = first * heads; i < last * heads; ++i) {
    scores[i] = dot(t + i * width, vector + (i % heads) * width, width);
  }
}

// out[heads head .., columns column ..) = sum over entries of weights[entry_of(e), h] x[columns[e], ..]. The sums of kHeads
// heads and kTile columns stay in registers: four heads hide the latency of each other's additions.
template <std::size_t kHeads, std::size_t kTile, class EntryOf>
HWY_INLINE void sum_tile(const AttentionJob& job, std::size_t row, const float* weights, const float* x,
                         std::size_t first, float* HWY_RESTRICT out, const EntryOf& entry_of) {
  const hn::CappedTag<float, kTile> d;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  constexpr std::size_t kVectors = kTile / kLanes;
  const std::size_t heads = job.heads;
  const std::size_t width = job.width;
  const std::size_t head = first / width;
  std::array<std::array<hn::Vec<decltype(d)>, kVectors>, kHeads> sum;
  for (auto& one : sum) one.fill(hn::Zero(d));
  for (std::size_t e = job.offsets[row], end = job.offsets[row + 1]; e < end; ++e) {
    const float* HWY_RESTRICT from = x + job.columns[e] * heads * width + first;
    const float* HWY_RESTRICT weight = weights + entry_of(e) * heads + head;
    for (std::size_t h = 0; h < kHeads; ++h) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        sum[h][v] = hn::MulAdd(hn::Set(d, weight[h]), hn::LoadU(d, from + h * width + v * kLanes), sum[h][v]);
      }
    }
  }
  for (std::size_t h = 0; h < kHeads; ++h) {
    for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(sum[h][v], d, out + first + h * width + v * kLanes);
  }
}

template <std::size_t kHeads, class EntryOf>
HWY_INLINE void sum_entries(const AttentionJob& job, std::size_t row, const float* weights, const float* x,
                            float* HWY_RESTRICT out, const EntryOf& entry_of) {
  const std::size_t width = job.width;
  for (std::size_t head = 0; head < job.heads; head += kHeads) {
    const std::size_t begin = head * width;
    std::size_t c = 0;
    for (; c + 16 <= width; c += 16) sum_tile<kHeads, 16>(job, row, weights, x, begin + c, out, entry_of);
    for (; c + 4 <= width; c += 4) sum_tile<kHeads, 4>(job, row, weights, x, begin + c, out, entry_of);
    for (; c < width; ++c) sum_tile<kHeads, 1>(job, row, weights, x, begin + c, out, entry_of);
  }
}

// weights[e, h] = e^(leaky - max) / sum, then out[i] = sum over entries of weights[e, h] t[j, head h]. With kHeads heads,
// a number the compiler knows; 0: any number.
template <std::size_t kHeads>
void forward_rows_of(const AttentionJob& job, std::size_t first, std::size_t last) {
  const std::size_t heads = kHeads == 0 ? job.heads : kHeads;
  const hn::ScalableTag<float> d;
  float* HWY_RESTRICT weights = job.weights_out;
  for (std::size_t row = first; row < last; ++row) {
    const std::size_t begin = job.offsets[row];
    const std::size_t end = job.offsets[row + 1];
    const float* HWY_RESTRICT to = job.to + row * heads;
    std::array<float, kMaxHeads> maximum;
    std::array<float, kMaxHeads> total;
    maximum.fill(-std::numeric_limits<float>::infinity());
    total.fill(0.0F);
    for (std::size_t e = begin; e < end; ++e) {
      const float* HWY_RESTRICT from = job.from + std::size_t{job.columns[e]} * heads;
      for (std::size_t h = 0; h < heads; ++h) {
        const float score = leaky(to[h] + from[h]);
        weights[e * heads + h] = score;
        maximum[h] = std::max(maximum[h], score);
      }
    }
    for (std::size_t e = begin; e < end; ++e) {
      for (std::size_t h = 0; h < heads; ++h) weights[e * heads + h] -= maximum[h];
    }
    std::size_t i = begin * heads;
    for (; i + hn::Lanes(d) <= end * heads; i += hn::Lanes(d)) {
      hn::StoreU(exponential(d, hn::LoadU(d, weights + i)), d, weights + i);
    }
    for (; i < end * heads; ++i) {
      const hn::CappedTag<float, 1> one;
      hn::StoreU(exponential(one, hn::LoadU(one, weights + i)), one, weights + i);
    }
    for (std::size_t e = begin; e < end; ++e) {
      for (std::size_t h = 0; h < heads; ++h) total[h] += weights[e * heads + h];
    }
    for (std::size_t h = 0; h < heads; ++h) total[h] = 1.0F / total[h];
    for (std::size_t e = begin; e < end; ++e) {
      for (std::size_t h = 0; h < heads; ++h) weights[e * heads + h] *= total[h];
    }
    sum_entries<kHeads == 4 ? 4 : 1>(job, row, weights, job.t, job.out + row * heads * job.width,
                                     [](std::size_t e) { return e; });
  }
}

void forward_rows(const AttentionJob& job, std::size_t first, std::size_t last) {
  job.heads == 4   ? forward_rows_of<4>(job, first, last)
  : job.heads == 1 ? forward_rows_of<1>(job, first, last)
                   : forward_rows_of<0>(job, first, last);
}

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE void dot_of_four(const float* a, const float* b, std::size_t width, float* out) {
  for (std::size_t h = 0; h < 4; ++h) out[h] = dot(a + h * width, b + h * width, width);
}
#else
// The lanes of v added up to four, pair by pair as SumOfLanes does.
template <class D>
HWY_INLINE hn::Vec<hn::CappedTag<float, 4> > fold_to_four(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(d) > 4) {
    const hn::Half<D> half;
    return fold_to_four(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else {
    return v;
  }
}

// out[h] = dot of head h, for four heads of a multiple of 16 columns each: their lanes are added up together.
HWY_INLINE void dot_of_four(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, std::size_t width,
                            float* HWY_RESTRICT out) {
  const hn::CappedTag<float, 16> d;
  const hn::CappedTag<float, 4> four;
  std::array<hn::Vec<decltype(four)>, 4> sums;
  for (std::size_t h = 0; h < 4; ++h) {
    auto sum = hn::Zero(d);
    for (std::size_t c = h * width; c < (h + 1) * width; c += hn::Lanes(d)) {
      sum = hn::MulAdd(hn::LoadU(d, a + c), hn::LoadU(d, b + c), sum);
    }
    sums[h] = fold_to_four(d, sum);
  }
  const auto pair = [&](std::size_t h) HWY_ATTR {
    return hn::Add(hn::InterleaveLower(four, sums[h], sums[h + 1]), hn::InterleaveUpper(four, sums[h], sums[h + 1]));
  };
  const auto lower = pair(0);
  const auto upper = pair(2);
  hn::StoreU(hn::Add(hn::ConcatLowerLower(four, upper, lower), hn::ConcatUpperUpper(four, upper, lower)), four, out);
}
#endif

template <std::size_t kHeads>
void backward_score_rows_of(const AttentionJob& job, std::size_t first, std::size_t last) {
  const std::size_t heads = kHeads == 0 ? job.heads : kHeads;
  const std::size_t row_width = heads * job.width;
  [[maybe_unused]] const bool whole = job.width % 16 == 0;
  float* HWY_RESTRICT scores = job.score_gradient_out;
  for (std::size_t row = first; row < last; ++row) {
    const std::size_t begin = job.offsets[row];
    const std::size_t end = job.offsets[row + 1];
    const float* HWY_RESTRICT g = job.g + row * row_width;
    const float* HWY_RESTRICT to = job.to + row * heads;
    std::array<float, kMaxHeads> mean;
    std::array<float, kMaxHeads> sum;
    mean.fill(0.0F);
    sum.fill(0.0F);
    for (std::size_t e = begin; e < end; ++e) {
      const float* HWY_RESTRICT t = job.t + job.columns[e] * row_width;
      std::array<float, kMaxHeads> product;
      if (kHeads == 4 && whole) {
        dot_of_four(g, t, job.width, product.data());
      } else {
        for (std::size_t h = 0; h < heads; ++h) product[h] = dot(g + h * job.width, t + h * job.width, job.width);
      }
      for (std::size_t h = 0; h < heads; ++h) {
        scores[e * heads + h] = product[h];
        mean[h] += job.weights[e * heads + h] * product[h];
      }
    }
    for (std::size_t e = begin; e < end; ++e) {
      const float* HWY_RESTRICT from = job.from + std::size_t{job.columns[e]} * heads;
      for (std::size_t h = 0; h < heads; ++h) {
        const float slope = to[h] + from[h] > 0 ? 1.0F : kLeakySlope;
        const float score = job.weights[e * heads + h] * (scores[e * heads + h] - mean[h]) * slope;
        scores[e * heads + h] = score;
        sum[h] += score;
      }
    }
    std::copy_n(sum.begin(), heads, job.gradient_to_out + row * heads);
  }
}

void backward_score_rows(const AttentionJob& job, std::size_t first, std::size_t last) {
  job.heads == 4   ? backward_score_rows_of<4>(job, first, last)
  : job.heads == 1 ? backward_score_rows_of<1>(job, first, last)
                   : backward_score_rows_of<0>(job, first, last);
}

// Rows of the transposed pattern: row j lists the i whose row holds j.
template <std::size_t kHeads>
void backward_node_rows_of(const AttentionJob& job, std::size_t first, std::size_t last) {
  const std::size_t heads = kHeads == 0 ? job.heads : kHeads;
  for (std::size_t row = first; row < last; ++row) {
    float* HWY_RESTRICT out = job.out + row * heads * job.width;
    std::array<float, kMaxHeads> sum;
    sum.fill(0.0F);
    for (std::size_t e = job.offsets[row]; e < job.offsets[row + 1]; ++e) {
      for (std::size_t h = 0; h < heads; ++h) sum[h] += job.score_gradient[job.source[e] * heads + h];
    }
    sum_entries<kHeads == 4 ? 4 : 1>(job, row, job.weights, job.g, out, [&](std::size_t e) { return job.source[e]; });
    for (std::size_t h = 0; h < heads; ++h) {
      const std::size_t column = h * job.width;
      add_scaled(sum[h], job.vector_from + column, out + column, job.width);
      add_scaled(job.gradient_to[row * heads + h], job.vector_to + column, out + column, job.width);
    }
    std::copy_n(sum.begin(), heads, job.gradient_from_out + row * heads);
  }
}

void backward_node_rows(const AttentionJob& job, std::size_t first, std::size_t last) {
  job.heads == 4   ? backward_node_rows_of<4>(job, first, last)
  : job.heads == 1 ? backward_node_rows_of<1>(job, first, last)
                   : backward_node_rows_of<0>(job, first, last);
}

void vector_rows(const float* t, const float* score_gradient, std::size_t heads, std::size_t width, float* out,
                 std::size_t first, std::size_t last) {
  std::fill_n(out, heads * width, 0.0F);
  for (std::size_t i = first * heads; i < last * heads; ++i) {
    add_scaled(score_gradient[i], t + i * width, out + (i % heads) * width, width);
  }
}

}  // namespace ppgnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ppgnn::kernels {

HWY_EXPORT(scores_rows);
HWY_EXPORT(forward_rows);
HWY_EXPORT(backward_score_rows);
HWY_EXPORT(backward_node_rows);
HWY_EXPORT(vector_rows);

namespace {

template <class Body>
void for_blocks(const SparseMatrix& matrix, const Threads& threads, const Body& body) {
  const std::span<const std::size_t> blocks = matrix.blocks();
  if (blocks.size() < 2) return;
  threads.for_each(blocks.size() - 1, [&](std::size_t block) { body(blocks[block], blocks[block + 1]); });
}

AttentionJob job_of(const SparseMatrix& matrix, std::size_t heads, std::size_t columns) noexcept {
  assert(heads > 0 && heads <= kMaxHeads && columns % heads == 0);
  AttentionJob job{};
  job.offsets = matrix.pattern().offsets.data();
  job.columns = matrix.pattern().columns.data();
  job.heads = heads;
  job.width = columns / heads;
  return job;
}

}  // namespace

void attention_scores(ConstMatrixView t, std::span<const float> vector, std::size_t heads, MatrixView scores,
                      const Threads& threads) {
  assert(vector.size() == t.cols && scores.rows == t.rows && scores.cols == heads);
  for_row_blocks(t.rows, threads, [&](std::size_t, std::size_t first, std::size_t last) {
    HWY_DYNAMIC_DISPATCH(scores_rows)(t.data, vector.data(), heads, t.cols / heads, scores.data, first, last);
  });
}

void attention_forward(const AttentionPattern& pattern, ConstMatrixView t, std::size_t heads, ConstMatrixView from,
                       ConstMatrixView to, MatrixView weights, MatrixView out, const Threads& threads) {
  assert(weights.rows == pattern.forward->pattern().nonzeros() && weights.cols == heads);
  AttentionJob job = job_of(*pattern.forward, heads, t.cols);
  job.t = t.data;
  job.from = from.data;
  job.to = to.data;
  job.weights_out = weights.data;
  job.out = out.data;
  for_blocks(*pattern.forward, threads, [&](std::size_t first, std::size_t last) {
    HWY_DYNAMIC_DISPATCH(forward_rows)(job, first, last);
  });
}

void attention_backward_scores(const AttentionPattern& pattern, ConstMatrixView t, std::size_t heads,
                               ConstMatrixView from, ConstMatrixView to, ConstMatrixView weights, ConstMatrixView g,
                               MatrixView score_gradient, MatrixView gradient_to, const Threads& threads) {
  AttentionJob job = job_of(*pattern.forward, heads, t.cols);
  job.t = t.data;
  job.from = from.data;
  job.to = to.data;
  job.weights = weights.data;
  job.g = g.data;
  job.score_gradient_out = score_gradient.data;
  job.gradient_to_out = gradient_to.data;
  for_blocks(*pattern.forward, threads, [&](std::size_t first, std::size_t last) {
    HWY_DYNAMIC_DISPATCH(backward_score_rows)(job, first, last);
  });
}

void attention_backward_nodes(const AttentionPattern& pattern, std::size_t heads, ConstMatrixView weights,
                              ConstMatrixView score_gradient, ConstMatrixView g, ConstMatrixView gradient_to,
                              std::span<const float> vector_from, std::span<const float> vector_to,
                              MatrixView gradient_from, MatrixView gradient_t, const Threads& threads) {
  AttentionJob job = job_of(*pattern.transposed, heads, g.cols);
  job.source = pattern.source.data();
  job.weights = weights.data;
  job.score_gradient = score_gradient.data;
  job.g = g.data;
  job.gradient_to = gradient_to.data;
  job.gradient_from_out = gradient_from.data;
  job.vector_from = vector_from.data();
  job.vector_to = vector_to.data();
  job.out = gradient_t.data;
  for_blocks(*pattern.transposed, threads, [&](std::size_t first, std::size_t last) {
    HWY_DYNAMIC_DISPATCH(backward_node_rows)(job, first, last);
  });
}

std::size_t attention_vector_scratch(std::size_t rows, std::size_t columns) noexcept {
  return capped_product({tasks_of(rows, kRowsPerTask), columns});
}

void attention_vector_gradient(ConstMatrixView t, ConstMatrixView score_gradient, std::span<float> gradient,
                               std::span<float> scratch, const Threads& threads) {
  assert(gradient.size() == t.cols && scratch.size() >= attention_vector_scratch(t.rows, t.cols));
  const std::size_t heads = score_gradient.cols;
  for_row_blocks(t.rows, threads, [&](std::size_t task, std::size_t first, std::size_t last) {
    HWY_DYNAMIC_DISPATCH(vector_rows)
    (t.data, score_gradient.data, heads, t.cols / heads, scratch.data() + task * t.cols, first, last);
  });
  std::fill(gradient.begin(), gradient.end(), 0.0F);
  for (std::size_t task = 0; task < tasks_of(t.rows, kRowsPerTask); ++task) {
    for (std::size_t c = 0; c < t.cols; ++c) gradient[c] += scratch[task * t.cols + c];
  }
}

}  // namespace ppgnn::kernels
#endif
