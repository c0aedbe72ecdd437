#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ppgnn/random/samplers.hpp"

namespace ppgnn::test {

/// Plays back chosen words: the way tests put a sampler into any cell of its probability space. Running out is a
/// failure the test must look at (`exhausted`), never a repeat.
class ScriptedBits {
 public:
  explicit ScriptedBits(std::vector<std::uint64_t> words) : words_(std::move(words)) {}

  std::uint64_t next() noexcept {
    if (used_ == words_.size()) {
      exhausted_ = true;
      return ~std::uint64_t{0};  // accepted by every rejection step
    }
    return words_[used_++];
  }

  [[nodiscard]] bool exhausted() const noexcept { return exhausted_; }
  [[nodiscard]] std::size_t used() const noexcept { return used_; }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t used_ = 0;
  bool exhausted_ = false;
};

/// A word that makes `below(bound)` return `value` at once.
inline std::uint64_t word_for(std::uint64_t value, std::uint64_t bound) {
  // The last word of the value's stretch: the largest w with (w * bound) >> 64 == value.
  const random::UInt128 end = (random::UInt128{value} + 1) << 64;
  return static_cast<std::uint64_t>((end - 1) / bound);
}

/// The two words that make `sign` draw `draw`, a number of 93 bits.
inline std::pair<std::uint64_t, std::uint64_t> words_for_sign(random::UInt128 draw) {
  return {static_cast<std::uint64_t>(draw >> 64) << 35, static_cast<std::uint64_t>(draw)};
}

}  // namespace ppgnn::test
