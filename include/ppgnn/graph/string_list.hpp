#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/shared_array.hpp"

namespace ppgnn::graph {

/// Many short texts in two arrays, so that a million names cost two allocations or none (stored file).
class StringList {
 public:
  StringList() = default;
  explicit StringList(std::span<const std::string> texts);

  /// `offsets` has one entry more than there are texts, from 0 to bytes.size(), never falling.
  [[nodiscard]] static Result<StringList> make(SharedArray<std::uint64_t> offsets, SharedArray<char> bytes);

  [[nodiscard]] std::size_t size() const noexcept { return offsets_.empty() ? 0 : offsets_.size() - 1; }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  std::string_view operator[](std::size_t index) const noexcept {
    return {bytes_.data() + offsets_[index], static_cast<std::size_t>(offsets_[index + 1] - offsets_[index])};
  }
  [[nodiscard]] std::vector<std::string> list() const;
  [[nodiscard]] const SharedArray<std::uint64_t>& offsets() const noexcept { return offsets_; }
  [[nodiscard]] const SharedArray<char>& bytes() const noexcept { return bytes_; }

 private:
  SharedArray<std::uint64_t> offsets_;
  SharedArray<char> bytes_;
};

}  // namespace ppgnn::graph
