#pragma once

#include <CLI/App.hpp>
#include <cstddef>

#include "command.hpp"
#include "ppgnn/campaign/place.hpp"

/// Campaigns as they stand, and what is done to those that a collector keeps.
namespace ppgnn::app {

/// Prints how a round stands and what comes next. `where`: as PlaceChoice::words says it.
void print_round(const campaign::State& state, std::size_t number, const std::string& where, bool json);

/// Adds status, close, erase, erased, backup and copy to `campaign`.
void add_campaign_store(CLI::App& campaign, Action& action);

/// Adds list, archive, remove and trail.
void add_campaign_trail(CLI::App& campaign, Action& action);
/// Adds request and work.
void add_campaign_work(CLI::App& campaign, Action& action);

}  // namespace ppgnn::app
