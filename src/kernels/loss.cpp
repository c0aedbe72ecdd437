#include "ppgnn/kernels/loss.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/loss.cpp"
#include <hwy/foreach_target.h>
// After foreach_target: compiled once per instruction set.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#ifndef PPGNN_KERNELS_LOSS_JOB
#define PPGNN_KERNELS_LOSS_JOB
namespace ppgnn::kernels {

struct LossJob {
  ConstMatrixView logits;
  std::size_t classes;
  std::span<const std::uint32_t> rows;
  std::span<const std::uint32_t> labels;
  float* gradient;  // null: loss only
};

}  // namespace ppgnn::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace ppgnn::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// loss = log sum_c e^(l_c - max) - (l_label - max); gradient_c = (e^(l_c - max) / sum - [c = label]) / rows.
void loss_rows(const LossJob& job, std::size_t first, std::size_t last, LossPart& part) {
  const hn::CappedTag<float, 4> d;
  const std::size_t lanes = hn::Lanes(d);
  const float share = 1.0F / static_cast<float>(job.rows.size());
  part = {};
  for (std::size_t i = first; i < last; ++i) {
    const std::size_t row = job.rows[i];
    const std::size_t label = job.labels[row];
    const float* HWY_RESTRICT logits = job.logits.data + row * job.logits.cols;
    const auto* largest = std::max_element(logits, logits + job.classes);
    const float maximum = *largest;

    auto sums = hn::Zero(d);
    const auto exponential = [&](std::size_t column) HWY_ATTR {
      const auto below = hn::Sub(hn::LoadU(d, logits + column), hn::Set(d, maximum));
      // The library's exponential of a NaN is 0; 0 * NaN is not.
      const auto raised = hn::MulAdd(hn::Zero(d), below, hn::Exp(d, below));
      return hn::IfThenElseZero(hn::FirstN(d, job.classes - column), raised);
    };
    float* HWY_RESTRICT gradient = job.gradient == nullptr ? nullptr : job.gradient + row * job.logits.cols;
    for (std::size_t column = 0; column < job.classes; column += lanes) {
      const auto raised = exponential(column);
      if (gradient != nullptr) hn::StoreU(raised, d, gradient + column);
      sums = hn::Add(sums, raised);
    }
    const float sum = hn::GetLane(hn::SumOfLanes(d, sums));

    part.sum += std::log(static_cast<double>(sum)) - static_cast<double>(logits[label] - maximum);
    part.correct += static_cast<std::size_t>(largest == logits + label);
    if (gradient == nullptr) continue;
    const auto scale = hn::Set(d, share / sum);
    for (std::size_t column = 0; column < job.classes; column += lanes) {
      hn::StoreU(hn::Mul(scale, hn::LoadU(d, gradient + column)), d, gradient + column);
    }
    gradient[label] -= share;
  }
}

}  // namespace ppgnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ppgnn::kernels {

HWY_EXPORT(loss_rows);

namespace {

Loss run(const LossJob& job, std::span<LossPart> parts, const Threads& threads) {
  const std::size_t tasks = loss_tasks(job.rows.size());
  assert(job.logits.cols % 4 == 0 && job.classes > 0 && job.classes <= job.logits.cols && parts.size() >= tasks);
  for_row_blocks(job.rows.size(), threads, [&](std::size_t task, std::size_t first, std::size_t last) {
    HWY_DYNAMIC_DISPATCH(loss_rows)(job, first, last, parts[task]);
  });
  Loss loss;
  loss.rows = job.rows.size();
  for (const LossPart& part : parts.first(tasks)) {
    loss.mean += part.sum;
    loss.correct += part.correct;
  }
  if (loss.rows > 0) loss.mean /= static_cast<double>(loss.rows);
  return loss;
}

}  // namespace

std::size_t loss_tasks(std::size_t rows) noexcept {
  return tasks_of(rows, kRowsPerTask);
}

Loss softmax_cross_entropy(ConstMatrixView logits, std::size_t classes, std::span<const std::uint32_t> rows,
                           std::span<const std::uint32_t> labels, std::span<LossPart> parts, const Threads& threads) {
  return run({logits, classes, rows, labels, nullptr}, parts, threads);
}

Loss softmax_cross_entropy_gradient(ConstMatrixView logits, std::size_t classes, std::span<const std::uint32_t> rows,
                                    std::span<const std::uint32_t> labels, std::span<LossPart> parts,
                                    MatrixView gradient, const Threads& threads) {
  assert(gradient.rows == logits.rows && gradient.cols == logits.cols);
  std::fill_n(gradient.data, gradient.size(), 0.0F);
  return run({logits, classes, rows, labels, gradient.data}, parts, threads);
}

}  // namespace ppgnn::kernels
#endif
