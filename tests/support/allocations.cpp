#include "support/allocations.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<bool> counting{false};
std::atomic<std::size_t> allocations{0};
std::atomic<std::size_t> fails{SIZE_MAX};  // number of the allocation that does

void* counted(std::size_t size, std::size_t alignment) {
  if (counting && allocations++ == fails) throw std::bad_alloc();
  void* memory = alignment <= alignof(std::max_align_t)
                     ? std::malloc(size == 0 ? 1 : size)
                     : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

std::span<const std::uint8_t> wanted;  // what freed blocks are searched for; empty: nothing
std::size_t freed_with = 0;

void give_back(void* memory) noexcept {
  if (!wanted.empty() && memory != nullptr &&
      memmem(memory, malloc_usable_size(memory), wanted.data(), wanted.size()) != nullptr) {
    ++freed_with;
  }
  std::free(memory);
}

}  // namespace

// operator new[] and the others call these.
void* operator new(std::size_t size) {
  return counted(size, 0);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
// Of std::stable_sort, which does with less.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return counted(size, 0);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept {
  give_back(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  give_back(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  give_back(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  give_back(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  give_back(memory);
}

namespace ppgnn::test {

std::size_t count_allocations(const std::function<void()>& body) {
  allocations = 0;
  counting = true;
  body();
  counting = false;
  return allocations;
}

std::size_t count_freed_with(std::span<const std::uint8_t> pattern, const std::function<void()>& body) {
  freed_with = 0;
  wanted = pattern;
  body();
  wanted = {};
  return freed_with;
}

Survived survive(std::size_t number, const std::function<void()>& body) {
  struct Armed {
    explicit Armed(std::size_t at) {
      allocations = 0;
      fails = at;
      counting = true;
    }
    ~Armed() { disarm(); }
    static void disarm() {
      counting = false;
      fails = SIZE_MAX;
    }
  } armed(number);
  try {
    body();
  } catch (const std::bad_alloc&) {
    Armed::disarm();
    return Survived::thrown;
  }
  Armed::disarm();
  return allocations > number ? Survived::handled : Survived::without;
}

}  // namespace ppgnn::test
