#include "ppgnn/collector/rate_limit.hpp"

#include <algorithm>

namespace ppgnn::collector {

double RateLimit::refilled(const Left& left, Clock::time_point now) const {
  return std::min(burst_, left.amount + a_second_ * std::chrono::duration<double>(now - left.at).count());
}

double RateLimit::take(std::string_view who, Clock::time_point now, double amount) {
  if (a_second_ <= 0) return 0;
  const std::lock_guard lock(mutex_);
  if (left_.size() >= most_) {
    std::erase_if(left_, [&](const auto& entry) { return refilled(entry.second, now) >= burst_; });
    if (left_.size() >= most_) left_.clear();
  }
  Left& left = left_.try_emplace(std::string(who), Left{burst_, now}).first->second;
  left = {refilled(left, now), now};
  amount = std::min(amount, burst_);
  if (left.amount < amount) return (amount - left.amount) / a_second_;
  left.amount -= amount;
  return 0;
}

}  // namespace ppgnn::collector
