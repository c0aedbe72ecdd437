#include "ppgnn/plot/plot.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>

#include "ppgnn/core/number.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::plot {

namespace {

std::string look_of(const Style& style, int dash) {
  return std::string(" lw 1.5 lc rgb '") + style.colour + "' dt " + std::to_string(dash) + " notitle";
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

}  // namespace

// gnuplot's single quotes: nothing inside is expanded or run.
std::string in_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out.append(c == '\'' ? 2 : 1, static_cast<unsigned char>(c) < ' ' ? ' ' : c);
  return out + "'";
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
  std::string script = "unset key\nset multiplot layout 1,2\n";
  script += kFrame;
  script += "set title " + in_quotes(title) + " offset 0,-0.5 font ',9'\nset xlabel " + in_quotes(x_title) +
            "\nset ylabel " + in_quotes(y_title) +
            " offset 1,0 font ',9'\nset logscale x\nset format x '%.0s%c'\nset xrange [" + range + "]\n" + data +
            plots + "\n" + legend(entries, "Bars: 95% intervals") + "unset multiplot\n";
  return {"curves", title, {}, std::move(script), 2 * kLarger * kPanelWidth, kLarger * kPanelHeight};
}

Figure make_bars(std::string name, const std::string& title, const std::string& x_title, const std::vector<Bar>& bars,
                 const std::string& note) {
  constexpr double kRowHeight = 24;
  constexpr double kBarWidth = 520;
  std::string data = "$d << EOD\n";
  std::string names;
  std::string values;
  double least = bars.empty() ? 0 : bars.front().low;
  double most = bars.empty() ? 1 : bars.front().high;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    const std::string row = std::to_string(bars.size() - i);
    data += format_number(bar.value) + " " + row + " " + format_number(bar.low) + " " + format_number(bar.high) + "\n";
    names += (i == 0 ? "" : ", ") + in_quotes(bar.name) + " " + row;
    char shown[32];
    std::snprintf(shown, sizeof shown, "%.1f", bar.value);
    values += "set label " + in_quotes(shown) + " at " + format_number(bar.high) + "," + row + " left offset 1,0\n";
    least = std::min(least, bar.low);
    most = std::max(most, bar.high);
  }
  const double room = std::max(1e-9, most - least) / 12;
  const std::string rows = std::to_string(bars.size());
  const std::string first = bars.empty() ? "0" : format_number(bars.front().value);
  std::string script = "unset key\nset border 1\nset tics nomirror out\nset lmargin 24\nset rmargin 4\nset tmargin 2\n";
  script +=
      "set bmargin 5\nset title " + in_quotes(title) + " font ',9'\nset xlabel " + in_quotes(x_title) + "\nset label " +
      in_quotes(note) + " at screen 0.02,0.05 left font ',8'" + "\nset ytics (" + names +
      ") scale 0\nset yrange [0.4:" + rows + ".6]\nset xrange [" + format_number(least - room) + ":" +
      format_number(most + 2 * room) + "]\nset arrow from " + first + ",0.4 to " + first + "," + rows +
      ".6 nohead dt 2 lc rgb '#525252'\n" + values + data + "EOD\n" +
      "plot $d using 3:2:($4-$3):(0) with vectors nohead lw 3 lc rgb '#56b4e9', $d using 1:2 with points pt 7 ps 0.7 "
      "lc rgb '#08306b'\n";
  return {std::move(name),   title,     note,
          std::move(script), kBarWidth, 90 + kRowHeight * static_cast<double>(bars.size())};
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

}  // namespace ppgnn::plot
