// Memory of the WebAssembly module: an allocator of 60 lines in the place of libc's 9 KB, and one that wipes. What is freed is
// zeroed, so features and reports do not stay behind in a page's memory.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

// Blocks of 16, 32, 64 ... bytes, the first 8 of which hold the block's size class; free ones of a class are a list.
constexpr std::size_t kHeader = 8;
constexpr std::size_t kPage = 65536;
struct Free {
  Free* next;
};
Free* lists[32];
extern "C" unsigned char __heap_base;
std::uintptr_t unused = 0;

void* allocate(std::size_t size) noexcept {
  if (size > (std::size_t{1} << 30)) return nullptr;
  const auto width = static_cast<unsigned>(std::bit_width((size + kHeader - 1) | 15));
  if (Free* found = lists[width]) {
    lists[width] = found->next;
    found->next = nullptr;
    return found;
  }
  if (unused == 0) unused = (reinterpret_cast<std::uintptr_t>(&__heap_base) + 15) & ~std::uintptr_t{15};
  const std::uintptr_t end = unused + (std::uintptr_t{1} << width);
  if (end < unused) return nullptr;  // beyond 4 GiB
  const std::size_t pages = __builtin_wasm_memory_size(0);
  if (end > pages * kPage && __builtin_wasm_memory_grow(0, (end - pages * kPage + kPage - 1) / kPage) == SIZE_MAX) {
    return nullptr;
  }
  auto* block = reinterpret_cast<std::uint64_t*>(unused);
  unused = end;
  *block = width;
  return block + 1;
}

}  // namespace

extern "C" {

// One instruction each, where libc brings a kilobyte of code.
void* memcpy(void* __restrict target, const void* __restrict source, std::size_t size) {
  return __builtin_memcpy(target, source, size);
}
void* memmove(void* target, const void* source, std::size_t size) {
  return __builtin_memmove(target, source, size);
}
void* memset(void* target, int byte, std::size_t size) {
  return __builtin_memset(target, byte, size);
}

// Loops, where libc's look at four bytes at a time.
std::size_t strlen(const char* text) {
  const char* end = text;
  while (*end != 0) ++end;
  return static_cast<std::size_t>(end - text);
}
void* memchr(const void* memory, int wanted, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(memory);
  for (std::size_t i = 0; i < size; ++i) {
    if (bytes[i] == static_cast<unsigned char>(wanted)) return const_cast<unsigned char*>(bytes + i);
  }
  return nullptr;
}

// Good to 2 units of the last place, as the words and checks that use it ask for; libc's has 2 KB of tables.
double exp(double x) {
  return x < 0 ? 1 / (1 + __builtin_expm1(-x)) : 1 + __builtin_expm1(x);
}

void* malloc(std::size_t size) {
  return allocate(size);
}
void* calloc(std::size_t count, std::size_t size) {  // memory is zero when it is new and when it was freed
  std::size_t product = 0;
  return __builtin_mul_overflow(count, size, &product) ? nullptr : allocate(product);
}
void free(void* memory) {
  if (memory == nullptr) return;
  const auto width = static_cast<unsigned>(static_cast<std::uint64_t*>(memory)[-1]);
  // Volatile: the compiler would leave out writes to memory that nobody reads again.
  volatile auto* words = static_cast<volatile std::uint64_t*>(memory);
  for (std::size_t i = 0; i < ((std::size_t{1} << width) - kHeader) / 8; ++i) words[i] = 0;
  auto* block = static_cast<Free*>(memory);
  block->next = lists[width];
  lists[width] = block;
}
}

// All that the standard library calls; those left out here would bring its own, and libc's allocator with them.
void* operator new(std::size_t size) {
  void* memory = allocate(size);
  if (memory == nullptr) std::abort();
  return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void operator delete(void* memory) noexcept {
  free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  free(memory);
}
