#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "plot/script.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/plot/plot.hpp"

// Figures to files, by gnuplot.
namespace ppgnn::plot {

namespace {

constexpr double kPointsPerInch = 72;

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
  return "set encoding utf8\nS = .7\nset terminal svg noenhanced name " + in_quotes(letters) +
         " background rgb 'white' linewidth 1.5 font 'Helvetica," + std::to_string(kSvgFont) + "' size " +
         size_of(figure, kSvgFont / kFont) + "\nset output " + in_quotes(file.string()) + "\n" + figure.script +
         "unset output\n";
}

}  // namespace

Result<void> draw(const Figure& figure, const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return Error{ErrorCode::io, folder.string() + ": cannot be made: " + failed.message()};
  const std::filesystem::path script = folder / (figure.name + ".gnuplot");
  const std::string pdf = (folder / (figure.name + ".pdf")).string();
  const std::string text = svg_script(figure, folder / (figure.name + ".svg")) +
                           "reset\nS = .35\nset terminal pdfcairo noenhanced font 'Helvetica," + format_number(kFont) +
                           "' size " + size_of(figure, 1 / kPointsPerInch) + "\nset output " + in_quotes(pdf) + "\n" +
                           figure.script + "unset output\n";
  if (Result<void> written = io::write_text(script, text); !written) return written;
  return run_gnuplot(script);
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
