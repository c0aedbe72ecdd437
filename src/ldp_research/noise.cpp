#include "ppgnn/ldp_research/noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

double LaplaceNoise::log_density(double value, double x, double epsilon) noexcept {
  return std::log(epsilon / 4) - std::abs(value - x) * epsilon / 2;
}

namespace {

// The window of a value: C - 1 wide, inside [-C, C], at its left end for x = -1 and at its right end for x = 1.
struct Window {
  Window(double x, double epsilon) noexcept
      : end(1 / std::tanh(epsilon / 4)), left((end + 1) / 2 * x - (end - 1) / 2), right(left + end - 1) {}
  double end, left, right;
};

}  // namespace

double PiecewiseNoise::perturb(double x, double epsilon, random::AnyBits& bits) noexcept {
  const Window window(x, epsilon);
  const double place = open_uniform(bits);
  if (open_uniform(bits) < 1 / (1 + std::exp(-epsilon / 2))) return window.left + place * (window.end - 1);
  const double outside = place * (window.end + 1);  // what is left of the window, then what is right of it
  const double before = window.left + window.end;
  return outside < before ? outside - window.end : window.right + (outside - before);
}

double PiecewiseNoise::variance(double x, double epsilon) noexcept {
  const double over = std::expm1(epsilon / 2);
  return x * x / over + (over + 4) / (3 * over * over);
}

double PiecewiseNoise::log_density(double value, double x, double epsilon) noexcept {
  const Window window(x, epsilon);
  if (std::abs(value) > window.end * (1 + 1e-12)) return -std::numeric_limits<double>::infinity();
  const double inside = -std::log1p(std::exp(-epsilon / 2)) - std::log(window.end - 1);
  return value >= window.left && value <= window.right ? inside : inside - epsilon;
}

double PiecewiseNoise::log_ratio(double value, std::span<const double> epsilons) noexcept {
  double top = 0;
  double bottom = 0;
  for (const double epsilon : epsilons) {
    top += std::exp(log_density(value, 1, epsilon));
    bottom += std::exp(log_density(value, -1, epsilon));
  }
  return top > 0 && bottom > 0 ? std::log(top / bottom) : 0;
}

double open_uniform(random::AnyBits& bits) noexcept {
  return (static_cast<double>(bits.next() >> 12) + 0.5) * 0x1p-52;
}

}  // namespace ppgnn::ldp_research
