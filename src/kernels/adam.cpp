#include "ppgnn/kernels/adam.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/adam.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef PPGNN_KERNELS_ADAM_JOB
#define PPGNN_KERNELS_ADAM_JOB
namespace ppgnn::kernels {

struct AdamJob {
  float step_size;       // learning rate / (1 - b1^step)
  float inverse_second;  // 1 / sqrt(1 - b2^step)
  float weight_decay;
  float beta_first;
  float beta_second;
  float epsilon;
  const float* gradient;
  float* parameters;
  float* first_moment;
  float* second_moment;
};

}  // namespace ppgnn::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace ppgnn::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void adam_range(const AdamJob& job, std::size_t first, std::size_t last) {
  const auto run = [&](auto d, std::size_t i) HWY_ATTR {
    const auto set = [d](float value) HWY_ATTR { return hn::Set(d, value); };
    const auto parameter = hn::LoadU(d, job.parameters + i);
    const auto gradient = hn::MulAdd(set(job.weight_decay), parameter, hn::LoadU(d, job.gradient + i));
    const auto first_moment = hn::MulAdd(set(job.beta_first), hn::LoadU(d, job.first_moment + i),
                                         hn::Mul(set(1.0F - job.beta_first), gradient));
    const auto second_moment = hn::MulAdd(set(job.beta_second), hn::LoadU(d, job.second_moment + i),
                                          hn::Mul(set(1.0F - job.beta_second), hn::Mul(gradient, gradient)));
    const auto spread = hn::MulAdd(hn::Sqrt(second_moment), set(job.inverse_second), set(job.epsilon));
    const auto change = hn::Div(hn::Mul(set(job.step_size), first_moment), spread);
    hn::StoreU(first_moment, d, job.first_moment + i);
    hn::StoreU(second_moment, d, job.second_moment + i);
    hn::StoreU(hn::Sub(parameter, change), d, job.parameters + i);
  };
  const hn::ScalableTag<float> full;
  std::size_t i = first;
  for (; i + hn::Lanes(full) <= last; i += hn::Lanes(full)) run(full, i);
  for (; i < last; ++i) run(hn::CappedTag<float, 1>(), i);
}

}  // namespace ppgnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ppgnn::kernels {

HWY_EXPORT(adam_range);

void adam_step(const AdamOptions& options, std::uint64_t step, std::span<const float> gradient,
               std::span<float> parameters, std::span<float> first_moment, std::span<float> second_moment,
               const Threads& threads) {
  assert(step > 0 && gradient.size() == parameters.size() && first_moment.size() == parameters.size() &&
         second_moment.size() == parameters.size());
  const auto exponent = static_cast<double>(step);
  const AdamJob job{
      .step_size = static_cast<float>(options.learning_rate / (1 - std::pow(options.beta_first, exponent))),
      .inverse_second = static_cast<float>(1 / std::sqrt(1 - std::pow(options.beta_second, exponent))),
      .weight_decay = static_cast<float>(options.weight_decay),
      .beta_first = static_cast<float>(options.beta_first),
      .beta_second = static_cast<float>(options.beta_second),
      .epsilon = static_cast<float>(options.epsilon),
      .gradient = gradient.data(),
      .parameters = parameters.data(),
      .first_moment = first_moment.data(),
      .second_moment = second_moment.data()};
  constexpr std::size_t kPerTask = 32768;
  threads.for_each(tasks_of(parameters.size(), kPerTask), [&](std::size_t task) {
    HWY_DYNAMIC_DISPATCH(adam_range)(job, task * kPerTask, std::min(parameters.size(), (task + 1) * kPerTask));
  });
}

}  // namespace ppgnn::kernels
#endif
