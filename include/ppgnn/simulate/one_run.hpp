#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ppgnn/calibrate/collect.hpp"
#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/graph/split.hpp"
#include "ppgnn/population/levels.hpp"
#include "ppgnn/server/training.hpp"
#include "ppgnn/simulate/source.hpp"

/// One run, the unit of every study: everybody reports, then the server trains.
namespace ppgnn::simulate {

/// How people choose, and how randomness is drawn.
struct DrawConfig {
  population::LevelChoice levels = population::LevelChoice::uniform;
  std::vector<ldp::Level> level_list;  ///< one per node, instead of `levels`
  std::optional<graph::Split> split;   ///< instead of one drawn from `split_seed`; its test part may be empty
  std::uint64_t split_seed = 0;
  std::uint64_t noise_seed = 0;
  std::size_t threads = 1;  ///< of one run; never changes a result

  /// The split of a run.
  ///
  /// Errors  Those of make_split.
  [[nodiscard]] Result<graph::Split> split_of(const graph::Dataset& dataset, std::uint64_t run) const;
};

/// Everybody's level in one run; of `levels` to choose from, of one the first, whatever the list says.
[[nodiscard]] std::vector<ldp::Level> levels_of(const graph::Dataset& dataset, const DrawConfig& config,
                                                std::size_t levels, std::uint64_t run);

/// Whether every part of a split has somebody; one that was given may have nobody to test.
[[nodiscard]] Result<void> check_split(const graph::Split& split, const DrawConfig& config);

/// A run after everybody reported. Trainings that differ in nothing else share one.
struct Reported {
  std::uint64_t run = 0;
  std::vector<ldp::Level> levels;  ///< one per person
  graph::Split split;
  calibrate::Collected collected;
};

/// Draws levels and split, and has the devices of `source` report.
///
/// Determinism  Depends on the data, the source, the seeds and the run only.
/// Errors       invalid_argument for too few labelled nodes; those of the source.
[[nodiscard]] Result<Reported> report_once(const graph::Dataset& dataset, const server::Problem& problem,
                                           const Source& source, const DrawConfig& config, std::uint64_t run);

/// Trains on what was reported, on one thread, with the run's own seed; as many hops as the source averages over.
///
/// Errors  Those of server::calibrate_and_train.
[[nodiscard]] Result<server::Trained> train_once(const server::Problem& problem, const Source& source,
                                                 const Reported& reported, const DrawConfig& config,
                                                 server::PipelineOptions options, const train::Hooks& hooks);

/// Of the people of a test part who are at one level: how many, and how many `classes` (one a person) are right about.
struct LevelCount {
  double people = 0;
  double right = 0;
};
[[nodiscard]] std::vector<LevelCount> count_by_level(const graph::Dataset& dataset, std::span<const ldp::Level> levels,
                                                     std::span<const graph::NodeId> test,
                                                     std::span<const std::uint32_t> classes, std::size_t level_count);

}  // namespace ppgnn::simulate
