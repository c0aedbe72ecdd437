#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/study/one_cell.hpp"

/// What `run` says: of every method the same blocks as JSON; in words one table for methods that average reports and
/// one for campaigns.
namespace ppgnn::app {

[[nodiscard]] nlohmann::ordered_json to_json(const graph::Dataset& dataset, const study::CellResult& result);

/// What the brackets behind an accuracy are.
inline constexpr const char* kIntervalName = "95% t interval over the splits";

/// "78.6 [78.0, 79.2]", in percent; of fewer runs than show an interval "78.6".
[[nodiscard]] std::string show_accuracy(const simulate::Interval& interval);

/// An end of an interval, or null where none is known.
[[nodiscard]] nlohmann::ordered_json bound(const simulate::Interval& interval, double end);

void print_table(const graph::Dataset& dataset, const study::CellResult& result);

}  // namespace ppgnn::app
