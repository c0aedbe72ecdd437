#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ppgnn::fuzz {

/// Cuts an input into the contents of `Count` files, at each "<|>"; missing ones are empty, the last takes the rest.
template <std::size_t Count>
std::array<std::string_view, Count> parts(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kCut = "<|>";
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::array<std::string_view, Count> found{};
  for (std::size_t i = 0; i < Count; ++i) {
    const std::size_t end = i + 1 < Count ? rest.find(kCut) : std::string_view::npos;
    found[i] = rest.substr(0, end);
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + kCut.size());
  }
  return found;
}

}  // namespace ppgnn::fuzz
