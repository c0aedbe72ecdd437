#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/server/training.hpp"
#include "ppgnn/simulate/campaign.hpp"
#include "ppgnn/simulate/run.hpp"
#include "ppgnn/simulate/statistics.hpp"

namespace ppgnn::simulate {

/// Campaigns with levels protected and with levels public, beside the graph alone and training without privacy, on the
/// same splits.
struct CampaignRunConfig : DrawConfig {
  CampaignConfig campaign;  ///< its secrecy does not count: both are played
  teach::StructureOptions structure;
  server::PipelineOptions pipeline;  ///< of training without privacy
  std::size_t runs = 5;
  bool nonprivate = true;
  std::size_t threads = 0;  ///< runs at a time; 0: one per core
};

/// How much better than the control.
struct Lift {
  double points = 0;    ///< of accuracy
  double p_points = 1;  ///< corrected resampled t test
  double nats = 0;      ///< of log-loss a person; above 0 is better
  double p_nats = 1;
};

/// What people at one level spend and get in one campaign.
struct CampaignLevel {
  double spent = 0;     ///< of those who report, in nats
  double reported = 0;  ///< share of people who report
  double accuracy = 0;  ///< of the judged
};

/// One way to do it, over all runs.
struct CampaignSeries {
  Series series;
  Lift lift;
  double mean_spent = 0;  ///< over everybody, in nats
  double max_spent = 0;
  double used = 0;                    ///< share of runs in which validation found answers to help
  std::vector<CampaignLevel> levels;  ///< empty for the control and without privacy
};

struct CampaignRunResult {
  CampaignSeries control, protected_levels, public_levels;
  std::optional<CampaignSeries> nonprivate;
  std::vector<double> control_by_level;  ///< accuracy
  std::vector<std::uint64_t> people;     ///< judged, by level, over all runs
  double seconds = 0;                    ///< of teaching, asking and updating, a campaign
  std::vector<std::string> notes;
};

/// Determinism  Same configuration and seeds, same bits, for any number of threads on one instruction set.
/// Errors       Those of plan, data and training, naming the field.
[[nodiscard]] Result<CampaignRunResult> run_campaigns(const graph::Dataset& dataset, const CampaignRunConfig& config,
                                                      const std::function<void(double done, double total)>& progress);

}  // namespace ppgnn::simulate
