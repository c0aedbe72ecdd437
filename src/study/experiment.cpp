#include "ppgnn/study/experiment.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <set>
#include <utility>

#include "ppgnn/attack/attribute_attack.hpp"
#include "ppgnn/attack/level_attack.hpp"
#include "ppgnn/core/names.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/nn/backbones.hpp"
#include "ppgnn/simulate/campaign.hpp"
#include "ppgnn/simulate/source.hpp"

namespace ppgnn::study {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Work of a run in visits of an edge, a nanosecond or two each: good enough to say how long the rest takes. The weights
// of nodes (activations, loss) and of dense entries are measured, over data sets of 3,000 to 22,000 nodes.
double cost_of(const Setting& setting, const StudyData& data) {
  const auto nodes = static_cast<double>(data.dataset.num_nodes());
  const auto edges = static_cast<double>(data.dataset.graph.nonzeros()) + nodes;
  const auto columns = static_cast<double>(data.dataset.features.cols());
  const MethodEntry& method = *method_named(value_of(setting, "method"));
  const double entries = method.dense ? nodes * columns : nodes * 4;
  const double perturb = method.dense ? 40 * entries : 20 * entries;
  if (method.campaign) return 20000 * nodes + 100 * edges;
  if (value_of(setting, "task") != "classify") return 10 * perturb + 2000 * nodes;
  const double hops = setting.contains("hops") ? parse_number(setting.at("hops")).value_or(0) : 0;
  const double width = nn::backbone_named(value_of(setting, "backbone"))->cost;
  const double scales =
      value_of(setting, "scale") == "common" ? static_cast<double>(server::PipelineOptions().scales.size()) : 1;
  const double epochs = parse_number(value_of(setting, "epochs")).value_or(500);
  const double first_layer = method.dense ? .5 * entries : entries;
  return perturb + scales * epochs * (width * (edges * (2 * hops + 5) + 60 * nodes) + first_layer);
}

// Runs that share what the server sees: the same perturbed data.
struct Batch {
  std::vector<StudyTask> tasks;
  double cost = 0;
};

std::string source_text(const StudyTask& task) {
  Setting seen = task.setting;
  const bool campaign = method_named(value_of(seen, "method"))->campaign;
  std::erase_if(seen, [&](const auto& entry) {
    // Campaigns share what graph and labels say.
    return only_training_sees(entry.first) || (campaign && (entry.first == "method" || entry.first == "epsilon"));
  });
  return std::to_string(task.run) + (campaign ? " campaign " : " ") + text_of(seen);
}

void put(std::map<std::string, double>& metrics, const std::string& name, double value) {
  if (std::isfinite(value)) metrics[name] = value;
}

// Everything the runs of a batch share.
struct Shared {
  const StudyData* data = nullptr;
  simulate::Source source;
  simulate::Reported reported{};  // for attacks: run and levels only
  std::optional<simulate::CampaignStart> start{};
};

Result<Shared> share(const StudyTask& task, const StudyData& data) {
  const Result<simulate::RunConfig> config = config_of(task.setting);
  if (!config) return config.error();
  if (method_named(value_of(task.setting, "method"))->campaign) {
    Result<simulate::CampaignStart> start = simulate::start_campaign(
        data.dataset, data.problem, *config,
        {.all_labels = find_named(teach::kLabelChoices, value_of(task.setting, "labels"))->all}, config->budgets.size(),
        task.run);
    if (!start) return start.error();
    return Shared{&data, {}, {}, std::move(start).value()};
  }
  Result<simulate::Source> source = simulate::Source::make(data.dataset, *config);
  if (!source) return source.error();
  Shared shared{&data, std::move(source).value()};
  if (value_of(task.setting, "task") != "classify") {
    shared.reported.run = task.run;
    shared.reported.levels = simulate::levels_of(data.dataset, *config, config->budgets.size(), task.run);
    return shared;
  }
  Result<simulate::Reported> reported =
      simulate::report_once(data.dataset, data.problem, shared.source, *config, task.run);
  if (!reported) return reported.error();
  shared.reported = std::move(reported).value();
  return shared;
}

void put_privacy(const Shared& shared, std::map<std::string, double>& metrics) {
  if (shared.source.perturbation() == nullptr) return;  // clean features: not a budget of 0, none at all
  const simulate::Privacy privacy = shared.source.privacy({&shared.reported.levels, 1});
  put(metrics, "privacy_mean", privacy.mean);
  put(metrics, "privacy_max", privacy.max);
  put(metrics, "privacy_delta", privacy.delta);
  put(metrics, "privacy_holds", privacy.holds ? 1 : 0);
}

// Accuracy of the people of each level.
void put_levels(const std::vector<simulate::LevelCount>& counts, std::map<std::string, double>& metrics) {
  if (std::count_if(counts.begin(), counts.end(), [](const auto& count) { return count.people > 0; }) < 2) return;
  for (std::size_t level = 0; level < counts.size(); ++level) {
    if (counts[level].people == 0) continue;
    put(metrics, "level" + std::to_string(level + 1) + ".accuracy", counts[level].right / counts[level].people);
  }
}

void put_test_over_train(const graph::Split& split, std::map<std::string, double>& metrics) {
  put(metrics, "test_over_train", static_cast<double>(split.test.size()) / static_cast<double>(split.train.size()));
}

// Nothing when the run was stopped.
Result<std::optional<Record>> classify(const StudyTask& task, const Shared& shared, const train::Hooks& hooks) {
  const Result<simulate::RunConfig> config = config_of(task.setting);
  if (!config) return config.error();
  const Result<server::Trained> trained =
      simulate::train_once(shared.data->problem, shared.source, shared.reported, *config, config->pipeline, hooks);
  Record record{task.key, task.run, task.setting, {}, 0};
  put_privacy(shared, record.metrics);
  if (hooks.stop != nullptr && *hooks.stop) return std::optional<Record>();
  if (!trained) {
    // The loss was not finite before the first epoch ended: a result of its kind, at the raw scale.
    if (trained.error().code != ErrorCode::diverged) return trained.error();
    record.metrics["failed"] = 1;
    return std::optional(record);
  }
  const train::Outcome& outcome = trained->outcome;
  put(record.metrics, "validation_accuracy", outcome.validation.accuracy());
  put(record.metrics, "validation_loss", outcome.validation.mean);
  put(record.metrics, "best_epoch", static_cast<double>(*outcome.best_epoch));
  if (trained->scale) put(record.metrics, "scale", *trained->scale);
  if (outcome.end == train::End::failed) put(record.metrics, "diverged", static_cast<double>(outcome.epochs));
  if (task.run >= kFirstSelectionRun) return std::optional(record);  // values are chosen without a look at test parts
  put(record.metrics, "accuracy", outcome.test.accuracy());
  put(record.metrics, "log_loss", outcome.test.mean);
  put_test_over_train(shared.reported.split, record.metrics);
  put_levels(simulate::count_by_level(shared.data->dataset, shared.reported.levels, shared.reported.split.test,
                                      trained->predictions.classes, shared.source.budgets().size()),
             record.metrics);
  return std::optional(record);
}

Result<std::optional<Record>> teach_and_ask(const StudyTask& task, const Shared& shared) {
  const Result<simulate::RunConfig> config = config_of(task.setting);
  if (!config) return config.error();
  simulate::CampaignConfig campaign;
  campaign.budgets = config->budgets;
  campaign.secrecy = config->secrecy;
  campaign.taught = method_named(value_of(task.setting, "method"))->taught;
  const graph::Dataset& dataset = shared.data->dataset;
  const simulate::CampaignStart& start = *shared.start;
  const Result<simulate::CampaignOutcome> outcome = simulate::play_campaign(
      dataset, campaign, start,
      config->method == simulate::Method::control ? population::Content::nothing : population::Content::features);
  if (!outcome) return outcome.error();
  Record record{task.key, task.run, task.setting, {}, 0};
  const auto labels = dataset.labels.span();
  const teach::Quality chosen = teach::quality_of(outcome->beliefs, labels, start.split.validation);
  const teach::Quality judged = teach::quality_of(outcome->beliefs, labels, start.split.test);
  put(record.metrics, "validation_accuracy", chosen.accuracy);
  put(record.metrics, "validation_loss", chosen.log_loss);
  put(record.metrics, "accuracy", judged.accuracy);
  put(record.metrics, "log_loss", judged.log_loss);
  if (campaign.taught == simulate::Taught::reports) {  // an oracle has no budget at all
    put(record.metrics, "privacy_mean", simulate::mean_of(outcome->spent));
    put(record.metrics, "privacy_max", *std::max_element(outcome->spent.begin(), outcome->spent.end()));
    put(record.metrics, "privacy_delta", 0);
    put(record.metrics, "privacy_holds", 1);  // plans exist only with a certificate that holds
  }
  if (!outcome->tried.empty()) {
    put(record.metrics, "marked_words", static_cast<double>(outcome->marked));
    for (const auto& [name, loss] : outcome->tried) put(record.metrics, name + ".log_loss", loss);
  }
  put(record.metrics, "teachers", static_cast<double>(outcome->teachers));
  put(record.metrics, "answered", static_cast<double>(outcome->answered));
  put(record.metrics, "answers_used", outcome->used ? 1 : 0);
  put(record.metrics, "answers_spread", outcome->spread ? 1 : 0);
  put(record.metrics, "campaign_seconds", outcome->seconds);
  put_test_over_train(start.split, record.metrics);
  put_levels(simulate::count_by_level(dataset, start.levels, start.split.test, teach::classes_of(outcome->beliefs),
                                      campaign.budgets.size()),
             record.metrics);
  return std::optional(record);
}

Result<std::optional<Record>> attack(const StudyTask& task, const Shared& shared) {
  const Result<simulate::RunConfig> config = config_of(task.setting);
  if (!config) return config.error();
  const population::Devices devices{&shared.data->dataset.features, shared.reported.levels, config->noise_seed,
                                    task.run, shared.source.content()};
  const Result<attack::AttackResult> attributes =
      attack::infer_attributes(shared.data->dataset, shared.source, devices, {});
  if (!attributes) return attributes.error();
  const Result<attack::LevelInference> levels = attack::infer_levels(shared.data->dataset, shared.source, devices);
  if (!levels) return levels.error();
  Record record{task.key, task.run, task.setting, {}, 0};
  put_privacy(shared, record.metrics);
  for (const auto& [name, value] : attributes->metrics()) put(record.metrics, name, value);
  for (const auto& [name, value] : levels->metrics()) put(record.metrics, name, value);
  return std::optional(record);
}

Result<std::optional<Record>> run_task(const StudyTask& task, const Shared& shared, const train::Hooks& hooks) {
  if (shared.start) return teach_and_ask(task, shared);
  return value_of(task.setting, "task") == "classify" ? classify(task, shared, hooks) : attack(task, shared);
}

// What is to be done now, and roughly how much comes after.
struct Agenda {
  std::vector<StudyTask> tasks;
  double later = 0;
};

Result<Agenda> plan(const std::vector<PlannedStudy>& studies, const Shelf& shelf, const RecordStore& records) {
  const auto data_of = [&](const Setting& setting) -> const StudyData& {
    return *shelf.find(value_of(setting, "data"))->second;
  };
  const auto key = [&](const Setting& setting) { return key_of(setting, data_of(setting).checksum); };
  Agenda agenda;
  std::set<std::pair<std::string, std::uint64_t>> seen;
  const auto add = [&](const StudyTask& task) {
    if (seen.emplace(task.key, task.run).second) agenda.tasks.push_back(task);
  };
  std::set<std::string> counted;
  for (const PlannedStudy& study : studies) {
    for (const Cell& cell : study.cells) {
      const Result<Choice> choice = choose(cell, study.declaration.select, study.declaration.factors, key, records);
      if (!choice) return choice.error();
      for (const StudyTask& task : choice->tasks) add(task);
      if (!choice->setting) {
        if (counted.insert(text_of(cell.canonical)).second) {
          Setting fixed = cell.canonical;
          if (value_of(fixed, "scale") == "common") fixed["scale"] = "1";  // chosen beforehand: one training a run
          const bool first_here = counted.insert(choice->tasks.front().key).second;
          const std::size_t runs = cell.runs + (first_here ? choice->later : 0);
          agenda.later += static_cast<double>(runs) * cost_of(fixed, data_of(cell.canonical));
        }
        continue;
      }
      const std::string its_key = key(*choice->setting);
      for (std::uint64_t run = 0; run < cell.runs; ++run) {
        if (records.find(its_key, run) == nullptr) add({*choice->setting, its_key, run});
      }
    }
  }
  return agenda;
}

std::vector<Batch> batches_of(const std::vector<StudyTask>& tasks, const Shelf& shelf) {
  std::map<std::string, Batch> by_source;
  for (const StudyTask& task : tasks) {
    Batch& batch = by_source[source_text(task)];
    batch.tasks.push_back(task);
    batch.cost += cost_of(task.setting, *shelf.find(value_of(task.setting, "data"))->second);
  }
  std::vector<Batch> batches;
  batches.reserve(by_source.size());
  for (auto& [text, batch] : by_source) batches.push_back(std::move(batch));
  // The longest first, so that all cores end together.
  std::stable_sort(batches.begin(), batches.end(), [](const Batch& a, const Batch& b) { return a.cost > b.cost; });
  return batches;
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
    auto data = std::make_shared<StudyData>();
    data->checksum = graph::checksum(*loaded);
    data->dataset = simulate::for_research(std::move(loaded).value());
    Result<server::Problem> problem = server::Problem::make(data->dataset);
    if (!problem) return Error{problem.error().code, name + ": " + problem.error().message};
    data->problem = std::move(problem).value();
    shelf.emplace(name, std::move(data));
  }
  return shelf;
}

Result<ExecuteResult> execute(const std::vector<PlannedStudy>& studies, const Shelf& shelf, RecordStore& records,
                              const ExecuteOptions& options) {
  ExecuteResult result;
  std::mutex mutex;  // guards result.runs, progress and failure
  std::optional<Error> failure;
  StudyProgress progress;
  std::atomic<bool> halt = false;
  const auto stopped = [&] { return halt || (options.stop != nullptr && *options.stop); };

  while (!failure && !stopped()) {
    const Result<Agenda> agenda = plan(studies, shelf, records);
    if (!agenda) return agenda.error();
    if (agenda->tasks.empty()) return result;
    const std::vector<Batch> batches = batches_of(agenda->tasks, shelf);
    progress.total = progress.done + agenda->later;
    for (const Batch& batch : batches) progress.total += batch.cost;

    std::atomic<std::size_t> next = 0;
    const kernels::Threads threads(options.jobs);
    threads.for_each(threads.count(), [&](std::size_t) {
      const auto fail = [&](const Error& error, const StudyTask& task) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = Error{error.code, text_of(task.setting) + ": " + error.message};
        halt = true;
      };
      for (std::size_t at = next++; at < batches.size() && !stopped(); at = next++) {
        const Batch& batch = batches[at];
        const StudyData& data = *shelf.find(value_of(batch.tasks.front().setting, "data"))->second;
        const Result<Shared> shared = share(batch.tasks.front(), data);
        if (!shared) return fail(shared.error(), batch.tasks.front());
        for (const StudyTask& task : batch.tasks) {
          if (stopped()) return;
          const auto start = std::chrono::steady_clock::now();
          train::Hooks hooks;
          hooks.stop = options.stop;
          Result<std::optional<Record>> record = run_task(task, *shared, hooks);
          if (!record) return fail(record.error(), task);
          if (!*record) return;  // stopped
          (*record)->seconds = seconds_since(start);
          (*record)->data = short_checksum(data.checksum);
          if (Result<void> appended = records.append(**record); !appended) return fail(appended.error(), task);
          const std::lock_guard lock(mutex);
          ++result.runs;
          progress.done += cost_of(task.setting, data);
          progress.runs = result.runs;
          if (options.progress) options.progress(progress);
        }
      }
    });
  }
  if (failure) return *failure;
  result.stopped = true;
  return result;
}

}  // namespace ppgnn::study
