#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace ppgnn::teach {

/// Adam in double precision, on a function that is to become large.
class Climber {
 public:
  Climber(std::size_t count, double rate) : first_(count), second_(count), rate_(rate) {}

  void step(std::span<const double> gradient, std::span<double> at) {
    ++steps_;
    const double first_scale = 1 / (1 - std::pow(kFirst, steps_));
    const double second_scale = 1 / (1 - std::pow(kSecond, steps_));
    for (std::size_t i = 0; i < at.size(); ++i) {
      first_[i] = kFirst * first_[i] + (1 - kFirst) * gradient[i];
      second_[i] = kSecond * second_[i] + (1 - kSecond) * gradient[i] * gradient[i];
      at[i] += rate_ * first_[i] * first_scale / (std::sqrt(second_[i] * second_scale) + 1e-8);
    }
  }

 private:
  static constexpr double kFirst = .9;
  static constexpr double kSecond = .999;
  std::vector<double> first_;
  std::vector<double> second_;
  double rate_;
  int steps_ = 0;
};

}  // namespace ppgnn::teach
