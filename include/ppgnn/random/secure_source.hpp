#pragma once

#include <cstddef>
#include <cstdint>

namespace ppgnn::random {

/// Randomness for a person's device: ChaCha20 keyed from the operating system. There is no seed.
///
/// Privacy  Every refill replaces the key by its own output, so what was drawn cannot be recomputed from the state;
///          fresh OS entropy is mixed in every 1,024 refills; a word is wiped when it is handed out, and so is what a
///          refill left on the stack. The state lives in a page that the kernel zeroes in a forked child and leaves out
///          of core dumps: a child reseeds before its first word.
/// Errors   If the OS gives no entropy or no such page, the process is aborted: no report is better than one that can be
///          guessed.
/// Threads  One source per thread.
class SecureSource {
 public:
  SecureSource() noexcept;
  ~SecureSource();
  SecureSource(const SecureSource&) = delete;
  SecureSource& operator=(const SecureSource&) = delete;
  SecureSource(SecureSource&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }
  SecureSource& operator=(SecureSource&&) = delete;

  std::uint64_t next() noexcept {
    if (state_->remaining == 0) refill();
    std::uint64_t& slot = state_->words[--state_->remaining];
    const std::uint64_t word = slot;
    slot = 0;
    return word;
  }

  /// Wipes key and words: nothing of them stays in memory, and the next word is of a new key of the operating system's.
  void forget() noexcept;

 private:
  static constexpr std::size_t kGroups = 4;  // of four blocks
  static constexpr std::size_t kKeyWords = 4;

  // All zero means "not seeded, nothing left": the state a forked child finds.
  struct State {
    std::uint64_t key[kKeyWords];
    std::uint64_t words[32 * kGroups - kKeyWords];
    std::size_t remaining;
    std::uint64_t refills;
  };

  void refill() noexcept;
  [[gnu::noinline]] static void replace(State& state) noexcept;

  State* state_;
};

}  // namespace ppgnn::random
