#pragma once

#include <span>

#include "ppgnn/random/any_bits.hpp"

/// One-dimensional mechanisms for a value in [-1, 1], to be put inside the multi-dimensional wrapper. All have this
/// shape: `perturb` returns an unbiased estimate within `epsilon`; `variance` is exact; `log_ratio` is
/// ln P(value | x = 1) / P(value | x = -1) where the budget is one of these, each as likely. Those in doubles also have
/// `log_density`.
namespace ppgnn::ldp_research {

/// Two-valued answer +-coth(epsilon / 2). Algorithm 1 of the paper. Sampled on integers, exactly.
struct LocalRandomizer {
  static constexpr bool kExact = true;
  /// The value's size tells the budget.
  static double log_ratio(double value, std::span<const double> epsilons) noexcept;
  static double perturb(double x, double epsilon, random::AnyBits& bits) noexcept;
  static double variance(double x, double epsilon) noexcept;
};

/// x plus Laplace noise of scale 2 / epsilon, in doubles: its low bits are known to give x away (Mironov 2012).
struct LaplaceNoise {
  static constexpr bool kExact = false;
  static double log_ratio(double value, std::span<const double> epsilons) noexcept;
  static double perturb(double x, double epsilon, random::AnyBits& bits) noexcept;
  static double variance(double x, double epsilon) noexcept;
  static double log_density(double value, double x, double epsilon) noexcept;
};

/// A value of [-C, C], C = coth(epsilon / 4), likelier by e^epsilon in a window around x; in doubles, as Laplace's.
///
/// Source  The piecewise mechanism of Wang et al., Collecting and analyzing multidimensional data with local
///         differential privacy, 2019.
struct PiecewiseNoise {
  static constexpr bool kExact = false;
  static double log_ratio(double value, std::span<const double> epsilons) noexcept;
  static double perturb(double x, double epsilon, random::AnyBits& bits) noexcept;
  static double variance(double x, double epsilon) noexcept;
  static double log_density(double value, double x, double epsilon) noexcept;
};

/// Uniform in (0, 1), never 0 or 1.
double open_uniform(random::AnyBits& bits) noexcept;

}  // namespace ppgnn::ldp_research
