#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "ppgnn/core/result.hpp"

/// Figures, as scripts that gnuplot draws.
namespace ppgnn::plot {

/// A figure as a gnuplot script that takes `output` and `terminal` from its caller: panels of lines with 95% intervals,
/// and a panel with the legend.
struct Figure {
  std::string name, title, note, script;
  double width = 0, height = 0;  ///< pixels
};

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

// ---- for scripts of other figures

inline constexpr double kPanelWidth = 300;
inline constexpr double kPanelHeight = 230;  // pixels

/// Colours that differ in lightness too, with a dash and a mark of their own, so that a grey copy can be read.
struct Style {
  const char* colour;
  int dash;
  int mark;
};
inline constexpr std::array<Style, 20> kStyles{
    {{"#08306b", 1, 7},  {"#b34700", 2, 5},  {"#35b58a", 3, 9}, {"#d98cb8", 4, 11}, {"#56b4e9", 5, 13},
     {"#b8860b", 1, 4},  {"#7f3c8d", 2, 6},  {"#6fae3f", 3, 8}, {"#a50026", 4, 10}, {"#e7298a", 4, 12},
     {"#66c2a5", 1, 14}, {"#01665e", 2, 15}, {"#525252", 3, 2}, {"#c2a5cf", 4, 4},  {"#8c510a", 5, 6},
     {"#878787", 1, 12}, {"#3690c0", 2, 8},  {"#000000", 3, 4}, {"#3f007d", 4, 7},  {"#e6550d", 1, 5}}};

/// What every panel starts with.
inline constexpr const char* kFrame =
    "set lmargin 9.5\nset rmargin 2\nset tmargin 2\nset bmargin 4\nset border 3\nset tics nomirror out\n"
    "set offsets graph 0, 0, graph 0.06, graph 0.06\n";

[[nodiscard]] std::string in_quotes(const std::string& text);

/// A line of the data block, its intervals and its marks.
[[nodiscard]] std::string plot_of(const std::string& block, const Style& style);

/// The legend, which has the last panel to itself: a row per line, and the note.
[[nodiscard]] std::string legend(const std::vector<std::pair<std::string, Style>>& entries, const std::string& note);

}  // namespace ppgnn::plot
