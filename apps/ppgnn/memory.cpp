// The command's own operator new, as the library's, but it keeps the size of a request that failed: std::bad_alloc does
// not tell, and somebody who runs out of memory wants to know by how much.
#include "memory.hpp"

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> refused{0};

void* allocate(std::size_t size, std::size_t alignment) {
  void* memory = nullptr;
  if (alignment <= alignof(std::max_align_t)) {
    memory = std::malloc(size == 0 ? 1 : size);
  } else if (size <= SIZE_MAX - alignment) {
    memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  }
  if (memory != nullptr) return memory;
  refused = size;
  throw std::bad_alloc();
}

}  // namespace

// operator new[] and the others call these.
void* operator new(std::size_t size) {
  return allocate(size, 0);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
// Of std::stable_sort, which does with less.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return allocate(size, 0);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace ppgnn::app {

const char* refused_memory() noexcept {
  static char text[32] = "any more";
  const auto size = static_cast<double>(refused.load());
  if (size >= 1e9) {
    std::snprintf(text, sizeof text, "%.1f GB", size / 1e9);
  } else if (size >= 1e6) {
    std::snprintf(text, sizeof text, "%.1f MB", size / 1e6);
  }
  return text;
}

}  // namespace ppgnn::app
