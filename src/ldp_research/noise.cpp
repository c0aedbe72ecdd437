#include "ppgnn/ldp_research/noise.hpp"

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
