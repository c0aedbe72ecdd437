#include "ppgnn/server/training.hpp"

#include <time.h>

#include <algorithm>
#include <utility>

#include "ppgnn/core/number.hpp"
#include "ppgnn/io/files.hpp"
#include "server/checkpoint.hpp"

namespace ppgnn::server {

namespace {

using calibrate::Collected;

Result<void> check_split(const graph::Split& split, const Problem& problem) {
  if (split.train.empty()) return Error{ErrorCode::invalid_argument, "split: the training part is empty"};
  if (split.validation.empty()) return Error{ErrorCode::invalid_argument, "split: the validation part is empty"};
  const auto class_of = [&](std::uint32_t node) { return problem.labels()[problem.order().to_new(node)]; };
  if (std::all_of(split.train.begin(), split.train.end(),
                  [&](std::uint32_t node) { return class_of(node) == class_of(split.train.front()); })) {
    return Error{ErrorCode::invalid_argument, "split: the training part has one class only"};
  }
  return {};
}

// The state of all scales in one file, and nothing at all where none is kept.
class Keeper {
 public:
  Keeper(const CheckpointOptions& keep) : keep_(keep) {}

  // Reads the file where the run goes on from it, and writes it at once, so that a file that cannot be written is known
  // before the work.
  Result<void> begin(const Problem& problem, const Collected& collected, const PipelineOptions& options) {
    if (keep_.file.empty()) return {};
    checkpoint_ = begin_checkpoint(problem, collected, options);
    if (keep_.resume && std::filesystem::exists(keep_.file)) {
      if (Result<void> read = continue_checkpoint(checkpoint_, keep_.file); !read) return read;
    }
    return write_checkpoint(checkpoint_, keep_.file);
  }

  // Takes the trainer of this scale to where it was, and has it keep its state from now on.
  Result<void> attach(train::Trainer& trainer, std::size_t scale, std::size_t epochs, train::Hooks& hooks) {
    if (keep_.file.empty()) return {};
    checkpoint_.trainers.resize(std::max(checkpoint_.trainers.size(), scale + 1));
    hooks.checkpoint_every = keep_.every;
    hooks.checkpoint = [this, scale](const train::Trainer& running) {
      checkpoint_.trainers[scale] = running.encode_checkpoint();
      return write_checkpoint(checkpoint_, keep_.file);
    };
    if (checkpoint_.trainers[scale].empty()) return {};
    Result<void> read = trainer.decode_checkpoint(checkpoint_.trainers[scale]);
    if (read && trainer.epoch() > epochs) {
      read = Error{ErrorCode::mismatch, "checkpoint has " + std::to_string(trainer.epoch()) +
                                            " epochs, more than the " + std::to_string(epochs) + " asked for"};
    }
    return read ? read : io::in_file(keep_.file.string(), read.error());
  }

 private:
  const CheckpointOptions& keep_;
  ScaleCheckpoint checkpoint_;
};

// What is kept of a trainer that did its run.
Trained harvest(train::Trainer& trainer, const train::Outcome& outcome, const calibrate::CalibratedInput& input,
                std::optional<double> scale, const Problem& problem, const kernels::Threads& threads) {
  Trained trained;
  trained.outcome = outcome;
  trained.parameters.assign(trainer.best_parameters().begin(), trainer.best_parameters().end());
  trained.scale = scale;
  trained.factor = input.scale();
  trained.history.assign(trainer.history().begin(), trainer.history().end());
  trained.order = input.cost().explain();
  if (!outcome.best_epoch) return trained;
  // A stopped trainer holds the running parameters; the other ends leave the kept ones.
  if (outcome.end == train::End::stopped) static_cast<void>(trainer.evaluate_best());
  trained.predictions = in_original_order(problem, train::predict(trainer.network(), threads));
  return trained;
}

bool better(const train::Outcome& outcome, const std::optional<Trained>& than) {
  if (!than) return true;
  if (!outcome.best_epoch) return false;
  return !than->outcome.best_epoch || outcome.validation.mean < than->outcome.validation.mean;
}

}  // namespace

double cpu_seconds(std::size_t threads) noexcept {
  timespec now{};
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Result<std::vector<double>> scales_named(const std::string& text) {
  if (text == "raw") return std::vector<double>{};
  if (text == "common") return PipelineOptions().scales;
  const std::optional<double> number = parse_number(text);
  if (number && *number > 0 && *number <= kMaxScale) return std::vector<double>{*number};
  return Error{ErrorCode::invalid_argument, "scale: must be raw, common, or a number above 0 and at most " +
                                                format_number(kMaxScale) + ", but is " + text};
}

Result<calibrate::CalibratedInput> calibrated(const Problem& problem, const Collected& collected, std::size_t hops,
                                              const calibrate::CalibrationOptions& options,
                                              const kernels::Threads& threads, double factor) {
  Result<calibrate::Propagation> propagation = calibrate::Propagation::make(
      problem.graph(), {.kind = collected.kind, .hops = hops, .self = {}}, collected.weights);
  if (!propagation) return propagation.error();
  if (factor != 1) propagation->scale_by(factor);
  return calibrate::CalibratedInput::make(collected.estimates, std::move(propagation).value(), options, threads);
}

train::Predictions in_original_order(const Problem& problem, const train::Predictions& placed) {
  const std::size_t people = placed.classes.size();
  const std::size_t classes = people == 0 ? 0 : placed.probabilities.size() / people;
  train::Predictions out{std::vector<std::uint32_t>(people), std::vector<float>(placed.probabilities.size())};
  for (std::uint32_t place = 0; place < people; ++place) {
    const std::size_t node = problem.order().to_original(place);
    out.classes[node] = placed.classes[place];
    std::copy_n(placed.probabilities.begin() + static_cast<std::ptrdiff_t>(place * classes), classes,
                out.probabilities.begin() + static_cast<std::ptrdiff_t>(node * classes));
  }
  return out;
}

Result<Trained> calibrate_and_train(const Problem& problem, const Collected& collected, const graph::Split& split,
                                    const PipelineOptions& options, const train::Hooks& hooks,
                                    const CheckpointOptions& keep) {
  if (Result<void> valid = check_split(split, problem); !valid) return valid.error();
  const graph::Split placed = problem.order().renumber(split);
  const kernels::Threads threads(options.training.threads);
  std::vector<std::optional<double>> scales(options.scales.begin(), options.scales.end());
  if (scales.empty()) scales.emplace_back();
  Keeper keeper(keep);
  if (Result<void> begun = keeper.begin(problem, collected, options); !begun) return begun.error();

  const double start = cpu_seconds(options.training.threads);
  std::optional<Trained> best;
  std::size_t epochs = 0;
  bool stopped = false;
  for (std::size_t i = 0; i < scales.size() && !stopped; ++i) {
    const calibrate::CalibrationOptions calibration{.order = {},
                                                    .root_mean_square = scales[i],
                                                    .seed = options.training.seed,
                                                    .width = nn::first_layer_columns(options.training.network)};
    const auto input = calibrated(problem, collected, options.hops, calibration, threads);
    if (!input) return input.error();
    auto trainer = train::Trainer::make({.input = &*input,
                                         .graph = problem.graph().view(),
                                         .labels = problem.labels(),
                                         .classes = problem.classes(),
                                         .train = placed.train,
                                         .validation = placed.validation,
                                         .test = placed.test},
                                        options.training);
    if (!trainer) return trainer.error();
    train::Hooks kept_by = hooks;
    if (Result<void> attached = keeper.attach(*trainer, i, options.training.epochs, kept_by); !attached) {
      return attached.error();
    }
    const auto outcome = trainer->run(kept_by);
    if (!outcome) return outcome.error();
    epochs += outcome->epochs;
    stopped = outcome->end == train::End::stopped;
    if (better(*outcome, best)) best = harvest(*trainer, *outcome, *input, scales[i], problem, threads);
  }
  if (!best->outcome.best_epoch) return Error{ErrorCode::diverged, "training: " + best->outcome.cause};
  best->cpu_seconds = cpu_seconds(options.training.threads) - start;
  best->epochs = epochs;
  best->stopped = stopped;
  return std::move(*best);
}

}  // namespace ppgnn::server
