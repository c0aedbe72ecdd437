#include "ppgnn/simulate/one_run.hpp"

#include <utility>

namespace ppgnn::simulate {

Result<graph::Split> DrawConfig::split_of(const graph::Dataset& dataset, std::uint64_t run) const {
  if (split) return *split;
  return graph::make_split(dataset, split_seed, run);
}

std::vector<ldp::Level> levels_of(const graph::Dataset& dataset, const DrawConfig& config, std::size_t levels,
                                  std::uint64_t run) {
  if (!config.level_list.empty() && levels > 1) return config.level_list;
  return population::choose_levels(config.levels, dataset.num_nodes(), levels, config.noise_seed, run);
}

Result<void> check_split(const graph::Split& split, const DrawConfig& config) {
  const bool judged = !split.test.empty() || config.split;
  if (!split.train.empty() && !split.validation.empty() && judged) return {};
  return Error{ErrorCode::invalid_argument, "data: too few labelled nodes for a split in three"};
}

Result<Reported> report_once(const graph::Dataset& dataset, const server::Problem& problem, const Source& source,
                             const DrawConfig& config, std::uint64_t run) {
  Reported reported{run, levels_of(dataset, config, source.budgets().size(), run), {}, {}};
  Result<graph::Split> split = config.split_of(dataset, run);
  if (!split) return split.error();
  if (Result<void> whole = check_split(*split, config); !whole) return whole.error();
  reported.split = std::move(split).value();
  const population::Devices devices{&dataset.features, reported.levels, config.noise_seed, run, source.content()};
  Result<calibrate::Collected> collected = source.collect(problem, devices);
  if (!collected) return collected.error();
  reported.collected = std::move(collected).value();
  return reported;
}

Result<server::Trained> train_once(const server::Problem& problem, const Source& source, const Reported& reported,
                                   const DrawConfig& config, server::PipelineOptions options,
                                   const train::Hooks& hooks) {
  options.hops = source.hops(options.hops);
  options.training.seed = server::training_seed(config.noise_seed, reported.run);
  options.training.threads = config.threads;
  return server::calibrate_and_train(problem, reported.collected, reported.split, options, hooks);
}

std::vector<LevelCount> count_by_level(const graph::Dataset& dataset, std::span<const ldp::Level> levels,
                                       std::span<const graph::NodeId> test, std::span<const std::uint32_t> classes,
                                       std::size_t level_count) {
  std::vector<LevelCount> counts(level_count);
  for (const graph::NodeId node : test) {
    LevelCount& count = counts[static_cast<std::uint32_t>(levels[node]) - 1];
    ++count.people;
    if (classes[node] == static_cast<std::uint32_t>(dataset.labels[node])) ++count.right;
  }
  return counts;
}

}  // namespace ppgnn::simulate
