#pragma once

#include <CLI/App.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "command.hpp"
#include "ppgnn/campaign/place.hpp"

namespace ppgnn::app {

/// What was published, and what the pilots' reports say that it is worth.
[[nodiscard]] nlohmann::ordered_json published_json(const campaign::Decisions& decisions);
[[nodiscard]] std::string published_words(const campaign::Decisions& decisions);

/// Adds calibrate, publish and withdraw to `campaign`.
void add_campaign_home(CLI::App& campaign, Action& action);

}  // namespace ppgnn::app
