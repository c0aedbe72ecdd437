#include "ppgnn/collector/shares.hpp"

namespace ppgnn::collector {

bool Shares::fits(const std::string& address, std::size_t amount, bool exempt) const {
  if (amount > all_ - taken_) return false;
  if (exempt) return true;
  const auto found = by_address_.find(address);
  const std::size_t has = found == by_address_.end() ? 0 : found->second;
  return has <= each_ && amount <= each_ - has;
}

bool Shares::has(const std::string& address, std::size_t amount, bool exempt) const {
  const std::lock_guard lock(mutex_);
  return fits(address, amount, exempt);
}

bool Shares::take(const std::string& address, std::size_t amount, bool exempt) {
  if (amount == 0) return true;
  const std::lock_guard lock(mutex_);
  if (!fits(address, amount, exempt)) return false;
  by_address_[address] += amount;
  taken_ += amount;
  return true;
}

void Shares::give_back(const std::string& address, std::size_t amount) {
  if (amount == 0) return;
  const std::lock_guard lock(mutex_);
  const auto found = by_address_.find(address);
  if (found == by_address_.end()) return;
  taken_ -= amount;
  found->second -= amount;
  if (found->second == 0) by_address_.erase(found);
}

std::size_t Shares::taken() const {
  const std::lock_guard lock(mutex_);
  return taken_;
}

}  // namespace ppgnn::collector
