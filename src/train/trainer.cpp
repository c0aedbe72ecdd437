#include "ppgnn/train/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ppgnn/core/number.hpp"
#include "ppgnn/core/sha256.hpp"
#include "ppgnn/io/sealed_bytes.hpp"
#include "ppgnn/kernels/instruction_set.hpp"
#include "ppgnn/nn/backbones.hpp"

namespace ppgnn::train {
namespace {

constexpr std::string_view kMagic = "PPGNNCKP";
constexpr std::uint32_t kVersion = 2;  // 1, of ppgnn 0.1.0, had the backbone in its identity only, as a number

Result<void> check_part(std::span<const std::uint32_t> rows, const Task& task, const char* name) {
  for (const std::uint32_t node : rows) {
    if (node >= task.labels.size()) {
      return Error{ErrorCode::mismatch, std::string(name) + " nodes reach " + std::to_string(node) + " in a graph of " +
                                            std::to_string(task.labels.size())};
    }
    if (task.labels[node] < 0 || static_cast<std::size_t>(task.labels[node]) >= task.classes) {
      return Error{ErrorCode::mismatch, std::string(name) + " node " + std::to_string(node) + " has no class below " +
                                            std::to_string(task.classes)};
    }
  }
  return {};
}

Result<void> check(const Task& task, const TrainOptions& options) {
  if (task.labels.size() != task.graph.rows()) {
    return Error{ErrorCode::mismatch,
                 std::to_string(task.labels.size()) + " labels for " + std::to_string(task.graph.rows()) + " nodes"};
  }
  if (task.train.empty() || task.validation.empty()) {
    return Error{ErrorCode::invalid_argument, "training and validation nodes must not be empty"};
  }
  if (auto checked = check_part(task.train, task, "training"); !checked) return checked;
  if (auto checked = check_part(task.validation, task, "validation"); !checked) return checked;
  if (auto checked = check_part(task.test, task, "test"); !checked) return checked;
  if (options.epochs > kMaxEpochs) {
    return Error{ErrorCode::invalid_argument, "epochs: must be at most " + std::to_string(kMaxEpochs) + ", but is " +
                                                  std::to_string(options.epochs)};
  }
  const auto range = [](const char* must, double value) {
    return Error{ErrorCode::invalid_argument, std::string(must) + ", but is " + format_number(value)};
  };
  if (!(options.dropout >= 0 && options.dropout < 1)) {
    return range("dropout: must be at least 0 and below 1", options.dropout);
  }
  if (!(options.adam.learning_rate >= 0) || !std::isfinite(options.adam.learning_rate)) {
    return range("learning rate: must be a number from 0", options.adam.learning_rate);
  }
  if (!(options.adam.weight_decay >= 0) || !std::isfinite(options.adam.weight_decay)) {
    return range("weight decay: must be a number from 0", options.adam.weight_decay);
  }
  return {};
}

// Whether these can be the numbers of a training that goes on. A moment may have overflown: its parameter stands still.
bool plausible(std::span<const float> parameters, std::span<const float> first, std::span<const float> second) {
  const auto finite = [](float value) { return std::isfinite(value); };
  return std::all_of(parameters.begin(), parameters.end(), finite) &&
         std::none_of(first.begin(), first.end(), [](float value) { return std::isnan(value); }) &&
         std::all_of(second.begin(), second.end(), [](float value) { return value >= 0; });
}

bool plausible(const EpochRecord& record) {
  const auto share = [](double value) { return value >= 0 && value <= 1; };
  return std::isfinite(record.train_loss) && std::isfinite(record.validation_loss) && share(record.train_accuracy) &&
         share(record.validation_accuracy);
}

}  // namespace

Result<Trainer> Trainer::make(const Task& task, const TrainOptions& options) {
  if (const auto checked = check(task, options); !checked) return checked.error();
  auto network = nn::Network::make(*task.input, task.graph, task.classes, options.network);
  if (!network) return network.error();
  return Trainer(task, options, *std::move(network));
}

Trainer::Trainer(const Task& task, const TrainOptions& options, nn::Network network)
    : task_(task),
      options_(options),
      threads_(options.threads),
      network_(std::move(network)),
      labels_(task.labels.size()),
      first_moment_(1, network_.parameters().size()),
      second_moment_(1, network_.parameters().size()),
      best_(1, network_.parameters().size()) {
  // Nodes without a class are in no part of the split: their number here is never read.
  std::transform(task.labels.begin(), task.labels.end(), labels_.begin(),
                 [](std::int32_t label) { return label < 0 ? 0U : static_cast<std::uint32_t>(label); });
  const std::size_t largest = std::max({task.train.size(), task.validation.size(), task.test.size()});
  loss_parts_.resize(kernels::loss_tasks(largest));
  history_.reserve(options.epochs);
  network_.initialise(options.seed);
  std::copy(network_.parameters().begin(), network_.parameters().end(), best_.values().begin());
  network_.update_first_layer(threads_);
}

kernels::Loss Trainer::evaluate(ConstMatrixView logits, std::span<const std::uint32_t> rows) {
  return kernels::softmax_cross_entropy(logits, network_.classes(), rows, labels_, loss_parts_, threads_);
}

bool Trainer::step() {
  const std::size_t number = epoch();
  const auto fail = [&](const char* loss) {
    cause_ = std::string(loss) + " loss is not finite in epoch " + std::to_string(number);
    return false;
  };
  EpochRecord record;
  record.epoch = number;

  const auto mask = kernels::DropoutMask::make(options_.dropout, options_.seed, number);
  const ConstMatrixView logits = network_.forward(mask, threads_, task_.train);
  const kernels::Loss train = kernels::softmax_cross_entropy_gradient(logits, network_.classes(), task_.train, labels_,
                                                                      loss_parts_, network_.logit_gradient(), threads_);
  if (!std::isfinite(train.mean)) return fail("training");
  network_.backward(mask, threads_);
  kernels::adam_step(options_.adam, number + 1, network_.gradient(), network_.parameters(), first_moment_.values(),
                     second_moment_.values(), threads_);

  // The first layer computed here for the evaluation is the one the next training pass starts from.
  network_.update_first_layer(threads_);
  const kernels::Loss validation =
      evaluate(network_.forward(kernels::DropoutMask::nothing(), threads_, task_.validation), task_.validation);
  if (!std::isfinite(validation.mean)) return fail("validation");

  record.train_loss = train.mean;
  record.train_accuracy = train.accuracy();
  record.validation_loss = validation.mean;
  record.validation_accuracy = validation.accuracy();
  history_.push_back(record);
  if (!best_epoch_ || (validation.mean < best_loss_ && (!options_.keep_by_three || better_in_accuracy(record)))) {
    best_epoch_ = number;
    best_loss_ = validation.mean;
    std::copy(network_.parameters().begin(), network_.parameters().end(), best_.values().begin());
  }
  return true;
}

bool Trainer::better_in_accuracy(const EpochRecord& record) const noexcept {
  const EpochRecord& kept = history_[*best_epoch_];
  return record.validation_accuracy > kept.validation_accuracy && record.train_accuracy > kept.train_accuracy;
}

bool Trainer::out_of_patience() const noexcept {
  return options_.patience && best_epoch_ && epoch() > *best_epoch_ + *options_.patience;
}

Result<Outcome> Trainer::run(const Hooks& hooks) {
  End end = End::finished;
  while (epoch() < options_.epochs) {
    if (out_of_patience()) {
      end = End::patience;
      break;
    }
    if (!step()) {
      end = End::failed;
      break;
    }
    if (hooks.progress) hooks.progress(history_.back());
    if (hooks.stop != nullptr && hooks.stop->load()) {
      end = End::stopped;
      break;
    }
    const bool due = hooks.checkpoint_every > 0 && epoch() % hooks.checkpoint_every == 0;
    if (due && hooks.checkpoint) {
      if (const auto kept = hooks.checkpoint(*this); !kept) return kept.error();
    }
  }
  // After a failure the running parameters are of no use: the last checkpoint, if any, stays as it is.
  if (hooks.checkpoint && end != End::failed) {
    if (const auto kept = hooks.checkpoint(*this); !kept) return kept.error();
  }
  std::vector<float> running;
  if (end == End::stopped) running.assign(network_.parameters().begin(), network_.parameters().end());
  Outcome outcome = evaluate_best();
  outcome.end = end;
  outcome.cause = cause_;
  if (end == End::stopped) {
    // A stopped run may go on: put the running parameters back.
    std::copy(running.begin(), running.end(), network_.parameters().begin());
    network_.update_first_layer(threads_);
  }
  return outcome;
}

Outcome Trainer::evaluate_best() {
  std::copy(best_.values().begin(), best_.values().end(), network_.parameters().begin());
  network_.update_first_layer(threads_);
  const ConstMatrixView logits = network_.forward(kernels::DropoutMask::nothing(), threads_);
  Outcome outcome;
  outcome.epochs = epoch();
  outcome.best_epoch = best_epoch_;
  outcome.train = evaluate(logits, task_.train);
  outcome.validation = evaluate(logits, task_.validation);
  outcome.test = evaluate(logits, task_.test);
  return outcome;
}

// Everything the bits of a run depend on, besides the numbers of the input itself.
std::string Trainer::identity(std::uint32_t version) const {
  io::Writer writer;
  writer.text(kernels::instruction_set());
  if (version == 1) {
    writer.number(static_cast<std::uint64_t>(options_.network.backbone - nn::backbones().data()));
  } else {
    writer.text(options_.network.backbone->name);
  }
  for (const std::size_t size : {options_.network.hidden, options_.network.heads, network_.inputs(), network_.nodes(),
                                 network_.classes(), task_.graph.nonzeros()}) {
    writer.number(static_cast<std::uint64_t>(size));
  }
  for (const double value : {options_.adam.learning_rate, options_.adam.weight_decay, options_.adam.beta_first,
                             options_.adam.beta_second, options_.adam.epsilon, options_.dropout}) {
    writer.number(value);
  }
  writer.number(options_.seed);
  if (options_.keep_by_three) writer.text("keep by three");
  writer.array(std::span<const std::uint32_t>(labels_));
  for (const auto part : {task_.train, task_.validation, task_.test}) {
    writer.array(part);
  }
  return to_hex(sha256(writer.bytes()));
}

std::string Trainer::encode_checkpoint() const {
  io::Writer writer;
  writer.text(options_.network.backbone->name);
  writer.text(identity(kVersion));
  writer.array(network_.parameters());
  writer.array(first_moment_.values());
  writer.array(second_moment_.values());
  writer.array(best_.values());
  writer.number(std::uint64_t{best_epoch_ ? *best_epoch_ + 1 : 0});
  writer.number(best_loss_);
  writer.number(std::uint64_t{history_.size()});
  for (const EpochRecord& record : history_) {
    writer.number(record.train_loss);
    writer.number(record.train_accuracy);
    writer.number(record.validation_loss);
    writer.number(record.validation_accuracy);
  }
  return io::seal(kMagic, kVersion, writer.bytes());
}

Result<void> Trainer::decode_checkpoint(std::string_view bytes) {
  const auto sealed = io::unseal(kMagic, 1, kVersion, bytes);
  if (!sealed) return sealed.error();
  io::Reader reader(sealed->content);
  const nn::Backbone* backbone = sealed->version == 1 ? options_.network.backbone : nn::backbone_named(reader.text());
  const std::string found = reader.text();
  if (reader.failed()) return Error{ErrorCode::malformed, "checkpoint is cut short"};
  if (backbone == nullptr) return Error{ErrorCode::malformed, "checkpoint is of a backbone that is not known here"};
  if (backbone != options_.network.backbone) {
    return Error{ErrorCode::mismatch, "checkpoint is of backbone " + std::string(backbone->name) + ", not of " +
                                          std::string(options_.network.backbone->name)};
  }
  if (found != identity(sealed->version)) {
    return Error{
        ErrorCode::mismatch,
        "checkpoint is of other labels, another split, other training options or another instruction set than " +
            kernels::instruction_set()};
  }
  const std::size_t size = network_.parameters().size();
  const std::vector<float> parameters = reader.array<float>(size);
  const std::vector<float> first_moment = reader.array<float>(size);
  const std::vector<float> second_moment = reader.array<float>(size);
  const std::vector<float> best = reader.array<float>(size);
  const auto best_number = reader.number<std::uint64_t>();
  const auto best_loss = reader.number<double>();
  const auto epochs = reader.number<std::uint64_t>();
  const Error malformed{ErrorCode::malformed, "checkpoint does not have the documented form"};
  if (reader.failed() || epochs > kMaxEpochs || best_number > epochs) return malformed;
  std::vector<EpochRecord> history;
  for (std::uint64_t i = 0; i < epochs && !reader.failed(); ++i) {
    EpochRecord record;
    record.epoch = history.size();
    record.train_loss = reader.number<double>();
    record.train_accuracy = reader.number<double>();
    record.validation_loss = reader.number<double>();
    record.validation_accuracy = reader.number<double>();
    if (!plausible(record)) return malformed;
    history.push_back(record);
  }
  if (reader.failed() || !reader.at_end()) return malformed;
  if (!plausible(parameters, first_moment, second_moment) || !plausible(best, {}, {}) || !std::isfinite(best_loss)) {
    return Error{ErrorCode::malformed, "checkpoint has a number that no training has"};
  }
  history.reserve(std::max<std::size_t>(options_.epochs, history.size()));
  std::copy(parameters.begin(), parameters.end(), network_.parameters().begin());
  std::copy(first_moment.begin(), first_moment.end(), first_moment_.values().begin());
  std::copy(second_moment.begin(), second_moment.end(), second_moment_.values().begin());
  std::copy(best.begin(), best.end(), best_.values().begin());
  best_epoch_ = best_number == 0 ? std::nullopt : std::optional<std::size_t>(best_number - 1);
  best_loss_ = best_loss;
  history_ = std::move(history);
  cause_.clear();
  network_.update_first_layer(threads_);
  return {};
}

}  // namespace ppgnn::train
