#pragma once

#include <concepts>
#include <cstdint>

namespace ppgnn::random {

/// Anything that yields 64 independent uniform bits a call. A concept, not a base class: device code has no RTTI,
/// and the choice between OS randomness and a seeded stream is a type, visible where it is made.
template <class Source>
concept BitSource = requires(Source& source) {
  { source.next() }
  noexcept->std::same_as<std::uint64_t>;
};

}  // namespace ppgnn::random
