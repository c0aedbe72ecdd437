#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <vector>

#include "ppgnn/kernels/dense.hpp"
#include "ppgnn/kernels/matrix.hpp"
#include "ppgnn/kernels/threads.hpp"

/// What this machine can do, measured in the run that is judged by it.
namespace ppgnn::bench {

inline double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// CPU time of all threads of the process.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Largest resident memory so far, in bytes.
inline std::size_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

/// The least time of `repeats` runs, by the given clock.
template <class Clock, class Body>
double least_seconds(std::size_t repeats, const Clock& clock, const Body& body) {
  double least = 1e300;
  for (std::size_t i = 0; i < repeats; ++i) {
    const double start = clock();
    body();
    least = std::min(least, clock() - start);
  }
  return least;
}

/// Bytes one thread reads per second of its CPU time from memory far larger than the caches, in order: the sum of 256
/// MB of words. CPU time, as for what is judged by it: waiting for memory counts, waiting for a core does not.
inline double read_bandwidth() {
  const kernels::Matrix memory(std::size_t{64} << 20, 1);
  const auto* words = memory.view().data;
  volatile float sink = 0;
  const double seconds = least_seconds(5, cpu_seconds, [&] {
    // Independent sums: the adders must not be what limits it.
    constexpr std::size_t kLanes = 64;
    float sums[kLanes] = {};
    for (std::size_t i = 0; i + kLanes <= memory.size(); i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += words[i + lane];
    }
    for (const float sum : sums) sink = sink + sum;
  });
  return static_cast<double>(memory.size() * sizeof(float)) / seconds;
}

/// Multiply-adds of floats one thread does per second of its CPU time with the widest vectors, registers only.
double peak_multiply_adds();

}  // namespace ppgnn::bench
