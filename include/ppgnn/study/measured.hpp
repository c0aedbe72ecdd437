#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ppgnn/attack/attribute_attack.hpp"
#include "ppgnn/attack/level_attack.hpp"
#include "ppgnn/core/result.hpp"
#include "ppgnn/core/sha256.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/server/training.hpp"
#include "ppgnn/simulate/fidelity.hpp"
#include "ppgnn/study/setting.hpp"
#include "ppgnn/train/model.hpp"
#include "ppgnn/train/predict.hpp"

/// One run of one setting, and what it measured.
namespace ppgnn::study {

/// A data set as runs share it.
struct StudyData {
  graph::Dataset dataset;
  server::Problem problem;
  Digest checksum{};  ///< of the data as it was read
};

/// The data as research takes it; without a problem to train on where nothing is `trained`.
///
/// Errors  invalid_argument for data without features or, where trained, without classes.
[[nodiscard]] Result<StudyData> study_data(graph::Dataset dataset, bool trained = true);

/// The first of the runs by which values are chosen: their splits and noise are not those of the runs that count.
inline constexpr std::uint64_t kFirstSelectionRun = 1000;

/// What people at one level did and got in a run.
struct LevelSums {
  double people = 0;
  double reports = 0;  ///< of campaigns, as `spent`
  double spent = 0;    ///< in nats
  double judged = 0;   ///< people of the test part
  double right = 0;
};

/// Everybody in a run, for those who want more than metrics.
struct Everybody {
  train::Predictions predictions;  ///< by original node number
  std::vector<double> spent;       ///< one per person, in nats
  std::vector<ldp::Plan> plans;    ///< that people reported under; none of methods without one
  train::Model network;            ///< of training, without notes; of campaigns empty
  double factor = 1;               ///< what its input is multiplied by
};

/// What of a run is kept beside its metrics.
struct Keep {
  bool fidelity = false;   ///< how near calibrated features are to clean ones
  bool everybody = false;  ///< memory for each person
};

struct Measured {
  std::map<std::string, double> metrics;    ///< by name, as records keep them
  std::optional<Error> failed = {};         ///< no epoch had a finite loss
  std::vector<ldp::Level> levels = {};      ///< everybody's, of those that the method knows
  std::vector<LevelSums> by_level = {};     ///< of the levels that people choose from
  std::optional<Everybody> everybody = {};  ///< where it was asked for
  // Of training:
  std::optional<simulate::Fidelity> fidelity = {};  ///< where it was asked for
  std::string order = {};
  double cpu_seconds = 0;
  std::size_t epochs = 0;
  // Of attacks:
  attack::AttackResult attributes = {};
  attack::LevelInference level = {};
};

/// What runs share that differ in nothing but later parts.
struct Shared {
  const StudyData* data = nullptr;
  simulate::Source source;
  simulate::Reported reported{};  ///< for attacks: run and levels only
  std::optional<simulate::CampaignStart> start{};
};

/// Draws the run, and has everybody report where training follows.
[[nodiscard]] Result<Shared> share(const Experiment& experiment, const StudyData& data, std::uint64_t run,
                                   const train::Hooks& hooks = {});

/// Does the rest of the run. Runs from kFirstSelectionRun on measure nothing of the test part.
///
/// Determinism  Depends on the experiment, the data and the run only.
/// Errors       Those of training, campaign and attack; a loss that was never finite is in `failed`.
[[nodiscard]] Result<Measured> measure_run(const Experiment& experiment, const Shared& shared, std::uint64_t run,
                                           const Keep& keep, const train::Hooks& hooks);

}  // namespace ppgnn::study
