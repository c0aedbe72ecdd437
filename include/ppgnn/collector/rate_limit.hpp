#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ppgnn::collector {

/// How often somebody may come, or how much they may bring: `burst` at once, then `a_second` per second. By a clock that only goes
/// on, not by the time of day.
///
/// Cost     Memory for `most` at a time; when they are too many, those who have been quiet are forgotten, and if nobody has, all.
/// Threads  Any.
class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;

  /// a_second 0: no limit.
  RateLimit(double a_second, double burst, std::size_t most = 100'000)
      : a_second_(a_second), burst_(burst), most_(most) {}

  /// Seconds to wait, or 0: go on, counted. More than `burst` at once is what `burst` is.
  [[nodiscard]] double take(std::string_view who, Clock::time_point now, double amount = 1);

 private:
  struct Left {
    double amount = 0;
    Clock::time_point at;
  };
  [[nodiscard]] double refilled(const Left& left, Clock::time_point now) const;

  double a_second_;
  double burst_;
  std::size_t most_;
  std::mutex mutex_;
  std::unordered_map<std::string, Left> left_;
};

}  // namespace ppgnn::collector
