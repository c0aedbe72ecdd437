#pragma once

#include <filesystem>
#include <string>

#include "ppgnn/report/summary.hpp"

namespace ppgnn::report {

/// What stands on the horizontal axis where a figure is drawn against epsilon, the strictest person's budget.
enum class Against { epsilon, mean, max };

/// A figure as a gnuplot script that takes `output` and `terminal` from its caller: one panel per combination of the
/// panel factors, one line per value of the line factor with 95% intervals, and a panel with the legend.
struct Figure {
  std::string name, title, note, script;
  double width = 0, height = 0;  ///< pixels
};

[[nodiscard]] Figure make_figure(const EvaluatedStudy& study, const study::FigureView& view, Against against);

/// Draws with gnuplot: <folder>/<name>.svg and .pdf.
///
/// Errors  io when gnuplot is missing or fails, with what it said.
[[nodiscard]] Result<void> draw(const Figure& figure, const std::filesystem::path& folder);

}  // namespace ppgnn::report
