#include "ppgnn/simulate/run.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <utility>

namespace ppgnn::simulate {

namespace {

// What is run beside each other: the method, and where asked for the control and training without privacy.
struct Variant {
  Source source;
  std::vector<server::Trained> trained{};  // by run
  std::vector<Reported> reported{};        // by run, without what was collected
};

Series series_of(std::span<const server::Trained> runs, std::uint64_t seed) {
  Series series;
  for (const server::Trained& run : runs) {
    series.accuracy.push_back(run.outcome.test.accuracy());
    series.log_loss.push_back(run.outcome.test.mean);
    series.scale.push_back(run.scale.value_or(0));
  }
  series.interval = bootstrap(series.accuracy, seed);
  series.mean_log_loss = std::accumulate(series.log_loss.begin(), series.log_loss.end(), 0.0) /
                         static_cast<double>(series.log_loss.size());
  return series;
}

Result<std::vector<Variant>> variants_of(const graph::Dataset& dataset, const RunConfig& config) {
  Result<Source> source = Source::make(dataset, config);
  if (!source) return source.error();
  std::vector<Variant> variants;
  variants.push_back({std::move(source).value()});
  if (config.reference && config.method != Method::nonpriv) {
    if (config.method != Method::control) variants.push_back({variants[0].source.emptied()});
    SourceConfig clean = config;
    clean.method = Method::nonpriv;
    Result<Source> open = Source::make(dataset, clean);
    if (!open) return open.error();
    variants.push_back({std::move(open).value()});
  }
  for (Variant& variant : variants) {
    variant.trained.resize(config.runs);
    variant.reported.resize(config.runs);
  }
  return variants;
}

// One task per variant and run, as many at a time as there are threads; each writes its own slot.
Result<std::vector<Fidelity>> run_all(const graph::Dataset& dataset, const server::Problem& problem,
                                      const RunConfig& config, std::vector<Variant>& variants,
                                      const std::function<void(double done, double total)>& progress) {
  const std::size_t tasks = variants.size() * config.runs;
  std::vector<std::optional<Error>> errors(tasks);
  std::vector<Fidelity> fidelities(config.runs);
  const std::size_t scales = std::max<std::size_t>(1, config.pipeline.scales.size());
  const auto total = static_cast<double>(tasks * scales * config.pipeline.training.epochs);
  std::atomic<std::uint64_t> epochs_done = 0;
  std::mutex progress_mutex;
  train::Hooks hooks;
  hooks.progress = [&](const train::EpochRecord&) {
    const std::uint64_t done = ++epochs_done;
    if (!progress || (done & 63) != 0) return;
    const std::lock_guard lock(progress_mutex);
    progress(static_cast<double>(done), total);
  };
  const auto run_one = [&](Variant& variant, std::size_t run) -> Result<void> {
    const Source& source = variant.source;
    Result<Reported> reported = report_once(dataset, problem, source, config, run);
    if (!reported) return reported.error();
    if (&variant == variants.data() && source.perturbation() != nullptr) {
      const auto near = fidelity(problem, reported->collected, dataset.features, source.hops(config.pipeline.hops),
                                 server::training_seed(config.noise_seed, run));
      if (!near) return near.error();
      fidelities[run] = *near;
    }
    Result<server::Trained> trained = train_once(problem, source, *reported, config, config.pipeline, hooks);
    if (!trained) return trained.error();
    variant.trained[run] = std::move(trained).value();
    reported->collected = {};
    variant.reported[run] = std::move(reported).value();
    return {};
  };
  kernels::Threads(config.threads).for_each(tasks, [&](std::size_t task) {
    const Result<void> done = run_one(variants[task % variants.size()], task / variants.size());
    if (!done) errors[task] = done.error();
  });
  for (const std::optional<Error>& error : errors) {
    if (error) return *error;
  }
  return fidelities;
}

// What people at every level spend and get.
std::vector<LevelOutcome> outcomes_by_level(const graph::Dataset& dataset, const RunConfig& config,
                                            const Variant& method, const Variant* control) {
  std::vector<LevelOutcome> outcomes(config.budgets.size());
  for (std::size_t level = 0; level < outcomes.size(); ++level) {
    outcomes[level].budget = config.budgets[level];
    outcomes[level].spent = method.source.spent(level);
  }
  for (std::size_t run = 0; run < config.runs; ++run) {
    const Reported& reported = method.reported[run];
    const auto count = [&](const server::Trained& trained) {
      return count_by_level(dataset, reported.levels, reported.split.test, trained.predictions.classes,
                            outcomes.size());
    };
    const auto counts = count(method.trained[run]);
    for (std::size_t level = 0; level < outcomes.size(); ++level) {
      outcomes[level].people += static_cast<std::uint64_t>(counts[level].people);
      outcomes[level].accuracy += counts[level].right;
    }
    if (control == nullptr) continue;
    const auto control_counts = count(control->trained[run]);
    for (std::size_t level = 0; level < outcomes.size(); ++level)
      outcomes[level].control += control_counts[level].right;
  }
  for (LevelOutcome& outcome : outcomes) {
    const double people = std::max<double>(1, static_cast<double>(outcome.people));
    outcome.accuracy /= people;
    outcome.control /= people;
  }
  return outcomes;
}

double cpu_seconds_per_epoch(std::span<const server::Trained> runs) {
  double cpu_seconds = 0;
  std::size_t epochs = 0;
  for (const server::Trained& one : runs) {
    cpu_seconds += one.cpu_seconds;
    epochs += one.epochs;
  }
  return cpu_seconds / static_cast<double>(std::max<std::size_t>(1, epochs));
}

}  // namespace

Result<void> check(const graph::Dataset& dataset, const RunConfig& config) {
  const auto invalid = [](std::string message) { return Error{ErrorCode::invalid_argument, std::move(message)}; };
  if (config.runs < 1 || config.runs > 10000) {
    return invalid("runs: must be between 1 and 10000, but is " + std::to_string(config.runs));
  }
  if (dataset.features.cols() == 0) return invalid("data: " + dataset.name + " has no features");
  if (!config.level_list.empty() && config.level_list.size() != dataset.num_nodes()) {
    return Error{ErrorCode::mismatch, "levels: there are " + std::to_string(config.level_list.size()) + " for " +
                                          std::to_string(dataset.num_nodes()) + " nodes"};
  }
  for (const ldp::Level level : config.level_list) {
    if (static_cast<std::uint32_t>(level) - 1 >= config.budgets.size()) {
      return invalid("levels: must be between 1 and " + std::to_string(config.budgets.size()));
    }
  }
  return {};
}

Result<RunResult> run(const graph::Dataset& original, const RunConfig& config,
                      const std::function<void(double done, double total)>& progress) {
  if (Result<void> valid = check(original, config); !valid) return valid.error();
  const graph::Dataset dataset = for_research(original);
  Result<server::Problem> problem = server::Problem::make(dataset);
  if (!problem) return problem.error();
  Result<std::vector<Variant>> variants = variants_of(dataset, config);
  if (!variants) return variants.error();
  const Result<std::vector<Fidelity>> fidelities = run_all(dataset, *problem, config, *variants, progress);
  if (!fidelities) return fidelities.error();

  const Variant& method = variants->front();
  const Variant* control = nullptr;
  const Variant* open = nullptr;
  for (const Variant& other : std::span(*variants).subspan(1)) {
    (other.source.perturbation() == nullptr ? open : control) = &other;
  }
  RunResult result;
  result.notes = dataset.notes;
  result.mechanism = method.source.mechanism();
  result.accuracy = series_of(method.trained, config.split_seed);
  if (control != nullptr) {
    result.control = series_of(control->trained, config.split_seed);
    const graph::Split& split = method.reported.front().split;
    const double ratio = static_cast<double>(split.test.size()) / static_cast<double>(split.train.size());
    result.against_control = corrected_resampled_t(result.accuracy.accuracy, result.control->accuracy, ratio);
  }
  if (open != nullptr) result.nonprivate = series_of(open->trained, config.split_seed);
  std::vector<std::vector<ldp::Level>> levels;
  for (const Reported& reported : method.reported) levels.push_back(reported.levels);
  result.privacy = method.source.privacy(levels);
  result.hops = method.source.hops(config.pipeline.hops);
  const auto diverged = std::count_if(method.trained.begin(), method.trained.end(),
                                      [](const server::Trained& one) { return one.outcome.end == train::End::failed; });
  if (diverged > 0) {
    result.notes.push_back(std::to_string(diverged) + " of " + std::to_string(config.runs) +
                           " trainings diverged; the model before that was taken");
  }
  result.order = method.trained.front().order;
  result.cpu_seconds_per_epoch = cpu_seconds_per_epoch(method.trained);
  if (method.source.perturbation() == nullptr) return result;
  result.fidelity.emplace();
  for (const Fidelity& one : *fidelities) {
    result.fidelity->cosine += one.cosine / static_cast<double>(config.runs);
    result.fidelity->relative_error += one.relative_error / static_cast<double>(config.runs);
  }
  result.by_level = outcomes_by_level(dataset, config, method, control);
  return result;
}

}  // namespace ppgnn::simulate
