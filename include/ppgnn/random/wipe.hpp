#pragma once

#include <cstddef>
#include <cstring>

namespace ppgnn::random {

/// Zeroes memory that is about to go; a compiler may not drop it.
inline void wipe(void* memory, std::size_t size) noexcept {
  std::memset(memory, 0, size);
  __asm__ volatile("" : : "r"(memory) : "memory");
}

/// Overwrites the stack below its caller, where the calls before left their locals, the compiler's own copies among them.
template <std::size_t Size>
[[gnu::noinline]] void scrub_stack() noexcept {
  unsigned char room[Size];
  wipe(room, Size);
}

}  // namespace ppgnn::random
