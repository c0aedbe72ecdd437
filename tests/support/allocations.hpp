#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace ppgnn::test {

/// How often the program allocates with any form of operator new while `body` runs. Link support/allocations.cpp, which
/// replaces them.
std::size_t count_allocations(const std::function<void()>& body);

/// How many blocks that hold `pattern` are given back to the heap while `body` runs: whatever is freed can be read by others.
std::size_t count_freed_with(std::span<const std::uint8_t> pattern, const std::function<void()>& body);

/// What came of a body during which one allocation failed.
enum class Survived {
  without,  ///< the body made fewer allocations: it ran as ever
  thrown,   ///< std::bad_alloc arrived at the caller
  handled,  ///< the body returned although the allocation failed
};

/// Runs `body` with the `number`-th allocation of the program, from 0, throwing std::bad_alloc. Whatever else `body`
/// throws goes on to the caller.
Survived survive(std::size_t number, const std::function<void()>& body);

}  // namespace ppgnn::test
