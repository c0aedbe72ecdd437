#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/study/one_cell.hpp"

/// What `run` says of several methods: one row each, the first the control of all others.
namespace ppgnn::app {

[[nodiscard]] nlohmann::ordered_json to_json(const graph::Dataset& dataset, const std::vector<study::TableRow>& rows);

void print_table(const graph::Dataset& dataset, const std::vector<study::TableRow>& rows);

/// Writes run.csv, run.tex and the figure (run.gp, drawn as run.svg and run.pdf where gnuplot is at hand).
///
/// Errors  io, naming the file.
[[nodiscard]] Result<void> write_table(const graph::Dataset& dataset, const std::vector<study::TableRow>& rows,
                                       const std::string& folder);

}  // namespace ppgnn::app
