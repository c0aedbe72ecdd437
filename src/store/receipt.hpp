#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "ppgnn/core/sha256.hpp"
#include "ppgnn/random/secure_source.hpp"

namespace ppgnn::store {

/// What somebody who was erased is given: 32 hexadecimal digits from chance.
[[nodiscard]] inline std::string new_receipt() {
  random::SecureSource source;
  const std::array<std::uint64_t, 2> words{source.next(), source.next()};
  return to_hex({reinterpret_cast<const std::uint8_t*>(words.data()), sizeof(words)});
}

}  // namespace ppgnn::store
