#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/graph/split.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/server/problem.hpp"
#include "ppgnn/simulate/devices.hpp"
#include "ppgnn/simulate/one_run.hpp"
#include "ppgnn/teach/beliefs.hpp"
#include "ppgnn/teach/structure.hpp"
#include "ppgnn/teach/teacher.hpp"

/// A campaign with simulated devices: labelled people teach, the others answer one question each.
namespace ppgnn::simulate {

/// What simulated campaigns are called; people's public salts follow from it.
inline constexpr const char* kSimulatedCampaign = "simulated";

struct CampaignConfig {
  std::vector<double> budgets{1, 2, 4, 8, 16};  ///< one per level
  ldp::LevelSecrecy secrecy = ldp::LevelSecrecy::public_level;
  std::optional<double> level_budget;  ///< of protected levels
  double response = 1;                 ///< share of those asked who report, in (0, 1]
  bool pilots_first = false;           ///< the others are asked only if the pilots' answers help
  teach::TeachOptions teaching;
};

/// Everything a campaign starts from: drawn once, shared by campaigns that differ in secrecy or in what devices hold.
struct CampaignStart {
  std::uint64_t run = 0;
  std::uint64_t seed = 0;          ///< of the noise
  std::vector<ldp::Level> levels;  ///< one per person
  graph::Split split;
  teach::Beliefs structure;  ///< what graph and labels say
  bool all_labels = false;   ///< whether validation labels are among what it says
};

/// Draws levels and split, and fits the structure model on one thread.
///
/// Determinism  Depends on data, draws, options, levels and run only.
[[nodiscard]] Result<CampaignStart> start_campaign(const graph::Dataset& dataset, const server::Problem& problem,
                                                   const DrawConfig& draw, teach::StructureOptions options,
                                                   std::size_t levels, std::uint64_t run,
                                                   const train::Hooks& hooks = {});

struct CampaignOutcome {
  teach::Beliefs beliefs;     ///< after all answers
  std::vector<double> spent;  ///< by person, in nats; 0 for people who sent nothing
  std::size_t teachers = 0;   ///< people who taught
  std::size_t answered = 0;   ///< people who answered
  bool used = false;          ///< whether validation found that answers help
  bool spread = false;        ///< whether answers spread to neighbours
  double seconds = 0;         ///< teaching, asking and updating, of the calling thread
};

/// Plays a campaign: plans, teaching reports, the taught model, questions, answers, and what they change. Answers are used,
/// and spread to neighbours, only where validation says so.
///
/// Determinism  Depends on its arguments only.
/// Errors       Those of the plans, naming the field; invalid_argument for columns that buckets do not fit.
[[nodiscard]] Result<CampaignOutcome> play_campaign(const graph::Dataset& dataset, const CampaignConfig& config,
                                                    const CampaignStart& start, Content content);

}  // namespace ppgnn::simulate
