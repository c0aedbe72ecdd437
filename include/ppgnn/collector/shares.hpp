#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

namespace ppgnn::collector {

/// Something that there is only so much of: no more than `all` is taken at a time, and no more than `each` by one address, so that
/// nobody takes it from everybody else.
///
/// Cost     Memory by the addresses that have some.
/// Threads  Any.
class Shares {
 public:
  Shares(std::size_t all, std::size_t each) : all_(all), each_(each) {}

  /// False: there is not so much left, and nothing is taken. `exempt`: for this address only `all` counts.
  [[nodiscard]] bool take(const std::string& address, std::size_t amount, bool exempt);
  /// Whether it could be taken now.
  [[nodiscard]] bool has(const std::string& address, std::size_t amount, bool exempt) const;
  void give_back(const std::string& address, std::size_t amount);
  [[nodiscard]] std::size_t taken() const;

 private:
  [[nodiscard]] bool fits(const std::string& address, std::size_t amount, bool exempt) const;

  std::size_t all_;
  std::size_t each_;
  mutable std::mutex mutex_;
  std::size_t taken_ = 0;
  std::unordered_map<std::string, std::size_t> by_address_;
};

}  // namespace ppgnn::collector
