#pragma once

#include <CLI/App.hpp>
#include <cstdint>

#include "command.hpp"
#include "ppgnn/store/store.hpp"

/// Campaigns that a collector keeps.
namespace ppgnn::app {

/// Prints a round of a store that has one: how it stands, and what comes next.
[[nodiscard]] Status print_round(store::Store& store, std::uint32_t number, bool json);

/// Adds close, status, erase, erased and backup to `campaign`.
void add_campaign_store(CLI::App& campaign, Action& action);

}  // namespace ppgnn::app
