#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cstddef>

namespace ppgnn::test {

/// The result of `work` with exactly so many threads at its disposal, whatever the machine has.
template <class Work>
auto with_threads(std::size_t threads, const Work& work) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  return arena.execute(work);
}

}  // namespace ppgnn::test
