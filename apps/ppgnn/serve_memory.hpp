#pragma once

#include "ppgnn/collector/api.hpp"
#include "ppgnn/core/result.hpp"

namespace ppgnn::app {

/// Address space that the collector needs to begin with, in bytes: its libraries, a stack and a heap per thread, and room for some batches.
inline constexpr unsigned long long kLeastAddressSpace = 256ULL << 20;

/// Refuses a process whose limit of address space (ulimit -v) is below that: it would begin, and end under load.
[[nodiscard]] Result<void> has_address_space();

/// From now on an exception that nobody can catch, such as an allocation that fails in a destructor of a library, ends the process
/// with the status of out of memory, after the group of reports that is being written is on the disk. Nullptr: there is none.
void end_without_memory(const collector::Api* api) noexcept;

}  // namespace ppgnn::app
