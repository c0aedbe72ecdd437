#pragma once

#include <cstdint>
#include <ctime>

namespace ppgnn::store {

/// Seconds since 1970, by this machine's clock: for people who read a trail, and for how long a worker may be silent. Nothing else depends on it.
[[nodiscard]] inline std::int64_t seconds_now() noexcept {
  return std::time(nullptr);
}

}  // namespace ppgnn::store
