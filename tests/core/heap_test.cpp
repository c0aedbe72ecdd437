#include "ppgnn/core/heap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace ppgnn {
namespace {

TEST(Heap, SortsAndSelectsWhatTheStandardLibraryDoes) {
  std::mt19937 draw(20260103);  // fixed: the same lists every time
  for (std::size_t size = 0; size < 130; ++size) {
    std::vector<std::uint32_t> items(size);
    for (std::uint32_t& item : items) item = static_cast<std::uint32_t>(draw() % 50);  // with repeats
    std::vector<std::uint32_t> expected = items;
    std::sort(expected.begin(), expected.end());
    for (std::size_t count = 0; count <= size; count += 1 + size / 5) {
      std::vector<std::uint32_t> selected = items;
      heap_select(std::span(selected), count, [](std::uint32_t a, std::uint32_t b) { return a < b; });
      std::sort(selected.begin(), selected.begin() + static_cast<std::ptrdiff_t>(count));
      EXPECT_TRUE(
          std::equal(selected.begin(), selected.begin() + static_cast<std::ptrdiff_t>(count), expected.begin()));
      std::sort(selected.begin(), selected.end());
      EXPECT_EQ(selected, expected);  // none lost
    }
    heap_sort(std::span(items));
    EXPECT_EQ(items, expected);
    heap_sort(std::span(items), [](std::uint32_t a, std::uint32_t b) { return a > b; });
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(items, expected);
  }
}

}  // namespace
}  // namespace ppgnn
