#pragma once

#include <filesystem>
#include <string>
#include <vector>

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

/// One line of a curve figure: places on the horizontal axis with a value and its interval.
struct CurveLine {
  std::string name;
  struct Place {
    double x = 0, value = 0, low = 0, high = 0;
  };
  std::vector<Place> places;
};

/// One panel with a line each, against a logarithmic axis, and a panel with the legend.
[[nodiscard]] Figure make_curves(const std::string& title, const std::string& x_title, const std::string& y_title,
                                 const std::vector<CurveLine>& lines);

/// Draws with gnuplot, as SVG, into this file.
///
/// Errors  io when gnuplot is missing or fails, with what it said, or the file cannot be written.
[[nodiscard]] Result<void> draw_svg(const Figure& figure, const std::filesystem::path& file);

/// Draws with gnuplot: <folder>/<name>.svg and .pdf.
///
/// Errors  io when gnuplot is missing or fails, with what it said.
[[nodiscard]] Result<void> draw(const Figure& figure, const std::filesystem::path& folder);

}  // namespace ppgnn::report
