#include "command.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "ppgnn/core/text.hpp"
#include "terminal.hpp"

namespace ppgnn::app {

namespace {

std::atomic<bool> stop_requested = false;

void request_stop(int signal) {
  stop_requested = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& stop_on_signals() {
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
  return stop_requested;
}

Status status_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::diverged:
      return Status::usage;
    case ErrorCode::malformed:
    case ErrorCode::mismatch:
      return Status::bad_input;
    case ErrorCode::certificate:
    case ErrorCode::over_limit:
    case ErrorCode::reported:
    case ErrorCode::rolled_back:
    case ErrorCode::not_permitted:
      return Status::refuted;
    case ErrorCode::io:
    case ErrorCode::unavailable:
      break;
  }
  return Status::unavailable;
}

void say(const std::string& message) {
  const bool note = message.starts_with("note: ");
  fmt::print(stderr, "{} {}\n", styled(STDERR_FILENO, note ? Style::bold : Style::red, "ppgnn:"),
             escape_hidden(message));
}

Error invalid(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message)};
}

Status fail(const Error& error) {
  say(error.message);
  return status_of(error.code);
}

void reserved_options(CLI::App& command) {
  for (const char* name : {"--label-privacy", "--graph-privacy"}) {
    command
        .add_option_function<std::string>(
            name,
            [name](const std::string&) {
              throw CLI::ValidationError(name,
                                         "this version protects features and levels, neither labels nor the graph");
            })
        ->expected(0, 1)
        ->group("");  // not in --help
  }
}

void print_json(const nlohmann::ordered_json& object) {
  // Names need not be UTF-8; JSON must be, and nothing may be lost over a name that cannot be printed.
  fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

std::string show_duration(double seconds) {
  const auto whole = std::llround(seconds);
  if (whole >= 3600) return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
  if (whole >= 60) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} s", whole);
}

Progress::Progress(std::string what)
    : what_(std::move(what)),
      start_(std::chrono::steady_clock::now()),
      shown_(start_),
      terminal_(is_terminal(STDERR_FILENO)) {
  if (terminal_) draw(0, 0);
}

Progress::~Progress() {
  if (terminal_) static_cast<void>(std::fprintf(stderr, "\r\x1b[K"));  // throws nothing
}

void Progress::update(double done, double total) {
  using std::chrono::duration;
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || done <= 0 || total <= 0 || duration<double>(now - shown_).count() < .1) return;
  shown_ = now;
  draw(std::min(1.0, done / total), duration<double>(now - start_).count());
}

void Progress::draw(double share, double elapsed) {
  constexpr std::size_t kCells = 24;
  const auto full = static_cast<std::size_t>(share * kCells);
  const std::string bar = styled(STDERR_FILENO, Style::cyan, std::string(full, '=')) + std::string(kCells - full, ' ');
  // Of the first moments nothing can be foretold.
  const std::string left =
      share > 0 && elapsed >= 1 ? ", " + show_duration(elapsed * (1 - share) / share) + " left" : std::string();
  fmt::print(stderr, "\r{} [{}] {:3.0f}%{}\x1b[K", what_, bar, 100 * share, left);
  std::fflush(stderr);
}

std::string wrapped(std::string_view text, std::string_view indent, std::size_t width) {
  std::string out;
  while (!text.empty()) {
    const std::size_t room = width - indent.size();
    std::size_t end = text.size() <= room ? text.size() : text.rfind(' ', room);
    if (end == std::string_view::npos) end = text.size();
    out.append(indent).append(text.substr(0, end)).append("\n");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace ppgnn::app
