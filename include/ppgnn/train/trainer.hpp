#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/core/views.hpp"
#include "ppgnn/kernels/adam.hpp"
#include "ppgnn/kernels/linear_operator.hpp"
#include "ppgnn/kernels/loss.hpp"
#include "ppgnn/kernels/matrix.hpp"
#include "ppgnn/kernels/threads.hpp"
#include "ppgnn/nn/network.hpp"
#include "ppgnn/train/history.hpp"

namespace ppgnn::train {

/// What is learned from; all of it borrowed, and shared by runs side by side.
struct Task {
  const kernels::LinearOperator* input = nullptr;  ///< one row per node
  CsrView graph;                                   ///< undirected, without stored self-loops
  std::span<const std::int32_t> labels;            ///< one per node; nodes of the split have one in 0 .. classes-1
  std::size_t classes = 0;
  std::span<const std::uint32_t> train, validation, test;  ///< nodes; each list ascends, no node is in two
};

inline constexpr std::size_t kMaxEpochs = 1000000;

struct TrainOptions {
  // What is computed: part of a checkpoint's identity.
  nn::NetworkOptions network;
  kernels::AdamOptions adam;
  double dropout = 0.5;    ///< in [0, 1)
  std::uint64_t seed = 0;  ///< of initialisation and dropout
  /// An epoch is kept only where validation loss, validation accuracy and training accuracy are all better than at the
  /// one that was kept before, as code of some papers does it; else the validation loss decides alone.
  bool keep_by_three = false;
  // When it ends: a checkpoint may be continued with others.
  std::size_t epochs = 500;             ///< at most; 1 to kMaxEpochs
  std::optional<std::size_t> patience;  ///< stop after this many epochs without a better validation loss
  // How fast: never changes a result.
  std::size_t threads = 1;  ///< 0: one per core
};

enum class End {
  finished,  ///< all epochs
  patience,  ///< no better validation loss for long enough
  stopped,   ///< the stop flag was raised
  failed,    ///< a loss was not finite
};

struct Outcome {
  End end = End::finished;
  std::size_t epochs = 0;                 ///< epochs done
  std::optional<std::size_t> best_epoch;  ///< the epoch whose parameters are kept; none before the first evaluation
  kernels::Loss train, validation, test;  ///< of the kept parameters, without dropout
  std::string cause;                      ///< of a failure: which loss in which epoch
};

class Trainer;

struct Hooks {
  std::function<void(const EpochRecord&)> progress;  ///< after every epoch; may be empty
  const std::atomic<bool>* stop = nullptr;           ///< looked at after every epoch; a signal handler may raise it
  /// Keeps the state, say what encode_checkpoint gives; its error ends the run. Empty: nothing is kept.
  std::function<Result<void>(const Trainer&)> checkpoint;
  std::size_t checkpoint_every = 0;  ///< epochs; 0: only when the run ends, however it ends but by a failure
};

/// One training run: full-batch Adam on the cross-entropy of the training nodes; the epoch of least validation loss
/// gives the model.
///
/// Determinism  Same bits for any thread count on one instruction set; a run that was interrupted and resumed gives the
///              bits of one that was not.
/// Cost         One product and one transposed product with the input an epoch. No allocation inside an epoch.
/// Threads      One run per object; runs share their task.
class Trainer {
 public:
  /// Errors  mismatch or invalid_argument, naming what does not fit.
  [[nodiscard]] static Result<Trainer> make(const Task& task, const TrainOptions& options);

  /// Trains until an end is reached. May be called again after End::stopped.
  ///
  /// Errors  those of the checkpoint hook; training itself cannot fail, see End::failed.
  [[nodiscard]] Result<Outcome> run(const Hooks& hooks = {});

  /// One epoch. False, with cause() set, when a loss was not finite: the parameters are then of no use, the
  /// kept ones are.
  bool step();

  /// Losses of the kept parameters; they are loaded into network().
  [[nodiscard]] Outcome evaluate_best();

  [[nodiscard]] std::size_t epoch() const noexcept { return history_.size(); }
  [[nodiscard]] std::span<const EpochRecord> history() const noexcept { return history_; }
  [[nodiscard]] const std::string& cause() const noexcept { return cause_; }
  [[nodiscard]] nn::Network& network() noexcept { return network_; }
  [[nodiscard]] std::span<const float> best_parameters() const noexcept { return best_.values(); }

  /// Everything the next epoch depends on, as docs/formats/sealed.md says.
  [[nodiscard]] std::string encode_checkpoint() const;
  /// Continues where `bytes` left off, of this version or an earlier one.
  ///
  /// Errors  malformed for other or damaged bytes; mismatch when they are of another task, other options, or another
  ///         instruction set (whose bits differ).
  [[nodiscard]] Result<void> decode_checkpoint(std::string_view bytes);

 private:
  Trainer(const Task& task, const TrainOptions& options, nn::Network network);
  [[nodiscard]] std::string identity(std::uint32_t version) const;
  [[nodiscard]] bool better_in_accuracy(const EpochRecord& record) const noexcept;
  [[nodiscard]] bool out_of_patience() const noexcept;
  kernels::Loss evaluate(ConstMatrixView logits, std::span<const std::uint32_t> rows);

  Task task_;
  TrainOptions options_;
  kernels::Threads threads_;
  nn::Network network_;
  std::vector<std::uint32_t> labels_;
  std::vector<kernels::LossPart> loss_parts_;
  kernels::Matrix first_moment_;
  kernels::Matrix second_moment_;
  kernels::Matrix best_;
  std::optional<std::size_t> best_epoch_;
  double best_loss_ = 0;
  std::vector<EpochRecord> history_;
  std::string cause_;
};

}  // namespace ppgnn::train
