#pragma once

#include <cstddef>
#include <functional>

namespace ppgnn::test {

/// How often the program allocates with any form of operator new while `body` runs. Link support/allocations.cpp, which
/// replaces them.
std::size_t count_allocations(const std::function<void()>& body);

}  // namespace ppgnn::test
