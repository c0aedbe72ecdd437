#pragma once

#include <cstdint>

#include "ppgnn/random/bit_source.hpp"

namespace ppgnn::random {

/// Any bit source behind one type, for code that cannot be a template. Borrows the source.
class AnyBits {
 public:
  template <BitSource Source>
  AnyBits(Source& source) noexcept
      : source_(&source), next_([](void* any) noexcept { return static_cast<Source*>(any)->next(); }) {}

  std::uint64_t next() noexcept { return next_(source_); }

 private:
  void* source_;
  std::uint64_t (*next_)(void*) noexcept;
};

}  // namespace ppgnn::random
