#include "ppgnn/attack/attack.hpp"

#include <mutex>
#include <optional>
#include <utility>

#include "ppgnn/kernels/threads.hpp"

namespace ppgnn::attack {

namespace {

// All runs' guesses together. The bounds of the runs average: a sum of independent guesses, each right with probability
// at most its own bound, exceeds what guesses at the mean bound reach with no more probability (Hoeffding 1956).
LevelInference together(std::span<const LevelInference> runs) {
  LevelInference sum = runs.front();
  const auto count = static_cast<double>(runs.size());
  sum.guesses = sum.right = 0;
  sum.prior = sum.bound = 0;
  for (const LevelInference& run : runs) {
    sum.guesses += run.guesses;
    sum.right += run.right;
    sum.prior += run.prior / count;
    sum.bound += run.bound / count;
  }
  return sum;
}

}  // namespace

double AttackSummary::mean(const std::string& metric) const {
  const auto at = metrics.find(metric);
  return at == metrics.end() ? 0 : at->second.mean;
}

Result<AttackSummary> attack(const graph::Dataset& original, const simulate::RunConfig& config,
                             const AttackOptions& options,
                             const std::function<void(double done, double total)>& progress) {
  if (Result<void> valid = check(original, config); !valid) return valid.error();
  const graph::Dataset dataset = simulate::for_research(original);
  const Result<simulate::Source> source = simulate::Source::make(dataset, config);
  if (!source) return source.error();
  AttackSummary summary;
  summary.mechanism = source->mechanism();
  summary.notes = dataset.notes;
  summary.runs.resize(config.runs);
  std::vector<LevelInference> guessed(config.runs);
  std::vector<std::vector<ldp::Level>> levels(config.runs);
  std::vector<std::optional<Error>> errors(config.runs);

  std::mutex progress_mutex;
  double done = 0;
  AttackOptions one_thread = options;
  one_thread.threads = 1;
  const kernels::Threads threads(config.threads);
  threads.for_each(config.runs, [&](std::size_t run) {
    levels[run] = simulate::levels_of(dataset, config, config.budgets.size(), run);
    const population::Devices devices{&dataset.features, levels[run], config.noise_seed, run, source->content()};
    Result<AttackResult> attributes = infer_attributes(dataset, *source, devices, one_thread);
    Result<LevelInference> level = infer_levels(dataset, *source, devices);
    if (!attributes || !level) {
      errors[run] = attributes ? level.error() : attributes.error();
      return;
    }
    summary.runs[run] = std::move(attributes).value();
    guessed[run] = std::move(level).value();
    const std::lock_guard lock(progress_mutex);
    ++done;
    if (progress) progress(done, static_cast<double>(config.runs));
  });
  for (const std::optional<Error>& error : errors) {
    if (error) return *error;
  }

  summary.privacy = source->privacy(levels);
  for (std::size_t level = 0; level < config.budgets.size(); ++level) summary.spent.push_back(source->spent(level));
  summary.level = together(guessed);
  std::map<std::string, std::vector<double>> values;
  for (std::size_t run = 0; run < config.runs; ++run) {
    for (const auto& [name, value] : summary.runs[run].metrics()) values[name].push_back(value);
    for (const auto& [name, value] : guessed[run].metrics()) values[name].push_back(value);
    summary.ones += summary.runs[run].majority.ones;
    summary.zeros += summary.runs[run].majority.zeros;
  }
  for (const auto& [name, list] : values) summary.metrics[name] = simulate::bootstrap(list, config.noise_seed);
  return summary;
}

}  // namespace ppgnn::attack
