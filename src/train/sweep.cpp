#include "ppgnn/train/sweep.hpp"

namespace ppgnn::train {

std::vector<Result<Outcome>> run_sweep(std::span<const SweepRun> runs, const kernels::Threads& threads) {
  std::vector<Result<Outcome>> outcomes(runs.size(), Result<Outcome>(Outcome{}));
  threads.for_each(runs.size(), [&](std::size_t i) {
    TrainOptions options = runs[i].options;
    options.threads = 1;
    auto trainer = Trainer::make(runs[i].task, options);
    outcomes[i] = trainer ? trainer->run() : Result<Outcome>(trainer.error());
  });
  return outcomes;
}

}  // namespace ppgnn::train
