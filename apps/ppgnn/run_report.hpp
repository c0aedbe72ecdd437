#pragma once

#include <nlohmann/json_fwd.hpp>

#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/study/one_cell.hpp"

/// What `run` says: of every method the same blocks as JSON; in words one table for methods that average reports and
/// one for campaigns.
namespace ppgnn::app {

[[nodiscard]] nlohmann::ordered_json to_json(const graph::Dataset& dataset, const study::CellResult& result);

void print_table(const graph::Dataset& dataset, const study::CellResult& result);

}  // namespace ppgnn::app
