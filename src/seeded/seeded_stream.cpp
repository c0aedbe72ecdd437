#include "ppgnn/seeded/seeded_stream.hpp"

#include "ppgnn/random/chacha20.hpp"

namespace ppgnn::seeded {

void SeededStream::refill() noexcept {
  const auto low = [](std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word); };
  const auto high = [](std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word >> 32); };
  const std::uint64_t counter = refills_ * 4;
  // The high half of the counter goes into the nonce: blocks of one refill never carry over, 4 divides 2^32.
  const random::ChaChaInput input{low(seed_),
                                  high(seed_),
                                  low(purpose_),
                                  high(purpose_),
                                  low(entity_),
                                  high(entity_),
                                  0x67707067u,
                                  0x736e6e67u,
                                  low(counter),
                                  high(counter),
                                  0,
                                  0};
  std::array<std::uint32_t, 64> stream;
  random::chacha20_four_blocks(input, stream);
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = stream[2 * i] | std::uint64_t{stream[2 * i + 1]} << 32;
  ++refills_;
  used_ = 0;
}

}  // namespace ppgnn::seeded
