#pragma once

#include <cstddef>
#include <span>
#include <utility>

/// Sorting where code must be small: a device's module has a tenth of what std::sort and its relatives bring for each type.
namespace ppgnn {

namespace heap {

// Sorted by insertion, which is faster for few, and more code.
#if defined(__wasi__)
inline constexpr std::size_t kFew = 1;
#else
inline constexpr std::size_t kFew = 16;
#endif

// Lets the item at `at` sink until no item below it comes later by `before`.
template <class Item, class Before>
void sink(std::span<Item> items, std::size_t at, const Before& before) noexcept {
  for (;;) {
    std::size_t last = 2 * at + 1;
    if (last >= items.size()) return;
    if (last + 1 < items.size() && before(items[last], items[last + 1])) ++last;
    if (!before(items[at], items[last])) return;
    std::swap(items[at], items[last]);
    at = last;
  }
}

template <class Item, class Before>
void make(std::span<Item> items, const Before& before) noexcept {
  for (std::size_t at = items.size() / 2; at-- > 0;) sink(items, at, before);
}

}  // namespace heap

/// Sorts by `before`; not stable.
///
/// Cost  O(n log n), no allocation, no recursion.
template <class Item, class Before>
void heap_sort(std::span<Item> items, const Before& before) noexcept {
  if (items.size() <= heap::kFew) {
    for (std::size_t end = 1; end < items.size(); ++end) {
      for (std::size_t at = end; at > 0 && before(items[at], items[at - 1]); --at) std::swap(items[at], items[at - 1]);
    }
    return;
  }
  heap::make(items, before);
  for (std::size_t end = items.size(); end-- > 1;) {
    std::swap(items[0], items[end]);
    heap::sink(items.first(end), 0, before);
  }
}

template <class Item>
void heap_sort(std::span<Item> items) noexcept {
  heap_sort(items, [](const Item& a, const Item& b) { return a < b; });
}

/// Brings the `count` first by `before` to the front, in no order.
template <class Item, class Before>
void heap_select(std::span<Item> items, std::size_t count, const Before& before) noexcept {
  const std::span<Item> kept = items.first(count);
  if (kept.empty()) return;
  heap::make(kept, before);
  for (Item& item : items.subspan(count)) {
    if (!before(item, kept[0])) continue;
    std::swap(item, kept[0]);
    heap::sink(kept, 0, before);
  }
}

}  // namespace ppgnn
