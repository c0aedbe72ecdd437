#include <algorithm>
#include <cassert>

#include "ppgnn/core/sizes.hpp"
#include "ppgnn/kernels/dense.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef PPGNN_KERNELS_ROWS_JOB
#define PPGNN_KERNELS_ROWS_JOB
namespace ppgnn::kernels {

// Plain pointers of one pass over rows.
struct RowsJob {
  const float* numbers;  // one per row or one per column
  const float* x;
  float* y;
  std::size_t x_stride;
  std::size_t y_stride;
  std::size_t width;
};

}  // namespace ppgnn::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace ppgnn::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// run(tag, x, y, column) over the columns of rows first .. last-1: whole vectors, then fours, then one by one.
template <class Run>
HWY_INLINE void over_rows(const RowsJob& job, std::size_t first, std::size_t last, const Run& run) {
  const hn::ScalableTag<float> full;
  const hn::CappedTag<float, 4> four;
  const hn::CappedTag<float, 1> single;
  if (job.width == hn::Lanes(four)) {  // logits of few classes
    for (std::size_t row = first; row < last; ++row) {
      run(four, job.x + row * job.x_stride, job.y + row * job.y_stride, row, 0);
    }
    return;
  }
  for (std::size_t row = first; row < last; ++row) {
    const float* x = job.x + row * job.x_stride;
    float* y = job.y + row * job.y_stride;
    std::size_t column = 0;
    for (; column + hn::Lanes(full) <= job.width; column += hn::Lanes(full)) run(full, x, y, row, column);
    for (; column + hn::Lanes(four) <= job.width; column += hn::Lanes(four)) run(four, x, y, row, column);
    for (; column < job.width; ++column) run(single, x, y, row, column);
  }
}

// y = numbers[row] x; without numbers y = x.
void scale_range(const RowsJob& given, std::size_t first, std::size_t last) {
  const RowsJob job = given;  // a copy that no store can alias stays in registers
  over_rows(job, first, last, [=](auto d, const float* x, float* y, std::size_t row, std::size_t column) HWY_ATTR {
    const auto loaded = hn::LoadU(d, x + column);
    hn::StoreU(job.numbers == nullptr ? loaded : hn::Mul(hn::Set(d, job.numbers[row]), loaded), d, y + column);
  });
}

// y = x + y.
void add_range(const RowsJob& given, std::size_t first, std::size_t last) {
  const RowsJob job = given;
  over_rows(job, first, last, [](auto d, const float* x, float* y, std::size_t, std::size_t column) HWY_ATTR {
    hn::StoreU(hn::Add(hn::LoadU(d, y + column), hn::LoadU(d, x + column)), d, y + column);
  });
}

// y = x + numbers[column].
void shift_range(const RowsJob& given, std::size_t first, std::size_t last) {
  const RowsJob job = given;
  over_rows(job, first, last, [=](auto d, const float* x, float* y, std::size_t, std::size_t column) HWY_ATTR {
    hn::StoreU(hn::Add(hn::LoadU(d, x + column), hn::LoadU(d, job.numbers + column)), d, y + column);
  });
}

// y[column] = sum over rows of x, in their order.
void sum_range(const RowsJob& given, std::size_t first, std::size_t last) {
  RowsJob job = given;
  std::fill_n(job.y, job.width, 0.0F);
  job.y_stride = 0;
  over_rows(job, first, last, [](auto d, const float* x, float* y, std::size_t, std::size_t column) HWY_ATTR {
    hn::StoreU(hn::Add(hn::LoadU(d, y + column), hn::LoadU(d, x + column)), d, y + column);
  });
}

}  // namespace ppgnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ppgnn::kernels {

HWY_EXPORT(scale_range);
HWY_EXPORT(add_range);
HWY_EXPORT(shift_range);
HWY_EXPORT(sum_range);

namespace {

RowsJob job_of(std::span<const float> numbers, ConstPanel x, Panel y) noexcept {
  assert(x.rows == y.rows && x.cols == y.cols);
  return {numbers.empty() ? nullptr : numbers.data(), x.data, y.data, x.stride, y.stride, x.cols};
}

}  // namespace

std::size_t column_sums_scratch(std::size_t rows, std::size_t cols) noexcept {
  return capped_product({tasks_of(rows, kRowsPerTask), cols});
}

void column_sums(ConstPanel a, std::span<float> out, std::span<float> scratch, const Threads& threads) {
  assert(out.size() == a.cols && scratch.size() >= column_sums_scratch(a.rows, a.cols));
  if (a.rows == 0) {
    std::fill(out.begin(), out.end(), 0.0F);
    return;
  }
  for_row_blocks(a.rows, threads, [&](std::size_t task, std::size_t first, std::size_t last) {
    HWY_DYNAMIC_DISPATCH(sum_range)
    ({nullptr, a.data, scratch.data() + task * a.cols, a.stride, 0, a.cols}, first, last);
  });
  add_in_order(scratch, tasks_of(a.rows, kRowsPerTask), out);
}

void add_to_rows(std::span<const float> vector, ConstPanel x, Panel y, const Threads& threads) {
  assert(vector.size() == y.cols);
  const RowsJob job = job_of(vector, x, y);
  for_row_blocks(y.rows, threads, [&](std::size_t, std::size_t first, std::size_t last) {
    HWY_DYNAMIC_DISPATCH(shift_range)(job, first, last);
  });
}

void add(ConstPanel x, Panel y, const Threads& threads) {
  const RowsJob job = job_of({}, x, y);
  for_row_blocks(y.rows, threads, [&](std::size_t, std::size_t first, std::size_t last) {
    HWY_DYNAMIC_DISPATCH(add_range)(job, first, last);
  });
}

void scale_rows(std::span<const float> scale, ConstPanel x, Panel y, const Threads& threads) {
  assert(scale.empty() || scale.size() == y.rows);
  const RowsJob job = job_of(scale, x, y);
  for_row_blocks(y.rows, threads, [&](std::size_t, std::size_t first, std::size_t last) {
    HWY_DYNAMIC_DISPATCH(scale_range)(job, first, last);
  });
}

void copy(ConstPanel x, Panel y, const Threads& threads) {
  scale_rows({}, x, y, threads);
}

}  // namespace ppgnn::kernels
#endif
