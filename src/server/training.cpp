#include "ppgnn/study/pipeline.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "ppgnn/calibrate/feature_matrix.hpp"
#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "study/checkpoint.hpp"

namespace ppgnn::study {

namespace {

double thread_seconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Result<calibrate::CalibratedInput> calibrated(const Problem& problem, const Collected& collected, std::size_t hops,
                                              const calibrate::CalibrationOptions& options,
                                              const kernels::Threads& threads) {
  Result<calibrate::Propagation> propagation = calibrate::Propagation::make(
      problem.graph(), {.kind = collected.kind, .hops = hops, .self = {}}, collected.weights);
  if (!propagation) return propagation.error();
  return calibrate::CalibratedInput::make(collected.estimates, std::move(propagation).value(), options, threads);
}

// Class and probabilities of every node from the network's parameters as they are, in the caller's order.
void predict_into(nn::Network& network, const Problem& problem, const kernels::Threads& threads, Trained& out) {
  network.update_first_layer(threads);
  const ConstMatrixView logits = network.forward({}, threads);
  const std::size_t classes = network.classes();
  out.predictions.resize(logits.rows);
  out.probabilities.resize(logits.rows * classes);
  for (std::uint32_t place = 0; place < logits.rows; ++place) {
    const auto row = logits.row(place).first(classes);
    const auto best = std::max_element(row.begin(), row.end());
    const std::size_t node = problem.order().to_original(place);
    out.predictions[node] = static_cast<std::uint32_t>(best - row.begin());
    double sum = 0;
    for (const float logit : row) sum += std::exp(static_cast<double>(logit) - static_cast<double>(*best));
    for (std::size_t c = 0; c < classes; ++c) {
      out.probabilities[node * classes + c] =
          static_cast<float>(std::exp(static_cast<double>(row[c]) - static_cast<double>(*best)) / sum);
    }
  }
}

Result<void> resume(train::Trainer& trainer, const std::string& bytes, const train::TrainOptions& options) {
  if (Result<void> decoded = trainer.decode_checkpoint(bytes); !decoded) return decoded;
  if (trainer.epoch() > options.epochs) {
    return Error{ErrorCode::mismatch, "checkpoint has " + std::to_string(trainer.epoch()) + " epochs, more than the " +
                                          std::to_string(options.epochs) + " asked for"};
  }
  return {};
}

}  // namespace

Result<Problem> Problem::make(const graph::Dataset& dataset) {
  if (dataset.num_classes() < 2) {
    return Error{ErrorCode::invalid_argument,
                 "data: there must be at least two classes, but there are " + std::to_string(dataset.num_classes())};
  }
  Result<graph::Csr> simple = calibrate::simple_graph(dataset.graph);
  if (!simple) return simple.error();
  Problem problem;
  problem.order_ = calibrate::NodeOrder::by_locality(simple->view());
  problem.graph_ = problem.order_.renumber(*simple);
  problem.labels_ = problem.order_.renumber(dataset.labels.span());
  problem.classes_ = dataset.num_classes();
  return problem;
}

Result<Collected> collect(const Problem& problem, const ldp::Plan& plan,
                          std::span<const calibrate::NodeReport> reports) {
  std::vector<calibrate::NodeReport> placed(reports.begin(), reports.end());
  for (calibrate::NodeReport& report : placed) {
    if (report.node >= problem.order().size()) {
      return Error{ErrorCode::mismatch, "reports: a node number is outside the graph"};
    }
    report.node = problem.order().to_new(report.node);
  }
  Result<calibrate::CollectedReports> collected = calibrate::collect_reports(
      ldp::Estimator(plan.tables()), plan.levels().size(), plan.schema().dim(), problem.order().size(), placed);
  if (!collected) return collected.error();
  return Collected{std::make_shared<const calibrate::FeatureMatrix>(std::move(collected->estimates)),
                   calibrate::Operator::convolution, std::move(collected->mass)};
}

Result<Collected> collect(const Problem& problem, std::size_t columns, calibrate::Operator kind,
                          std::span<const ldp_research::NoisyRow> rows) {
  const std::size_t nodes = problem.order().size();
  if (rows.size() != nodes) return Error{ErrorCode::mismatch, "reports: one row per node is needed"};
  Collected collected{nullptr, kind, {}};
  if (kind == calibrate::Operator::flexprop) {
    for (std::uint32_t place = 0; place < nodes; ++place) {
      collected.weights.push_back(
          static_cast<float>(rows[problem.order().to_original(place)].reported_level.value_or(1)));
    }
  }
  if (kind == calibrate::Operator::convolution) collected.weights.assign(nodes, 1.0F);

  const bool dense = !rows.empty() && rows[0].columns.empty();
  if (dense) {
    kernels::Matrix matrix(nodes, columns);
    for (std::uint32_t place = 0; place < nodes; ++place) {
      const std::vector<double>& values = rows[problem.order().to_original(place)].values;
      std::transform(values.begin(), values.end(), matrix.view().row(place).begin(),
                     [](double value) { return static_cast<float>(value); });
    }
    collected.estimates =
        std::make_shared<const calibrate::FeatureMatrix>(calibrate::FeatureMatrix::make(std::move(matrix)));
    return collected;
  }
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> indices;
  std::vector<float> values;
  for (std::uint32_t place = 0; place < nodes; ++place) {
    const ldp_research::NoisyRow& row = rows[problem.order().to_original(place)];
    indices.insert(indices.end(), row.columns.begin(), row.columns.end());
    for (const double value : row.values) values.push_back(static_cast<float>(value));
    offsets.push_back(indices.size());
  }
  Result<calibrate::FeatureMatrix> made =
      calibrate::FeatureMatrix::make({offsets, indices, columns}, std::move(values));
  if (!made) return made.error();
  collected.estimates = std::make_shared<const calibrate::FeatureMatrix>(std::move(made).value());
  return collected;
}

Result<Collected> collect(const Problem& problem, const graph::Features& features) {
  std::vector<float> values(features.nonzeros());
  for (std::size_t entry = 0; entry < values.size(); ++entry) values[entry] = features.value(entry);
  calibrate::NodeOrder::Rows rows = problem.order().renumber_rows(features.pattern().view(), values);
  Result<calibrate::FeatureMatrix> made =
      calibrate::FeatureMatrix::make({rows.offsets, rows.columns, features.cols()}, std::move(rows.values));
  if (!made) return made.error();
  return Collected{
      std::make_shared<const calibrate::FeatureMatrix>(std::move(made).value()), calibrate::Operator::kprop, {}};
}

Result<Trained> calibrate_and_train(const Problem& problem, const Collected& collected, const graph::Split& split,
                                    const PipelineOptions& options, train::Hooks hooks, const CheckpointOptions& keep) {
  if (split.train.empty()) return Error{ErrorCode::invalid_argument, "split: the training part is empty"};
  if (split.validation.empty()) return Error{ErrorCode::invalid_argument, "split: the validation part is empty"};
  const graph::Split placed = problem.order().renumber(split);
  const auto class_of = [&](std::uint32_t node) { return problem.labels()[node]; };
  if (std::all_of(placed.train.begin(), placed.train.end(),
                  [&](std::uint32_t node) { return class_of(node) == class_of(placed.train.front()); })) {
    return Error{ErrorCode::invalid_argument, "split: the training part has one class only"};
  }
  const kernels::Threads threads(options.training.threads);
  std::vector<std::optional<double>> scales(options.scales.begin(), options.scales.end());
  if (scales.empty()) scales.emplace_back();

  ScaleCheckpoint checkpoint;
  if (!keep.file.empty()) {
    checkpoint = begin_checkpoint(problem, collected, options);
    if (keep.resume && std::filesystem::exists(keep.file)) {
      if (Result<void> read = continue_checkpoint(checkpoint, keep.file); !read) return read.error();
    }
    // At once, so that a file that cannot be written is known before the work.
    if (Result<void> written = write_checkpoint(checkpoint, keep.file); !written) return written.error();
    hooks.checkpoint_every = keep.every;
  }

  const double start = thread_seconds();
  std::optional<Trained> best;
  std::size_t epochs = 0;
  bool stopped = false;
  for (std::size_t i = 0; i < scales.size() && !stopped; ++i) {
    const std::optional<double> scale = scales[i];
    const calibrate::CalibrationOptions calibration{.order = {},
                                                    .root_mean_square = scale,
                                                    .seed = options.training.seed,
                                                    .width = nn::first_layer_columns(options.training.network)};
    const auto input = calibrated(problem, collected, options.hops, calibration, threads);
    if (!input) return input.error();
    auto trainer = train::Trainer::make({.input = &*input,
                                         .graph = problem.graph().view(),
                                         .labels = problem.labels(),
                                         .classes = problem.classes(),
                                         .split = &placed},
                                        options.training);
    if (!trainer) return trainer.error();
    if (!keep.file.empty()) {
      checkpoint.trainers.resize(std::max(checkpoint.trainers.size(), i + 1));
      if (!checkpoint.trainers[i].empty()) {
        if (Result<void> read = resume(*trainer, checkpoint.trainers[i], options.training); !read) {
          return Error{read.error().code, keep.file.string() + ": " + read.error().message};
        }
      }
      hooks.checkpoint = [&checkpoint, &keep, i](const train::Trainer& running) {
        checkpoint.trainers[i] = running.encode_checkpoint();
        return write_checkpoint(checkpoint, keep.file);
      };
    }
    const auto outcome = trainer->run(hooks);
    if (!outcome) return outcome.error();
    epochs += outcome->epochs;
    stopped = outcome->end == train::End::stopped;
    const bool usable = outcome->best_epoch.has_value();
    const bool better =
        usable && (!best || !best->outcome.best_epoch || outcome->validation.mean < best->outcome.validation.mean);
    if (best && !better) continue;
    best = Trained{};
    best->outcome = *outcome;
    best->parameters.assign(trainer->best_parameters().begin(), trainer->best_parameters().end());
    best->scale = scale;
    best->factor = input->scale();
    best->history.assign(trainer->history().begin(), trainer->history().end());
    best->order = input->cost().explain();
    if (stopped) static_cast<void>(trainer->evaluate_best());  // loads the kept parameters, as the other ends do
    if (usable) predict_into(trainer->network(), problem, threads, *best);
  }
  if (!best->outcome.best_epoch) return Error{ErrorCode::diverged, "training: " + best->outcome.cause};
  best->cpu_seconds = thread_seconds() - start;
  best->epochs = epochs;
  best->stopped = stopped;
  return std::move(*best);
}

Result<calibrate::Fidelity> fidelity(const Problem& problem, const Collected& collected,
                                     const graph::Features& features, std::size_t hops, std::uint64_t seed) {
  constexpr std::size_t kSample = 256;
  const kernels::Threads one(1);
  const Result<calibrate::FeatureMatrix> exact =
      calibrate::FeatureMatrix::of_features(features, graph::FeatureScale::unit);
  if (!exact) return exact.error();
  calibrate::NodeOrder::Rows rows =
      problem.order().renumber_rows(exact->sparse().pattern(), exact->sparse().numbers().values);
  Result<calibrate::FeatureMatrix> placed =
      calibrate::FeatureMatrix::make({rows.offsets, rows.columns, features.cols()}, std::move(rows.values),
                                     {exact->offset().begin(), exact->offset().end()});
  if (!placed) return placed.error();
  const Collected clean{std::make_shared<const calibrate::FeatureMatrix>(std::move(placed).value()), collected.kind,
                        collected.weights};
  // Neither is ever formed.
  const calibrate::CalibrationOptions never_formed{.order = calibrate::Order::right_to_left};
  const auto noisy_input = calibrated(problem, collected, hops, never_formed, one);
  if (!noisy_input) return noisy_input.error();
  const auto clean_input = calibrated(problem, clean, hops, never_formed, one);
  if (!clean_input) return clean_input.error();
  if (features.cols() <= kSample) return calibrate::feature_fidelity(*noisy_input, *clean_input, one);

  // The first of a shuffle.
  std::vector<std::uint32_t> nodes(problem.order().size());
  std::iota(nodes.begin(), nodes.end(), 0U);
  const std::size_t count = std::min(kSample, nodes.size());
  seeded::SeededStream bits(seed, seeded::Purpose::probe, std::numeric_limits<std::uint64_t>::max());
  for (std::size_t i = 0; i < count; ++i) std::swap(nodes[i], nodes[i + random::below(nodes.size() - i, bits)]);
  nodes.resize(count);
  return calibrate::feature_fidelity(*noisy_input, *clean_input, nodes, one);
}

Result<Trained> apply_model(const Problem& problem, const Collected& collected, const train::Model& model,
                            std::size_t hops, double factor, std::size_t thread_count) {
  if (model.classes != problem.classes()) {
    return Error{ErrorCode::mismatch, "model: has " + std::to_string(model.classes) + " classes, the data " +
                                          std::to_string(problem.classes())};
  }
  const kernels::Threads threads(thread_count);
  Result<calibrate::Propagation> propagation = calibrate::Propagation::make(
      problem.graph(), {.kind = collected.kind, .hops = hops, .self = {}}, collected.weights);
  if (!propagation) return propagation.error();
  propagation->scale_by(factor);
  const auto input = calibrate::CalibratedInput::make(collected.estimates, std::move(propagation).value(), {}, threads);
  if (!input) return input.error();
  auto network = nn::Network::make(*input, problem.graph().view(), problem.classes(), model.network);
  if (!network) return network.error();
  if (Result<void> loaded = train::load_parameters(model, *network); !loaded) return loaded.error();
  Trained out;
  out.factor = factor;
  predict_into(*network, problem, threads, out);
  return out;
}

}  // namespace ppgnn::study
