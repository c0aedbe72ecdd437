#include "ppgnn/study/run.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include "ppgnn/ldp_research/gaussian.hpp"
#include "ppgnn/ldp_research/paper_ppm.hpp"
#include "ppgnn/ldp_research/sampled_columns.hpp"

namespace ppgnn::study {

namespace {

using calibrate::Operator;
using ldp_research::FeatureMechanismPtr;

// Where the features of one variant of a run come from.
struct Source {
  std::optional<ldp::Plan> plan;  // strict
  FeatureMechanismPtr mechanism;  // anything else
  Operator kind = Operator::kprop;
  std::size_t hops = 0;
};

enum class Variant { method, control, nonprivate };

std::string mechanism_of(const RunConfig& config) {
  if (!config.mechanism.empty()) return config.mechanism;
  if (config.method == Method::base || config.method == Method::lpgnn) return "mb";
  return config.protocol == Protocol::paper ? "ppm" : "strict";
}

Result<ldp::Schema> schema_of(const graph::Dataset& dataset) {
  Result<std::vector<ldp::ColumnGroup>> columns = columns_of(dataset.features.schema());
  if (!columns) return columns.error();
  return ldp::Schema::make(std::move(columns).value());
}

Result<Source> source_of(const graph::Dataset& dataset, const RunConfig& config) {
  Source source;
  const std::string name = mechanism_of(config);
  source.hops = config.method == Method::base ? 0 : config.pipeline.hops;
  if (name == "strict") {
    Result<ldp::Plan> plan = plan_of(dataset, config);
    if (!plan) return plan.error();
    source.plan = std::move(plan).value();
    source.kind = Operator::convolution;
    return source;
  }
  Result<ldp::Schema> schema = schema_of(dataset);
  if (!schema) return schema.error();
  if (config.budgets.empty()) return Error{ErrorCode::invalid_argument, "budgets: there must be at least one"};
  const double epsilon = config.budgets.front();
  Result<FeatureMechanismPtr> made =
      Error{ErrorCode::invalid_argument, "mechanism: must be one of strict, ppm, ppm*, mb, 1b, lp, gm, but is " + name};
  if (name == "mb") made = ldp_research::make_multi_bit(*schema, epsilon);
  if (name == "1b") made = ldp_research::make_one_bit(*schema, epsilon);
  if (name == "lp") made = ldp_research::make_laplace(*schema, epsilon);
  if (name == "gm") made = ldp_research::make_gaussian(*schema, epsilon);
  if (name == "ppm" || name == "ppm*") {
    ldp_research::PaperOptions options{config.budgets, config.gamma.value_or(.5), {}, {}};
    if (name == "ppm*") options.noise = ldp_research::PaperNoise::laplace;
    made = ldp_research::make_paper_ppm(*schema, options);
    source.kind = Operator::flexprop;
  }
  if (!made) return made.error();
  source.mechanism = std::move(made).value();
  return source;
}

Result<Collected> collect_run(const Problem& problem, const graph::Dataset& dataset, const Source& source,
                              const Devices& devices) {
  const kernels::Threads one(1);
  if (source.plan) {
    std::vector<ldp::Report> reports = simulate_reports(*source.plan, devices, one);
    std::vector<calibrate::NodeReport> placed;
    placed.reserve(reports.size());
    for (std::uint32_t node = 0; node < reports.size(); ++node) placed.push_back({node, std::move(reports[node])});
    return collect(problem, *source.plan, placed);
  }
  return collect(problem, dataset.features.cols(), source.kind, simulate_rows(*source.mechanism, devices, one));
}

// What a person at this level spends in all.
double spent_at(const Source& source, std::size_t level) {
  if (source.plan) return source.plan->certificate().features[level] + source.plan->certificate().level_report;
  return source.mechanism->bound(ldp::Level{static_cast<std::uint32_t>(level) + 1}).epsilon;
}

Privacy privacy_of(const Source& source, const RunConfig& config, std::span<const std::vector<ldp::Level>> levels) {
  Privacy privacy;
  if (config.method == Method::nonpriv) {
    privacy.level = "nothing is protected";
    return privacy;
  }
  privacy.budgets = config.budgets;
  if (source.plan) {
    const bool is_public = source.plan->tables().secrecy == ldp::LevelSecrecy::public_level;
    privacy.level = is_public ? "public" : "protected";
    privacy.holds = source.plan->certificate().holds();
  } else {
    const ldp_research::StatedBound bound = source.mechanism->bound(ldp::Level{1});
    privacy.level = bound.level.empty() ? "one budget for everybody" : bound.level;
    privacy.holds = bound.exact && bound.level.empty();
    privacy.delta = bound.delta;
    if (bound.level.empty()) privacy.budgets = {config.budgets.front()};
  }
  double people = 0;
  for (const auto& run : levels) {
    for (const ldp::Level level : run) {
      const double spent = spent_at(source, static_cast<std::uint32_t>(level) - 1);
      privacy.mean += spent;
      privacy.max = std::max(privacy.max, spent);
      ++people;
    }
  }
  privacy.mean /= std::max(1.0, people);
  return privacy;
}

Series series_of(std::span<const Trained> runs, std::uint64_t seed) {
  Series series;
  for (const Trained& run : runs) {
    series.accuracy.push_back(run.outcome.test.accuracy());
    series.log_loss.push_back(run.outcome.test.mean);
    series.scale.push_back(run.scale.value_or(0));
  }
  series.interval = bootstrap(series.accuracy, seed);
  series.mean_log_loss = std::accumulate(series.log_loss.begin(), series.log_loss.end(), 0.0) /
                         static_cast<double>(series.log_loss.size());
  return series;
}

Result<void> check_config(const graph::Dataset& dataset, const RunConfig& config) {
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

}  // namespace

Result<ldp::Plan> plan_of(const graph::Dataset& dataset, const RunConfig& config) {
  Result<std::vector<ldp::ColumnGroup>> columns = columns_of(dataset.features.schema());
  if (!columns) return columns.error();
  ldp::PlanRequest request;
  request.columns = std::move(columns).value();
  request.budgets = config.budgets;
  request.secrecy = config.secrecy;
  request.level_budget = config.level_budget;
  request.gamma = config.gamma.value_or(0);
  return ldp::make_plan(request);
}

Result<RunResult> run(const graph::Dataset& original, const RunConfig& config,
                      const std::function<void(double done, double total)>& progress) {
  if (Result<void> valid = check_config(original, config); !valid) return valid.error();
  RunResult result;
  result.notes = original.notes;
  // Ranges read off the data, and columns that never vary, are a researcher's convenience.
  graph::Dataset dataset = original;
  if (dataset.features.schema().origin == graph::SchemaOrigin::derived) {
    dataset.features = graph::derive_schema(dataset.features);
    result.notes.push_back("column ranges were read off the data: for research only");
  }
  Result<Problem> problem = Problem::make(dataset);
  if (!problem) return problem.error();
  Result<Source> source = source_of(dataset, config);
  if (!source) return source.error();
  result.mechanism = config.method == Method::nonpriv ? "none" : mechanism_of(config);

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
    levels.push_back(config.level_list.empty() ? choose_levels(config.levels, dataset.num_nodes(),
                                                               config.budgets.size(), config.noise_seed, run)
                                               : config.level_list);
  }

  std::vector<Variant> variants{Variant::method};
  if (config.reference && config.method != Method::control && config.method != Method::nonpriv) {
    variants.push_back(Variant::control);
  }
  if (config.reference && config.method != Method::nonpriv) variants.push_back(Variant::nonprivate);

  // One task per variant and run, as many at a time as there are threads; each writes its own slot.
  std::vector<std::vector<Trained>> trained(variants.size(), std::vector<Trained>(config.runs));
  std::vector<std::optional<Error>> errors(variants.size() * config.runs);
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
    const bool empty = variant == Variant::control || config.method == Method::control;
    const Devices devices{&dataset.features, levels[run], config.noise_seed, run,
                          empty ? Content::nothing : Content::features};
    const Result<Collected> collected =
        clean ? collect(*problem, dataset.features) : collect_run(*problem, dataset, *source, devices);
    if (!collected) {
      errors[task] = collected.error();
      return;
    }
    PipelineOptions options = config.pipeline;
    options.hops = clean ? 0 : source->hops;
    options.training.seed = training_seed(config.noise_seed, run);
    options.training.threads = 1;
    Result<Trained> one = calibrate_and_train(*problem, *collected, splits[run], options, hooks);
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
  result.privacy = privacy_of(*source, config, levels);
  result.order = trained[0][0].order;

  double cpu_seconds = 0;
  std::size_t epochs = 0;
  for (const Trained& one : trained[0]) {
    cpu_seconds += one.cpu_seconds;
    epochs += one.epochs;
  }
  result.cpu_seconds_per_epoch = cpu_seconds / static_cast<double>(std::max<std::size_t>(1, epochs));

  if (config.method != Method::nonpriv) {
    result.by_level.resize(config.budgets.size());
    for (std::size_t level = 0; level < config.budgets.size(); ++level) {
      result.by_level[level].budget = config.budgets[level];
      result.by_level[level].spent = spent_at(*source, level);
    }
    const auto count_right = [&](const Trained& one, graph::NodeId node) {
      return one.predictions[node] == static_cast<std::uint32_t>(dataset.labels[node]) ? 1.0 : 0.0;
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

}  // namespace ppgnn::study
