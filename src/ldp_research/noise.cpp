#include "ppgnn/ldp_research/noise.hpp"

#include <algorithm>
#include <cmath>

#include "ppgnn/ldp/sign_bits.hpp"

namespace ppgnn::ldp_research {

double LocalRandomizer::perturb(double x, double epsilon, random::AnyBits& bits) noexcept {
  const ldp::Shape one{};
  const std::uint64_t entry = ldp::SignBits::quantise(epsilon, one);
  const bool plus = random::sign(std::llrint(std::ldexp(x, random::kFeatureBits)), entry, bits);
  return (plus ? 1 : -1) / ldp::SignBits::gain(entry, one);
}

double LocalRandomizer::variance(double x, double epsilon) noexcept {
  const double t = std::tanh(epsilon / 2);
  return 1 / (t * t) - x * x;
}

double LocalRandomizer::log_ratio(double value, std::span<const double>) noexcept {
  // +-1 / gain, + with probability (1 + x gain) / 2.
  const double gain = std::min(1 / std::abs(value), 1 - 1e-15);
  return std::copysign(2 * std::atanh(gain), value);
}

double LaplaceNoise::log_ratio(double value, std::span<const double> epsilons) noexcept {
  double top = 0;
  double bottom = 0;
  for (const double epsilon : epsilons) {
    const double rate = epsilon / 2;
    const double nearest = std::min(std::abs(value - 1), std::abs(value + 1));
    top += rate * std::exp(-rate * (std::abs(value - 1) - nearest));
    bottom += rate * std::exp(-rate * (std::abs(value + 1) - nearest));
  }
  return std::log(top / bottom);
}

double LaplaceNoise::perturb(double x, double epsilon, random::AnyBits& bits) noexcept {
  const double u = open_uniform(bits) - 0.5;
  return x - std::copysign(2 / epsilon, u) * std::log1p(-2 * std::abs(u));
}

double LaplaceNoise::variance(double, double epsilon) noexcept {
  return 8 / (epsilon * epsilon);
}

double open_uniform(random::AnyBits& bits) noexcept {
  return (static_cast<double>(bits.next() >> 12) + 0.5) * 0x1p-52;
}

}  // namespace ppgnn::ldp_research
