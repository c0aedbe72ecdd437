#pragma once

#include <atomic>
#include <cstdint>

/// What a system does to a process under test, told through a file that both have mapped. tests/support/faulty_system.cpp is loaded
/// before the process's libraries (LD_PRELOAD) and obeys.
namespace ppgnn::test {

struct Faults {
  std::atomic<int> write_error;          ///< errno of whatever would change a file; 0: none
  std::atomic<int> sync_error;           ///< errno of flushing one
  std::atomic<std::int64_t> clock_jump;  ///< seconds added to the time of day
  std::atomic<std::uint64_t> failed;     ///< calls that were made to fail
  std::atomic<std::uint64_t> told;       ///< times that somebody asked for the time of day
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

inline constexpr const char* kFaultsVariable = "PPGNN_TEST_FAULTS";

}  // namespace ppgnn::test
