#pragma once

#include <span>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/train/trainer.hpp"

namespace ppgnn::train {

/// One run of a sweep. Runs may share their task: it is not changed.
struct SweepRun {
  Task task;
  TrainOptions options;  ///< `threads` is not used: a run has one
};

/// All runs, one per core at a time, results in the order of the runs.
///
/// Determinism  A run gives the bits it gives alone.
/// Cost         Memory of as many runs as there are threads.
[[nodiscard]] std::vector<Result<Outcome>> run_sweep(std::span<const SweepRun> runs, const kernels::Threads& threads);

}  // namespace ppgnn::train
