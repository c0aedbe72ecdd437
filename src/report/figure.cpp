#include "ppgnn/report/figure.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "ppgnn/core/names.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/report/table.hpp"

namespace ppgnn::report {

namespace {

constexpr double kPanelWidth = 300;
constexpr double kPanelHeight = 230;

// Colours that differ in lightness too, with a dash and a mark of their own, so that a grey copy can be read.
struct Style {
  const char* colour;
  int dash;
  int mark;
};
constexpr std::array<Style, 16> kStyles{{{"#08306b", 1, 7},
                                         {"#b34700", 2, 5},
                                         {"#35b58a", 3, 9},
                                         {"#d98cb8", 4, 11},
                                         {"#56b4e9", 5, 13},
                                         {"#b8860b", 1, 4},
                                         {"#7f3c8d", 2, 6},
                                         {"#6fae3f", 3, 8},
                                         {"#a50026", 4, 10},
                                         {"#e7298a", 4, 12},
                                         {"#66c2a5", 1, 14},
                                         {"#01665e", 2, 15},
                                         {"#525252", 3, 2},
                                         {"#c2a5cf", 4, 4},
                                         {"#8c510a", 5, 6},
                                         {"#878787", 1, 12}}};
constexpr Style kControl{"#000000", 2, 2};
constexpr Style kClean{"#767676", 1, 1};

// A method looks the same in every figure; at the mean budget it keeps its colour, with a dash and a mark of that kind.
Style style_of(const std::string& factor, const std::string& value, std::size_t index) {
  if (factor != "method") return kStyles[index % kStyles.size()];
  const study::MethodEntry* method = study::method_named(value);
  if (method == nullptr || value == "control") return kControl;
  if (value == "nonpriv") return kClean;
  Style style = kStyles[method->style % kStyles.size()];
  if (value != method->name) {
    style.dash = 5;
    style.mark = 3;
  }
  return style;
}

// gnuplot's single quotes: nothing inside is expanded or run.
std::string in_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out.append(c == '\'' ? 2 : 1, static_cast<unsigned char>(c) < ' ' ? ' ' : c);
  return out + "'";
}

struct Point {
  double x, mean, low, high, budget;
};

std::string axis_title(const std::string& factor, Against against) {
  if (against == Against::mean) return "mean budget spent";
  if (against == Against::max) return "largest budget spent";
  if (factor == "epsilon") return "epsilon (strictest person)";
  return std::string(find_named(study::kFactors, factor)->title);
}

std::string metric_title(const std::string& metric) {
  if (metric == "accuracy") return "test accuracy (%)";
  // "both.auc" is somebody's measure: the measure first.
  const std::size_t dot = metric.rfind('.');
  std::string text = dot == std::string::npos ? metric : metric.substr(dot + 1);
  if (text == "auc") text = "AUC";
  if (dot != std::string::npos) text += ", " + metric.substr(0, dot);
  std::replace(text.begin(), text.end(), '_', ' ');
  return is_percentage(metric) ? text + " (%)" : text;
}

// Whether the people's budget changes along a line, so that it can be drawn against it.
bool changes_budget(const std::vector<Point>& points) {
  const auto [least, most] = std::minmax_element(points.begin(), points.end(),
                                                 [](const Point& a, const Point& b) { return a.budget < b.budget; });
  return least->budget > 0 && most->budget > 1.01 * least->budget;
}

// The axis of budgets, with room at both ends; logarithmic where they differ tenfold.
std::string budget_axis(double least, double most) {
  const bool wide = most > 10 * least;
  const double room = wide ? std::pow(most / least, .05) : .05 * (most - least);
  return std::string(wide ? "set" : "unset") + " logscale x\nset xtics auto\nset format x '%g'\nset xrange [" +
         format_number(wide ? least / room : least - room) + ":" + format_number(wide ? most * room : most + room) +
         "]\n";
}

std::string look_of(const Style& style, int dash) {
  return std::string(" lw 1.5 lc rgb '") + style.colour + "' dt " + std::to_string(dash) + " notitle";
}

// A line, its intervals as bars without heads, and its marks; gnuplot's own error bars have white discs behind the
// marks that hide short intervals.
std::string plot_of(const std::string& block, const Style& style) {
  return block + " using 1:2 with lines" + look_of(style, style.dash) + ", " + block +
         " using 1:3:(0):($4-$3) with vectors nohead" + look_of(style, 1) + ", " + block +
         " using 1:2 with points ps 0.6 pt " + std::to_string(style.mark) + look_of(style, 1);
}

// The legend has the last panel to itself: a row per line, and the note. gnuplot's own drops rows that do not fit.
std::string legend(const std::vector<std::pair<std::string, Style>>& entries, const std::string& note) {
  const double rows = static_cast<double>(entries.size()) + (note.empty() ? 0 : 1.5);
  const double step = std::min(.08, 1 / rows);
  const std::string font = step < .065 ? " font ',8'" : "";
  std::string script =
      "unset title\nunset xlabel\nunset ylabel\nunset border\nunset tics\nunset logscale x\nset tmargin 1\nset bmargin "
      "1\nset xrange [0:1]\nset yrange [0:1]\n";
  const auto height = [&](std::size_t row) { return format_number(1 - step * (static_cast<double>(row) + .5)); };
  std::string plots;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& [name, style] = entries[i];
    const std::string block = "$legend" + std::to_string(i);
    script += block + " << EOD\n";
    for (const char* x : {"0.00 ", "0.08 ", "0.16 "}) script += x + height(i) + "\n";
    script += "EOD\nset label " + in_quotes(name) + " at 0.21," + height(i) + " left" + font;
    script += "\n";
    plots += (plots.empty() ? "plot " : ", ") + block + " using 1:2 with lines" + look_of(style, style.dash);
    plots += ", " + block + " using 1:2 every ::1::1 with points ps 0.6 pt " + std::to_string(style.mark) +
             look_of(style, 1);
  }
  if (!note.empty()) {
    script += "set label " + in_quotes(note) + " at 0," + height(entries.size()) + " left" + font + " offset 0,-0.5\n";
  }
  return plots.empty() ? "" : script + plots + "\nunset label\n";
}

// Runs gnuplot on a script file; what it says goes to a log beside it.
Result<void> run_gnuplot(const std::filesystem::path& script) {
  const std::string log = script.string() + ".log";
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  std::string program = "gnuplot";
  std::string argument = script.string();
  char* arguments[] = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, program.c_str(), &files, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  int status = 0;
  const bool drawn = failed == 0 && ::waitpid(child, &status, 0) == child && status == 0;
  const Result<std::string> said = io::read_file(log);
  std::error_code ignored;
  std::filesystem::remove(log, ignored);
  if (drawn) return {};
  const std::string why = failed != 0 ? std::strerror(failed) : said ? *said : std::string();
  return Error{ErrorCode::io, "gnuplot failed (is gnuplot-nox installed?): " + why};
}

constexpr const char* kFrame =
    "set lmargin 9.5\nset rmargin 2\nset tmargin 2\nset bmargin 4\nset border 3\nset tics nomirror out\n"
    "set offsets graph 0, 0, graph 0.06, graph 0.06\n";

std::string size_of(const Figure& figure, double scale) {
  return format_number(figure.width * scale) + "," + format_number(figure.height * scale);
}

// What draws a figure as SVG.
std::string svg_script(const Figure& figure, const std::filesystem::path& file) {
  std::string letters = figure.name;  // gnuplot's prefix of ids takes nothing else
  std::replace_if(
      letters.begin(), letters.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return "set encoding utf8\nset terminal svg noenhanced name " + in_quotes(letters) +
         " background rgb 'white' font 'Helvetica,11' size " + size_of(figure, 1) + "\nset output " +
         in_quotes(file.string()) + "\n" + figure.script + "unset output\n";
}

// Writes one figure's script, panel by panel.
class FigureWriter {
 public:
  FigureWriter(const EvaluatedStudy& study, const study::FigureView& view, Against against)
      : study_(study), view_(view), against_(against), lines_(study.values_of_factor(view.lines, view.where)) {
    // What varies beyond the view, because somebody asked for more, gets panels too.
    std::vector<std::string> listed = view.panels;
    listed.insert(listed.end(), {view.x, view.lines});
    panel_factors_ = study.others(listed, view.where);
    panel_factors_.insert(panel_factors_.end(), view.panels.begin(), view.panels.end());
  }

  Figure write() {
    const std::vector<study::Match> panels = study_.combinations(panel_factors_, view_.where);
    const std::size_t columns = std::min<std::size_t>(3, panels.size() + 1);
    const std::size_t rows = (panels.size() + 1 + columns - 1) / columns;
    script_ = "unset key\nset multiplot layout " + std::to_string(rows) + "," + std::to_string(columns) + "\n";
    script_ += kFrame;
    for (const study::Match& panel : panels) add_panel(panel);
    std::vector<std::pair<std::string, Style>> entries;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      if (!drawn_.contains(lines_[line])) continue;
      entries.emplace_back(show_value(view_.lines, lines_[line]), style_of(view_.lines, lines_[line], line));
    }
    script_ += legend(entries, study_.declaration.quick ? "Quick: fewer runs and points" : "") + "unset multiplot\n";
    return {view_.name,
            view_.title,
            note(),
            std::move(script_),
            kPanelWidth * static_cast<double>(columns),
            kPanelHeight * static_cast<double>(rows)};
  }

 private:
  // The lines of one panel, and the budgets that occur in it.
  struct Panel {
    std::map<std::string, std::vector<Point>> series;
    std::set<double> budgets;
  };

  [[nodiscard]] Panel read_panel(const study::Match& panel, const std::vector<std::string>& xs) const {
    const double factor = is_percentage(view_.metric) ? 100 : 1;
    Panel read;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      for (std::size_t at = 0; at < xs.size(); ++at) {
        const EvaluatedCell* cell = study_.find(panel.with({{{view_.lines, {lines_[line]}}, {view_.x, {xs[at]}}}}));
        const auto interval = cell == nullptr ? std::nullopt : cell->interval(view_.metric);
        if (!interval) continue;
        // Neighbouring lines are set apart a little, so that their intervals can be told from each other.
        const double x =
            static_cast<double>(at) + .05 * (static_cast<double>(line) - static_cast<double>(lines_.size() - 1) / 2);
        const auto spent = cell->interval(against_ == Against::mean ? "privacy_mean" : "privacy_max");
        if (spent && spent->mean > 0) read.budgets.insert(spent->mean);
        read.series[lines_[line]].push_back(
            {x, factor * interval->mean, factor * interval->low, factor * interval->high, spent ? spent->mean : 0});
      }
    }
    return read;
  }

  // Moves every point to its budget.
  void put_against_budgets(Panel& panel) {
    if (panel.budgets.empty()) return;  // no record says what was spent
    for (auto& [name, points] : panel.series) {
      for (Point& point : points) point.x = point.budget;
      std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
      if (points.front().x > 0) continue;
      averaged_ = true;
      // The control spends nothing and clean features have no budget: a line from end to end, their mean over x.
      Point mean{*panel.budgets.begin(), 0, 0, 0, 0};
      for (const Point& point : points) {
        mean.mean += point.mean / static_cast<double>(points.size());
        mean.low += point.low / static_cast<double>(points.size());
        mean.high += point.high / static_cast<double>(points.size());
      }
      points = {mean, mean};
      points.back().x = *panel.budgets.rbegin();
    }
  }

  // The axis of the factor's own values, one place each.
  [[nodiscard]] std::string value_axis(const std::vector<std::string>& xs) const {
    std::string script =
        "unset logscale x\nset xrange [-0.4:" + format_number(static_cast<double>(xs.size()) - .6) + "]\nset xtics (";
    bool long_names = false;
    for (std::size_t at = 0; at < xs.size(); ++at) {
      const std::string shown = show_value(view_.x, xs[at]);
      long_names = long_names || shown.size() > 7;
      script += (at == 0 ? "" : ", ") + in_quotes(shown) + " " + std::to_string(at);
    }
    return script + (long_names ? ") font ',8'\n" : ")\n");
  }

  void add_panel(const study::Match& match) {
    const std::vector<std::string> xs = study_.values_of_factor(view_.x, match);
    Panel panel = read_panel(match, xs);
    // Where no line's budget changes along x, there is nothing to draw against it.
    const bool numeric =
        against_ != Against::epsilon && std::any_of(panel.series.begin(), panel.series.end(),
                                                    [](const auto& one) { return changes_budget(one.second); });
    if (numeric) put_against_budgets(panel);
    script_ += "set title " + in_quotes(title_of(match)) + " offset 0,-0.5 font ',9'\nset xlabel " +
               in_quotes(axis_title(view_.x, numeric ? against_ : Against::epsilon)) + "\nset ylabel " +
               in_quotes(metric_title(view_.metric)) + " offset 1,0 font ',9'\n";
    script_ += numeric ? budget_axis(*panel.budgets.begin(), *panel.budgets.rbegin()) : value_axis(xs);
    std::string plots;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      const auto found = panel.series.find(lines_[line]);
      if (found == panel.series.end()) continue;
      drawn_.insert(lines_[line]);
      const std::string block = "$d" + std::to_string(blocks_++);
      script_ += block + " << EOD\n";
      for (const Point& point : found->second) {
        script_ += format_number(point.x) + " " + format_number(point.mean) + " " + format_number(point.low) + " " +
                   format_number(point.high) + "\n";
      }
      script_ += "EOD\n";
      plots += (plots.empty() ? "plot " : ", ") + plot_of(block, style_of(view_.lines, lines_[line], line));
    }
    if (plots.empty()) {
      plots =
          "set label 'no runs' at graph 0.5,0.5 center\nset yrange [0:1]\nplot NaN notitle\nunset label\nset "
          "yrange [*:*]";
    }
    script_ += plots + "\n";
  }

  [[nodiscard]] std::string title_of(const study::Match& panel) const {
    std::string title;
    for (const std::string& name : panel_factors_) {
      for (const auto& [key, values] : panel.values) {
        if (key == name) title += (title.empty() ? "" : ", ") + show_factor(name, values.front());
      }
    }
    return title;
  }

  [[nodiscard]] std::string note() const {
    std::string text = "Bars are 95% bootstrap intervals.";
    if (averaged_) {
      text += " The control and clean features, which spend nothing, are means over " +
              std::string(find_named(study::kFactors, view_.x)->title) + ".";
    }
    if (study_.declaration.quick) text += " Quick: fewer runs and points than declared.";
    return text;
  }

  const EvaluatedStudy& study_;
  const study::FigureView& view_;
  Against against_;
  std::vector<std::string> lines_;
  std::vector<std::string> panel_factors_;
  std::string script_;
  std::set<std::string> drawn_;  // lines that are in some panel
  std::size_t blocks_ = 0;       // of data, so far
  bool averaged_ = false;
};

}  // namespace

Figure make_figure(const EvaluatedStudy& study, const study::FigureView& view, Against against) {
  return FigureWriter(study, view, against).write();
}

Result<void> draw(const Figure& figure, const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return Error{ErrorCode::io, folder.string() + ": cannot be made: " + failed.message()};
  const std::filesystem::path script = folder / (figure.name + ".gnuplot");
  const std::string pdf = (folder / (figure.name + ".pdf")).string();
  const std::string text = svg_script(figure, folder / (figure.name + ".svg")) +
                           "reset\nset terminal pdfcairo noenhanced font 'Helvetica,8' size " +
                           size_of(figure, 1.0 / 96) + "\nset output " + in_quotes(pdf) + "\n" + figure.script +
                           "unset output\n";
  if (Result<void> written = io::write_text(script, text); !written) return written;
  return run_gnuplot(script);
}

Figure make_curves(const std::string& title, const std::string& x_title, const std::string& y_title,
                   const std::vector<CurveLine>& lines) {
  constexpr double kLarger = 1.4;
  constexpr double kApart = 1.08;  // neighbouring lines, so that their intervals can be told from each other
  constexpr double kRoom = 1.5;
  std::string data;
  std::string plots;
  std::vector<std::pair<std::string, Style>> entries;
  std::set<double> xs;
  for (const CurveLine& line : lines) {
    const Style& style = kStyles[entries.size() % kStyles.size()];
    const double shift =
        std::pow(kApart, static_cast<double>(entries.size()) - static_cast<double>(lines.size() - 1) / 2);
    const std::string block = "$d" + std::to_string(entries.size());
    data += block + " << EOD\n";
    for (const CurveLine::Place& at : line.places) {
      xs.insert(at.x);
      data += format_number(at.x * shift) + " " + format_number(at.value) + " " + format_number(at.low) + " " +
              format_number(at.high) + "\n";
    }
    data += "EOD\n";
    plots += (plots.empty() ? "plot " : ", ") + plot_of(block, style);
    entries.emplace_back(line.name, style);
  }
  const std::string range =
      xs.empty() ? "" : format_number(*xs.begin() / kRoom) + ":" + format_number(*xs.rbegin() * kRoom);
  std::string script = std::string("unset key\nset multiplot layout 1,2\n") + kFrame + "set title " + in_quotes(title) +
                       " offset 0,-0.5 font ',9'\nset xlabel " + in_quotes(x_title) + "\nset ylabel " +
                       in_quotes(y_title) +
                       " offset 1,0 font ',9'\nset logscale x\nset format x '%.0s%c'\nset xrange [" + range + "]\n" +
                       data + plots + "\n" + legend(entries, "Bars: 95% intervals") + "unset multiplot\n";
  return {"curves", title, {}, std::move(script), 2 * kLarger * kPanelWidth, kLarger * kPanelHeight};
}

Result<void> draw_svg(const Figure& figure, const std::filesystem::path& file) {
  std::filesystem::path script = file;
  script += ".gnuplot";
  if (Result<void> written = io::write_text(script, svg_script(figure, file)); !written) return written;
  Result<void> drawn = run_gnuplot(script);
  std::error_code ignored;
  std::filesystem::remove(script, ignored);
  return drawn;
}

}  // namespace ppgnn::report
