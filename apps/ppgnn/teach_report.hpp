#pragma once

#include <nlohmann/json_fwd.hpp>

#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/simulate/campaign_run.hpp"

/// What `run` says of campaigns.
namespace ppgnn::app {

/// control, protected, public and nonprivate with their lifts; and what people at each level spend and get.
[[nodiscard]] nlohmann::ordered_json to_json(const simulate::CampaignRunConfig& config,
                                             const simulate::CampaignRunResult& result);

void print_table(const graph::Dataset& dataset, const simulate::CampaignRunConfig& config,
                 const simulate::CampaignRunResult& result);

}  // namespace ppgnn::app
