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
#include "ppgnn/population/devices.hpp"
#include "ppgnn/server/problem.hpp"
#include "ppgnn/simulate/liars.hpp"
#include "ppgnn/simulate/one_run.hpp"
#include "ppgnn/teach/beliefs.hpp"
#include "ppgnn/teach/home.hpp"
#include "ppgnn/teach/structure.hpp"
#include "ppgnn/teach/teacher.hpp"

/// A campaign with simulated devices: labelled people teach, the others answer one question each; or everybody teaches, and
/// devices decide.
namespace ppgnn::simulate {

/// What simulated campaigns are called; people's public salts follow from it.
inline constexpr const char* kSimulatedCampaign = "simulated";

/// What teaches the model that people are asked about.
enum class Taught {
  reports,  ///< the teaching reports
  clean,    ///< the clean features of the same teachers: the ceiling
  marked,   ///< the reports of which an oracle says which are true; the estimator that test people find best
  counted,  ///< the same as if every teacher had sent every favoured word: all that words say one by one
};

struct CampaignConfig {
  std::vector<double> budgets{1, 2, 4, 8, 16};  ///< one per level
  ldp::LevelSecrecy secrecy = ldp::LevelSecrecy::public_level;
  std::optional<double> level_budget;  ///< of protected levels
  double response = 1;                 ///< share of those asked who report, in (0, 1]
  bool pilots_first = false;           ///< the others are asked only if the pilots' answers help
  double liars = 0;                    ///< share of people who lie, 0 .. 1
  Lie lie = Lie::one_word;
  teach::TeachOptions teaching;
  Taught taught = Taught::reports;             ///< the others have no privacy and are for research
  bool at_home = false;                        ///< everybody but the pilots teaches, and devices decide
  ldp::HintKind hint = ldp::HintKind::coarse;  ///< of devices that decide
  std::size_t hint_friends =
      0;                    ///< people with fewer friends whose label is spread get a hint that says nothing of them
  std::size_t threads = 1;  ///< never changes a result
};

/// What the model of one estimator came to, of several.
struct Tried {
  std::string name;
  double log_loss = 0;  ///< of test people, nats a person
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

/// Draws levels and split, and fits the structure model.
///
/// Determinism  Depends on data, draws, options, levels and run only.
[[nodiscard]] Result<CampaignStart> start_campaign(const graph::Dataset& dataset, const server::Problem& problem,
                                                   const DrawConfig& draw, teach::StructureOptions options,
                                                   std::size_t levels, std::uint64_t run,
                                                   const train::Hooks& hooks = {});

/// What came out where devices decide.
struct HomeOutcome {
  teach::Calibration calibration;
  bool withdrawn = false;            ///< the pilots say that features do harm: hints decide alone
  std::size_t impersonal = 0;        ///< people whose hint says nothing of them
  std::uint32_t pilot_outcomes = 0;  ///< that a pilot's report chooses from
};

struct CampaignOutcome {
  teach::Beliefs beliefs;           ///< after all answers
  std::vector<double> spent;        ///< by person, in nats; 0 for people who sent nothing
  std::size_t teachers = 0;         ///< people who taught
  std::size_t answered = 0;         ///< people who answered
  bool used = false;                ///< whether validation found that answers help
  bool spread = false;              ///< whether answers spread to neighbours
  double seconds = 0;               ///< teaching, asking and updating, of the calling thread
  std::vector<bool> liars;          ///< by person; empty: nobody
  std::size_t marked = 0;           ///< words that an oracle told
  std::vector<Tried> tried;         ///< where the best of several models is taken
  std::optional<HomeOutcome> home;  ///< where devices decide; `beliefs` are then their decisions
  std::vector<ldp::Plan> plans;     ///< round by round
};

/// Plays a campaign: plans, teaching reports, the taught model, questions, answers, and what they change. Answers are used,
/// and spread to neighbours, only where validation says so.
///
/// Determinism  Depends on its arguments only.
/// Errors       Those of the plans, naming the field; invalid_argument for columns that buckets do not fit, or for a model
///              taught by what devices do not hold.
[[nodiscard]] Result<CampaignOutcome> play_campaign(const graph::Dataset& dataset, const CampaignConfig& config,
                                                    const CampaignStart& start, population::Content content);

}  // namespace ppgnn::simulate
