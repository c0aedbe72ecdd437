#include "ppgnn/study/experiment.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <utility>

#include "ppgnn/core/names.hpp"
#include "ppgnn/nn/backbones.hpp"

namespace ppgnn::study {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Work of a run in visits of an edge, a nanosecond or two each: good enough to say how long the rest takes. The weights
// of nodes (activations, loss) and of dense entries are measured, over data sets of 3,000 to 22,000 nodes.
double cost_of(const Experiment& experiment, const StudyData& data) {
  const auto nodes = static_cast<double>(data.dataset.num_nodes());
  const auto edges = static_cast<double>(data.dataset.graph.nonzeros()) + nodes;
  const auto columns = static_cast<double>(data.dataset.features.cols());
  const bool dense = experiment.method->dense;
  const double entries = dense ? nodes * columns : nodes * 4;
  const double perturb = dense ? 40 * entries : 20 * entries;
  const double campaign = experiment.method->campaign ? 20000 * nodes + 100 * edges : 0;
  if (experiment.method->campaign && !experiment.method->pools) return campaign;
  if (!experiment.trains) return 10 * perturb + 2000 * nodes;
  const server::PipelineOptions& pipeline = experiment.pipeline;
  const double hops = experiment.averages ? static_cast<double>(pipeline.hops) : 0;
  const double width = pipeline.training.network.backbone->cost;
  const auto scales = static_cast<double>(std::max<std::size_t>(1, pipeline.scales.size()));
  const auto epochs = static_cast<double>(pipeline.training.epochs);
  const double first_layer = dense ? .5 * entries : entries;
  return campaign + perturb + scales * epochs * (width * (edges * (2 * hops + 5) + 60 * nodes) + first_layer);
}

// A run to be made.
struct Job {
  StudyTask task;
  Experiment experiment;
  const StudyData* data = nullptr;
  double cost = 0;
  bool fidelity = false;
  std::size_t cell = 0;  // whose it is
};

Result<Job> job_of(StudyTask task, const StudyData& data) {
  Result<Experiment> experiment = experiment_of(task.setting);
  if (!experiment) return experiment.error();
  const double cost = cost_of(*experiment, data);
  return Job{std::move(task), std::move(experiment).value(), &data, cost};
}

// Runs that share what the server sees; campaigns share what graph and labels say.
struct Batch {
  std::vector<Job> jobs;
  double cost = 0;
};

std::vector<Batch> batches_of(std::vector<Job> jobs) {
  std::map<std::string, Batch> by_text;
  for (Job& job : jobs) {
    Batch& batch = by_text[shared_text(job.task.setting, job.task.run)];
    batch.cost += job.cost;
    batch.jobs.push_back(std::move(job));
  }
  std::vector<Batch> batches;
  batches.reserve(by_text.size());
  for (auto& [text, batch] : by_text) batches.push_back(std::move(batch));
  // The longest first, so that all cores end together.
  std::stable_sort(batches.begin(), batches.end(), [](const Batch& a, const Batch& b) { return a.cost > b.cost; });
  return batches;
}

// What becomes of a run that was made; called from several threads.
using Take = std::function<Result<void>(const Job& job, Measured measured, double seconds)>;

struct Failure {
  Error error;
  Setting setting;
};

// Makes all runs, one batch a thread at a time, unless one fails or somebody stops it.
std::optional<Failure> make_runs(std::vector<Job> jobs, const ExecuteOptions& options, StudyProgress& progress,
                                 const Take& take) {
  std::vector<Batch> batches = batches_of(std::move(jobs));
  for (const Batch& batch : batches) progress.total += batch.cost;
  std::mutex mutex;  // guards progress and failure
  std::optional<Failure> failure;
  std::atomic<bool> halt = false;
  const auto asked_to_stop = [&] { return options.stop != nullptr && *options.stop; };
  const auto fail = [&](const Error& error, const Job& job) {
    const std::lock_guard lock(mutex);
    if (!failure) failure = Failure{error, job.task.setting};
    halt = true;
  };
  train::Hooks hooks;
  hooks.stop = options.stop;
  std::atomic<std::size_t> next = 0;
  // Runs side by side need no threads of their own; one alone has all of them.
  const bool alone = batches.size() == 1;
  if (alone) {
    for (Job& job : batches.front().jobs) job.experiment.threads = kernels::Threads(options.jobs).count();
  }
  const kernels::Threads threads(alone ? 1 : options.jobs);
  threads.for_each(threads.count(), [&](std::size_t) {
    for (std::size_t at = next++; at < batches.size(); at = next++) {
      if (halt || asked_to_stop()) return;
      const Job& first = batches[at].jobs.front();
      const Result<Shared> shared = share(first.experiment, *first.data, first.task.run);
      if (!shared) return fail(shared.error(), first);
      for (const Job& job : batches[at].jobs) {
        if (halt || asked_to_stop()) return;
        const auto start = std::chrono::steady_clock::now();
        Result<Measured> measured = measure_run(job.experiment, *shared, job.task.run, {job.fidelity}, hooks);
        const bool trained = !job.experiment.method->campaign || job.experiment.method->pools;
        if (asked_to_stop() && job.experiment.trains && trained) return;  // half a training
        if (!measured) return fail(measured.error(), job);
        if (Result<void> taken = take(job, std::move(measured).value(), seconds_since(start)); !taken) {
          return fail(taken.error(), job);
        }
        const std::lock_guard lock(mutex);
        ++progress.runs;
        progress.done += job.cost;
        if (options.progress) options.progress(progress);
      }
    }
  });
  return failure;
}

// What is to be done now, and roughly how much comes after.
struct Agenda {
  std::vector<Job> jobs;
  double later = 0;
};

Result<Agenda> plan(const std::vector<PlannedStudy>& studies, const Shelf& shelf, const RecordStore& records,
                    const std::set<std::string>& units) {
  const auto data_of = [&](const Setting& setting) -> const StudyData& {
    return *shelf.find(value_of(setting, "data"))->second;
  };
  const auto key = [&](const Setting& setting) { return key_of(setting, data_of(setting).checksum); };
  Agenda agenda;
  std::set<std::pair<std::string, std::uint64_t>> seen;
  const auto add = [&](const StudyTask& task) -> Result<void> {
    if (!seen.emplace(task.key, task.run).second) return {};
    Result<Job> job = job_of(task, data_of(task.setting));
    if (!job) return job.error();
    agenda.jobs.push_back(std::move(job).value());
    return {};
  };
  std::set<std::string> counted;
  for (const PlannedStudy& study : studies) {
    for (const Cell& cell : study.cells) {
      std::vector<std::uint64_t> runs;  // made here
      for (std::uint64_t run = 0; run < cell.runs; ++run) {
        if (units.contains(unit_of(cell, run, study.declaration))) runs.push_back(run);
      }
      if (runs.empty()) continue;
      const Result<Choice> choice = choose(cell, study.declaration.select, study.declaration.factors, key, records);
      if (!choice) return choice.error();
      for (const StudyTask& task : choice->tasks) {
        if (Result<void> added = add(task); !added) return added.error();
      }
      if (!choice->setting) {
        if (counted.insert(text_of(cell.canonical)).second) {
          Result<Experiment> fixed = experiment_of(cell.canonical);
          if (!fixed) return fixed.error();
          fixed->pipeline.scales = {1};  // chosen beforehand: one training a run
          const bool first_here = counted.insert(choice->tasks.front().key).second;
          const std::size_t later = runs.size() + (first_here ? choice->later : 0);
          agenda.later += static_cast<double>(later) * cost_of(*fixed, data_of(cell.canonical));
        }
        continue;
      }
      const std::string its_key = key(*choice->setting);
      for (const std::uint64_t run : runs) {
        if (records.find(its_key, run) != nullptr) continue;
        if (Result<void> added = add({*choice->setting, its_key, run}); !added) return added.error();
      }
    }
  }
  return agenda;
}

}  // namespace

std::set<std::string> data_of(const std::vector<PlannedStudy>& studies) {
  std::set<std::string> names;
  for (const PlannedStudy& study : studies) {
    for (const Cell& cell : study.cells) {
      names.insert(value_of(cell.canonical, "data"));
      const auto& tuned_on = study.declaration.select.dense_on;
      if (tuned_on && method_named(value_of(cell.canonical, "method"))->dense) names.insert(*tuned_on);
    }
  }
  return names;
}

Result<Shelf> load_shelf(const std::vector<PlannedStudy>& studies, const graph::LoadOptions& options) {
  Shelf shelf;
  for (const std::string& name : data_of(studies)) {
    Result<graph::Dataset> loaded = graph::load(name, options);
    if (!loaded) return loaded.error();
    Result<StudyData> data = study_data(std::move(loaded).value());
    if (!data) return Error{data.error().code, name + ": " + data.error().message};
    shelf.emplace(name, std::make_shared<const StudyData>(std::move(data).value()));
  }
  return shelf;
}

Result<ExecuteResult> execute(const std::vector<PlannedStudy>& studies, const Shelf& shelf, RecordStore& records,
                              const ExecuteOptions& options) {
  StudyProgress progress;
  const std::set<std::string> units = units_of(studies, options.share);
  const Take append = [&](const Job& job, Measured measured, double seconds) {
    return records.append({job.task.key, job.task.run, job.task.setting, std::move(measured.metrics), seconds,
                           short_checksum(job.data->checksum)});
  };
  while (options.stop == nullptr || !*options.stop) {
    Result<Agenda> agenda = plan(studies, shelf, records, units);
    if (!agenda) return agenda.error();
    if (agenda->jobs.empty()) return ExecuteResult{progress.runs, false};
    progress.total = progress.done + agenda->later;
    if (const auto failure = make_runs(std::move(agenda->jobs), options, progress, append)) {
      return Error{failure->error.code, text_of(failure->setting) + ": " + failure->error.message};
    }
  }
  return ExecuteResult{progress.runs, true};
}

Result<std::vector<MeasuredCell>> measure(const StudyData& data, const std::vector<OneCell>& cells, std::size_t runs,
                                          const ExecuteOptions& options) {
  if (runs < 1 || runs > kMaxRuns) {
    return Error{ErrorCode::invalid_argument,
                 "runs: must be between 1 and " + std::to_string(kMaxRuns) + ", but is " + std::to_string(runs)};
  }
  std::vector<MeasuredCell> measured;
  std::vector<Job> jobs;
  std::vector<ldp::Level> listed;  // a file is read once: it may be standard input
  for (const OneCell& cell : cells) {
    Result<Job> job = job_of({cell.setting, {}, 0}, data);
    if (!job) return job.error();
    job->fidelity = cell.fidelity;
    job->cell = measured.size();
    Experiment& experiment = job->experiment;
    if (!experiment.levels_file.empty() && listed.empty()) {
      auto read = population::read_levels(experiment.levels_file, data.dataset, experiment.level_budgets.size());
      if (!read) return read.error();
      listed = std::move(read).value();
    }
    experiment.level_list = listed;
    for (job->task.run = 0; job->task.run < runs; ++job->task.run) jobs.push_back(*job);
    measured.push_back({cell.setting, std::move(experiment), std::vector<Measured>(runs)});
  }
  StudyProgress progress;
  const Take keep = [&](const Job& job, Measured one, double) -> Result<void> {
    if (one.failed) return *one.failed;
    measured[job.cell].runs[job.task.run] = std::move(one);  // each its own place
    return {};
  };
  if (const auto failure = make_runs(std::move(jobs), options, progress, keep)) return failure->error;
  return measured;
}

}  // namespace ppgnn::study
