#include "ppgnn/random/secure_source.hpp"

#include <cstdlib>
#include <cstring>
#include <span>

#include "ppgnn/core/wipe.hpp"
#include "ppgnn/random/chacha20.hpp"

#if defined(__wasi__)
#include <unistd.h>
#else
#include <sys/mman.h>
#include <sys/random.h>

#include <cerrno>
#endif

namespace ppgnn::random {

namespace {

constexpr std::uint64_t kRefillsPerReseed = 1024;

#if defined(__wasi__)

void fill_from_system(std::span<std::uint64_t> words) noexcept {
  if (getentropy(words.data(), words.size_bytes()) != 0) std::abort();
}

// A WebAssembly instance cannot fork and has no core dump.
void* make_state(std::size_t size) noexcept {
  void* memory = std::calloc(1, size);
  if (memory == nullptr) std::abort();
  return memory;
}

void release_state(void* memory, std::size_t) noexcept {
  std::free(memory);
}

#else

void fill_from_system(std::span<std::uint64_t> words) noexcept {
  auto bytes = std::as_writable_bytes(words);
  while (!bytes.empty()) {
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) std::abort();
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

void* make_state(std::size_t size) noexcept {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || madvise(memory, size, MADV_WIPEONFORK) != 0 ||
      madvise(memory, size, MADV_DONTDUMP) != 0) {
    std::abort();
  }
  return memory;
}

void release_state(void* memory, std::size_t size) noexcept {
  munmap(memory, size);
}

#endif

}  // namespace

SecureSource::SecureSource() noexcept : state_(static_cast<State*>(make_state(sizeof(State)))) {}

SecureSource::~SecureSource() {
  if (state_ == nullptr) return;
  wipe(state_, sizeof(State));
  release_state(state_, sizeof(State));
}

void SecureSource::forget() noexcept {
  wipe(state_, sizeof(State));
}

void SecureSource::refill() noexcept {
  replace(*state_);
  scrub_stack<8192>();  // larger than any frame of `replace`
}

void SecureSource::replace(State& state) noexcept {
  if ((state.refills & (kRefillsPerReseed - 1)) == 0) {
    std::uint64_t fresh[kKeyWords];
    fill_from_system(fresh);
    for (std::size_t i = 0; i < kKeyWords; ++i) state.key[i] ^= fresh[i];
    wipe(fresh, sizeof(fresh));
  }
  ++state.refills;

  ChaChaInput input{};
  std::memcpy(input.data(), state.key, sizeof(state.key));
  std::uint32_t stream[64 * kGroups];
  for (std::size_t group = 0; group < kGroups; ++group, input[8] += 4) {
    chacha20_four_blocks(input, std::span<std::uint32_t, 64>(stream + 64 * group, 64));
  }
  // The first 32 bytes are the next key: the current one is gone.
  std::memcpy(state.key, stream, sizeof(state.key));
  std::memcpy(state.words, stream + 2 * kKeyWords, sizeof(state.words));
  state.remaining = std::size(state.words);
  wipe(stream, sizeof(stream));
  wipe(input.data(), sizeof(input));
}

}  // namespace ppgnn::random
