#include "ppgnn/simulate/run.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <utility>

namespace ppgnn::simulate {

namespace {

enum class Variant { method, control, nonprivate };

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

std::vector<ldp::Level> levels_of(const graph::Dataset& dataset, const RunConfig& config, std::uint64_t run) {
  if (!config.level_list.empty()) return config.level_list;
  return choose_levels(config.levels, dataset.num_nodes(), config.budgets.size(), config.noise_seed, run);
}

Result<RunResult> run(const graph::Dataset& original, const RunConfig& config,
                      const std::function<void(double done, double total)>& progress) {
  if (Result<void> valid = check(original, config); !valid) return valid.error();
  RunResult result;
  const graph::Dataset dataset = for_research(original);
  result.notes = dataset.notes;
  Result<server::Problem> problem = server::Problem::make(dataset);
  if (!problem) return problem.error();
  Result<Source> source = Source::make(dataset, config);
  if (!source) return source.error();
  result.mechanism = source->mechanism();

  // Everything a run needs that its variants share.
  std::vector<graph::Split> splits;
  std::vector<std::vector<ldp::Level>> levels;
  for (std::size_t run = 0; run < config.runs; ++run) {
    Result<graph::Split> split = graph::make_split(dataset, config.split_seed, run);
    if (!split) return split.error();
    if (split->train.empty() || split->validation.empty() || split->test.empty()) {
      return Error{ErrorCode::invalid_argument, "data: too few labelled nodes for a split in three"};
    }
    splits.push_back(std::move(split).value());
    levels.push_back(levels_of(dataset, config, run));
  }

  std::vector<Variant> variants{Variant::method};
  if (config.reference && config.method != Method::control && config.method != Method::nonpriv) {
    variants.push_back(Variant::control);
  }
  if (config.reference && config.method != Method::nonpriv) variants.push_back(Variant::nonprivate);

  // One task per variant and run, as many at a time as there are threads; each writes its own slot.
  std::vector<std::vector<server::Trained>> trained(variants.size(), std::vector<server::Trained>(config.runs));
  std::vector<std::optional<Error>> errors(variants.size() * config.runs);
  std::vector<Fidelity> fidelities(config.runs);
  const std::size_t scales = std::max<std::size_t>(1, config.pipeline.scales.size());
  const auto total = static_cast<double>(variants.size() * config.runs * scales * config.pipeline.training.epochs);
  std::atomic<std::uint64_t> epochs_done = 0;
  std::mutex progress_mutex;
  train::Hooks hooks;
  hooks.progress = [&](const train::EpochRecord&) {
    const std::uint64_t done = ++epochs_done;
    if (!progress || (done & 63) != 0) return;
    const std::lock_guard lock(progress_mutex);
    progress(static_cast<double>(done), total);
  };

  const kernels::Threads threads(config.threads);
  threads.for_each(variants.size() * config.runs, [&](std::size_t task) {
    const std::size_t which = task % variants.size();
    const std::size_t run = task / variants.size();
    const Variant variant = variants[which];
    const bool clean = variant == Variant::nonprivate || config.method == Method::nonpriv;
    const Devices devices{&dataset.features, levels[run], config.noise_seed, run,
                          variant == Variant::control ? Content::nothing : source->content()};
    const Result<calibrate::Collected> collected =
        clean ? simulate::clean(*problem, dataset.features) : source->collect(*problem, devices);
    if (!collected) {
      errors[task] = collected.error();
      return;
    }
    server::PipelineOptions options = config.pipeline;
    options.hops = clean ? 0 : source->hops(config.pipeline.hops);
    options.training.seed = server::training_seed(config.noise_seed, run);
    options.training.threads = 1;
    if (variant == Variant::method && !clean) {
      const auto near = fidelity(*problem, *collected, dataset.features, options.hops, options.training.seed);
      if (!near) {
        errors[task] = near.error();
        return;
      }
      fidelities[run] = *near;
    }
    Result<server::Trained> one = server::calibrate_and_train(*problem, *collected, splits[run], options, hooks);
    if (one) {
      trained[which][run] = std::move(one).value();
    } else {
      errors[task] = one.error();
    }
  });
  for (const std::optional<Error>& error : errors) {
    if (error) return *error;
  }

  const auto variant_series = [&](Variant variant) -> std::optional<Series> {
    const auto at = std::find(variants.begin(), variants.end(), variant);
    if (at == variants.end()) return std::nullopt;
    return series_of(trained[static_cast<std::size_t>(at - variants.begin())], config.split_seed);
  };
  result.accuracy = *variant_series(Variant::method);
  result.control = variant_series(Variant::control);
  result.nonprivate = variant_series(Variant::nonprivate);
  if (result.control) {
    const double ratio = static_cast<double>(splits[0].test.size()) / static_cast<double>(splits[0].train.size());
    result.against_control = corrected_resampled_t(result.accuracy.accuracy, result.control->accuracy, ratio);
  }
  result.privacy = source->privacy(levels);
  result.hops = config.method == Method::nonpriv ? 0 : source->hops(config.pipeline.hops);
  const auto diverged =
      static_cast<std::size_t>(std::count_if(trained[0].begin(), trained[0].end(), [](const server::Trained& one) {
        return one.outcome.end == train::End::failed;
      }));
  if (diverged > 0) {
    result.notes.push_back(std::to_string(diverged) + " of " + std::to_string(config.runs) +
                           " trainings diverged; the model before that was taken");
  }
  result.order = trained[0][0].order;

  double cpu_seconds = 0;
  std::size_t epochs = 0;
  for (const server::Trained& one : trained[0]) {
    cpu_seconds += one.cpu_seconds;
    epochs += one.epochs;
  }
  result.cpu_seconds_per_epoch = cpu_seconds / static_cast<double>(std::max<std::size_t>(1, epochs));

  if (config.method != Method::nonpriv) {
    result.fidelity.emplace();
    for (const Fidelity& one : fidelities) {
      result.fidelity->cosine += one.cosine / static_cast<double>(config.runs);
      result.fidelity->relative_error += one.relative_error / static_cast<double>(config.runs);
    }
    result.by_level.resize(config.budgets.size());
    for (std::size_t level = 0; level < config.budgets.size(); ++level) {
      result.by_level[level].budget = config.budgets[level];
      result.by_level[level].spent = source->spent(level);
    }
    const auto count_right = [&](const server::Trained& one, graph::NodeId node) {
      return one.predictions.classes[node] == static_cast<std::uint32_t>(dataset.labels[node]) ? 1.0 : 0.0;
    };
    for (std::size_t run = 0; run < config.runs; ++run) {
      for (const graph::NodeId node : splits[run].test) {
        LevelOutcome& outcome = result.by_level[static_cast<std::uint32_t>(levels[run][node]) - 1];
        ++outcome.people;
        outcome.accuracy += count_right(trained[0][run], node);
        if (result.control) outcome.control += count_right(trained[1][run], node);
      }
    }
    for (LevelOutcome& outcome : result.by_level) {
      const double people = std::max<double>(1, static_cast<double>(outcome.people));
      outcome.accuracy /= people;
      outcome.control /= people;
    }
  }
  return result;
}

}  // namespace ppgnn::simulate
