#include "bench/support/machine.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/support/machine.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ppgnn::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// `rounds` times 12 vectors a = a x + y, nothing but registers; as many chains as two units of latency four and more
// can keep busy. Returns the multiply-adds done; `result` depends on all of them.
double chains(std::size_t rounds, float* result) {
  const hn::ScalableTag<float> d;
  const auto x = hn::Set(d, *result);
  const auto y = hn::Set(d, 1 - *result);
  auto a = hn::Iota(d, 0), b = hn::Iota(d, 1), c = hn::Iota(d, 2), e = hn::Iota(d, 3), f = hn::Iota(d, 4),
       g = hn::Iota(d, 5), h = hn::Iota(d, 6), i = hn::Iota(d, 7), j = hn::Iota(d, 8), k = hn::Iota(d, 9),
       l = hn::Iota(d, 10), m = hn::Iota(d, 11);
  for (std::size_t round = 0; round < rounds; ++round) {
    a = hn::MulAdd(a, x, y);
    b = hn::MulAdd(b, x, y);
    c = hn::MulAdd(c, x, y);
    e = hn::MulAdd(e, x, y);
    f = hn::MulAdd(f, x, y);
    g = hn::MulAdd(g, x, y);
    h = hn::MulAdd(h, x, y);
    i = hn::MulAdd(i, x, y);
    j = hn::MulAdd(j, x, y);
    k = hn::MulAdd(k, x, y);
    l = hn::MulAdd(l, x, y);
    m = hn::MulAdd(m, x, y);
  }
  const auto sum = hn::Add(hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(hn::Add(f, g), hn::Add(h, i))),
                           hn::Add(hn::Add(j, k), hn::Add(l, m)));
  *result = hn::GetLane(hn::SumOfLanes(d, sum));
  return 12.0 * static_cast<double>(rounds * hn::Lanes(d));
}

}  // namespace ppgnn::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ppgnn::bench {

HWY_EXPORT(chains);

double peak_multiply_adds() {
  double done = 0;
  volatile float sink = 0;
  const double seconds = least_seconds(5, cpu_seconds, [&] {
    float value = .5F;
    done = HWY_DYNAMIC_DISPATCH(chains)(std::size_t{1} << 23, &value);
    sink = value;
  });
  return done / seconds;
}

}  // namespace ppgnn::bench
#endif
