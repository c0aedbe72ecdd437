#include "ppgnn/kernels/activation.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "ppgnn/seeded/seeded_stream.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/activation.cpp"
#include <hwy/foreach_target.h>
// After foreach_target: compiled once per instruction set.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#ifndef PPGNN_KERNELS_ACTIVATION_HASH
#define PPGNN_KERNELS_ACTIVATION_HASH
namespace ppgnn::kernels {

// Two multiply-xorshift rounds, one key word before each.
constexpr std::uint32_t kFirstFactor = 0x7feb352d;
constexpr std::uint32_t kSecondFactor = 0x846ca68b;

}  // namespace ppgnn::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace ppgnn::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Kept lanes of the elements from `element` on, as DropoutMask::keeps.
template <class D>
HWY_INLINE hn::Mask<D> kept(D d, const DropoutMask& mask, std::uint64_t element) {
  const hn::RebindToUnsigned<D> du;
  const auto high = static_cast<std::uint32_t>(element >> 32);
  // Iota of a constant is a constant; of a variable it would be built in memory.
  auto word = hn::Add(hn::Iota(du, 0), hn::Set(du, static_cast<std::uint32_t>(element)));
  word = hn::Xor(word, hn::Set(du, mask.key_first + high * kSecondFactor));
  word = hn::Xor(word, hn::ShiftRight<16>(word));
  word = hn::Mul(word, hn::Set(du, kFirstFactor));
  word = hn::Xor(word, hn::ShiftRight<15>(word));
  word = hn::Mul(hn::Add(word, hn::Set(du, mask.key_second)), hn::Set(du, kSecondFactor));
  word = hn::Xor(word, hn::ShiftRight<16>(word));
  return hn::RebindMask(d, hn::Not(hn::Gt(word, hn::Set(du, static_cast<std::uint32_t>(mask.keep - 1)))));
}

// run(tag, element) over a range: whole vectors, then one by one.
template <class Run>
HWY_INLINE void over_elements(std::size_t first, std::size_t last, const Run& run) {
  const hn::ScalableTag<float> full;
  std::size_t element = first;
  for (; element + hn::Lanes(full) <= last; element += hn::Lanes(full)) run(full, element);
  for (; element < last; ++element) run(hn::CappedTag<float, 1>(), element);
}

// out[e] = kept(e) * scale * lambda * (z > 0 ? z : alpha (e^z - 1)).
template <bool kDrops>
void selu_forward_range(const float* HWY_RESTRICT z, const DropoutMask mask, float* HWY_RESTRICT out, std::size_t first,
                        std::size_t last) {
  over_elements(first, last, [=](auto d, std::size_t element) HWY_ATTR {
    // A NaN is not below zero, so it passes through unchanged.
    const auto zero = hn::Zero(d);
    const auto in = hn::LoadU(d, z + element);
    const auto negative = hn::Mul(hn::Set(d, kSeluAlpha), hn::Sub(hn::Exp(d, hn::Min(in, zero)), hn::Set(d, 1.0F)));
    const auto selu = hn::Mul(hn::Set(d, kSeluLambda * mask.scale), hn::IfThenElse(hn::Lt(in, zero), negative, in));
    if constexpr (kDrops) {
      hn::StoreU(hn::IfThenElseZero(kept(d, mask, element), selu), d, out + element);
    } else {
      hn::StoreU(selu, d, out + element);
    }
  });
}

void selu_forward(const float* z, const DropoutMask& mask, float* out, std::size_t first, std::size_t last) {
  mask.keeps_all() ? selu_forward_range<false>(z, mask, out, first, last)
                   : selu_forward_range<true>(z, mask, out, first, last);
}

// gradient[e] *= kept(e) * scale * (out > 0 ? lambda : out / scale + lambda alpha).
void selu_backward(const float* HWY_RESTRICT out, const DropoutMask& given, float* HWY_RESTRICT gradient,
                   std::size_t first, std::size_t last) {
  const DropoutMask mask = given;  // a copy that no store can alias stays in registers
  over_elements(first, last, [=](auto d, std::size_t element) HWY_ATTR {
    const auto activated = hn::LoadU(d, out + element);
    const auto positive = hn::Set(d, kSeluLambda * mask.scale);
    const auto negative = hn::Add(activated, hn::Set(d, kSeluLambda * kSeluAlpha * mask.scale));
    const auto slope = hn::IfThenElse(hn::Gt(activated, hn::Zero(d)), positive, negative);
    const auto product = hn::Mul(hn::LoadU(d, gradient + element), slope);
    hn::StoreU(hn::IfThenElseZero(kept(d, mask, element), product), d, gradient + element);
  });
}

}  // namespace ppgnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ppgnn::kernels {

HWY_EXPORT(selu_forward);
HWY_EXPORT(selu_backward);

DropoutMask DropoutMask::make(double rate, std::uint64_t seed, std::uint64_t epoch) noexcept {
  assert(rate >= 0 && rate < 1);
  constexpr double kAll = 4294967296.0;
  seeded::SeededStream stream(seed, seeded::Purpose::dropout, epoch);
  const std::uint64_t key = stream.next();
  DropoutMask mask;
  mask.key_first = static_cast<std::uint32_t>(key);
  mask.key_second = static_cast<std::uint32_t>(key >> 32);
  mask.keep = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround((1 - rate) * kAll)));
  mask.scale = static_cast<float>(kAll / static_cast<double>(mask.keep));
  return mask;
}

bool DropoutMask::keeps(std::uint64_t element) const noexcept {
  std::uint32_t word = static_cast<std::uint32_t>(element);
  word ^= key_first + static_cast<std::uint32_t>(element >> 32) * kSecondFactor;
  word ^= word >> 16;
  word *= kFirstFactor;
  word ^= word >> 15;
  word = (word + key_second) * kSecondFactor;
  word ^= word >> 16;
  return word < keep;
}

void selu_dropout_forward(ConstMatrixView z, const DropoutMask& mask, MatrixView out, const Threads& threads) {
  assert(z.rows == out.rows && z.cols == out.cols);
  for_row_blocks(z.rows, threads, [&](std::size_t, std::size_t first, std::size_t last) {
    HWY_DYNAMIC_DISPATCH(selu_forward)(z.data, mask, out.data, first * z.cols, last * z.cols);
  });
}

void selu_dropout_backward(ConstMatrixView out, const DropoutMask& mask, MatrixView gradient, const Threads& threads) {
  assert(out.rows == gradient.rows && out.cols == gradient.cols);
  for_row_blocks(out.rows, threads, [&](std::size_t, std::size_t first, std::size_t last) {
    HWY_DYNAMIC_DISPATCH(selu_backward)(out.data, mask, gradient.data, first * out.cols, last * out.cols);
  });
}

}  // namespace ppgnn::kernels
#endif
