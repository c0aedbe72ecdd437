#pragma once

#include <cassert>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace ppgnn::graph {

/// A read-only array that keeps its memory alive: a vector it took over, or a part of a file that was read.
///
/// Threads  Any number of readers; copies share the memory and are cheap.
template <class T>
class SharedArray {
 public:
  SharedArray() = default;

  SharedArray(std::vector<T> values) {
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    values_ = *owner;
    owner_ = std::move(owner);
  }

  /// `values` must stay valid for as long as `owner` lives.
  SharedArray(std::span<const T> values, std::shared_ptr<const void> owner)
      : values_(values), owner_(std::move(owner)) {}

  [[nodiscard]] std::span<const T> span() const noexcept { return values_; }
  operator std::span<const T>() const noexcept { return values_; }
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
  [[nodiscard]] const T* data() const noexcept { return values_.data(); }
  [[nodiscard]] auto begin() const noexcept { return values_.begin(); }
  [[nodiscard]] auto end() const noexcept { return values_.end(); }
  const T& operator[](std::size_t index) const noexcept {
    assert(index < values_.size());
    return values_[index];
  }

 private:
  std::span<const T> values_;
  std::shared_ptr<const void> owner_;
};

}  // namespace ppgnn::graph
