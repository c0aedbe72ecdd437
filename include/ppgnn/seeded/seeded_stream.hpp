#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ppgnn::seeded {

/// What a stream is for. Streams of different purposes never meet; add the next purpose at the end, so that the bits of
/// the others stay what they are.
enum class Purpose : std::uint64_t {
  test = 0,
  perturb = 1,
  level = 2,
  split = 3,
  generate = 4,
  initialise = 5,
  dropout = 6,
  probe = 7,
  attack = 9,
  fold = 10,
  imagine = 11,
  respond = 12,
  lie = 13,
  shuffle = 14,
};

/// Reproducible random bits for simulation, training and tests; never for a device.
///
/// Determinism  Bits depend on (seed, purpose, entity) and the position only: not on threads, order, or other streams.
///              Any seed is valid, 0 too. ChaCha20 with those three numbers as key, so neighbouring entities are as
///              independent as neighbouring keys.
/// Threads      A stream is used by one thread; make one per entity, it is cheap.
class SeededStream {
 public:
  SeededStream(std::uint64_t seed, Purpose purpose, std::uint64_t entity) noexcept
      : seed_(seed), purpose_(static_cast<std::uint64_t>(purpose)), entity_(entity) {}

  std::uint64_t next() noexcept {
    if (used_ == words_.size()) refill();
    return words_[used_++];
  }

 private:
  void refill() noexcept;

  std::uint64_t seed_;
  std::uint64_t purpose_;
  std::uint64_t entity_;
  std::uint64_t refills_ = 0;
  std::size_t used_ = 32;
  std::array<std::uint64_t, 32> words_;
};

}  // namespace ppgnn::seeded
