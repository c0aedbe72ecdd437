#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"

/// Figures, as scripts that gnuplot draws. All are of one family: as wide as a column of print, one size of letters, the
/// same axes in every panel, one legend or names at the lines, 95% intervals as bands.
namespace ppgnn::plot {

/// A figure as a gnuplot script that takes `output` and `terminal` from its caller.
struct Figure {
  std::string name, title, note, script;
  double width = 0, height = 0;  ///< points of print, 72 an inch
};

/// A colour that people with any kind of colour vision can tell from the next ones, with a dash and a mark of its own,
/// so that a grey copy can be read too. Mark 0: none.
struct Style {
  const char* colour;
  int dash;
  int mark;
};
inline constexpr std::array<Style, 20> kStyles{
    {{"#0072b2", 1, 7},  {"#d55e00", 1, 5},  {"#009e73", 1, 9},  {"#cc79a7", 1, 11}, {"#56b4e9", 1, 13},
     {"#e69f00", 1, 15}, {"#882255", 2, 4},  {"#8c8c00", 2, 6},  {"#332288", 2, 8},  {"#44aa99", 2, 10},
     {"#b8860b", 1, 13}, {"#3690c0", 1, 15}, {"#000000", 2, 0},  {"#aa4499", 4, 12}, {"#d55e00", 4, 14},
     {"#009e73", 4, 4},  {"#878787", 4, 6},  {"#7f3c8d", 1, 11}, {"#7f7f7f", 1, 0},  {"#a50026", 1, 9}}};

struct Line {
  std::string name;
  Style style;
};

struct Place {
  double x = 0, value = 0, low = 0, high = 0;
};

struct Panel {
  std::string title;
  std::vector<std::vector<Place>> lines;  ///< places of each line, in their order; none: not in this panel
};

struct Axis {
  std::string title;
  std::vector<std::string> names;  ///< of the places 0, 1, 2, ...; none: numbers from `least` to `most`
  double least = 0, most = 1;
  bool logarithmic = false;
};

/// Panels of lines with the same axes.
struct Panels {
  std::string name, title, note;
  std::string heading;  ///< stands above the figure
  std::string foot;     ///< stands below it
  Axis x;
  std::string y_title;
  std::vector<Line> lines;
  std::vector<Panel> panels;
  bool joined = true;  ///< false where places have no order: marks side by side with bars
};
[[nodiscard]] Figure make_panels(const Panels& panels);

/// One line of a curve figure.
struct CurveLine {
  std::string name;
  std::vector<Place> places;
};

/// One panel with a line each, against a logarithmic axis.
[[nodiscard]] Figure make_curves(const std::string& title, const std::string& x_title, const std::string& y_title,
                                 const std::vector<CurveLine>& lines);

/// A line of a bar figure: a value with its interval.
struct Bar {
  std::string name;
  double value = 0, low = 0, high = 0;
};

/// A mark with its interval for each, one below the other, the value beside it; a dashed line at the first.
[[nodiscard]] Figure make_bars(std::string name, const std::string& title, const std::string& x_title,
                               const std::vector<Bar>& bars, const std::string& note);

/// Draws with gnuplot, as SVG, into this file.
///
/// Errors  io when gnuplot is missing or fails, with what it said, or the file cannot be written.
[[nodiscard]] Result<void> draw_svg(const Figure& figure, const std::filesystem::path& file);

/// Draws with gnuplot: <folder>/<name>.svg and .pdf.
///
/// Errors  io when gnuplot is missing or fails, with what it said.
[[nodiscard]] Result<void> draw(const Figure& figure, const std::filesystem::path& folder);

/// Pixels of a letter in an SVG.
inline constexpr int kSvgFont = 14;

}  // namespace ppgnn::plot
