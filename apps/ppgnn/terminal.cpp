#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "ppgnn/core/number.hpp"

namespace ppgnn::app {

std::size_t line_width() {
  constexpr std::size_t kUsual = 80;
  std::size_t width = kUsual;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) width = size.ws_col;
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    width = parse_unsigned(columns).value_or(width);
  }
  return std::clamp<std::size_t>(width, 40, 100);  // longer lines are hard to read
}

bool is_terminal(int descriptor) {
  const char* kind = std::getenv("TERM");
  return isatty(descriptor) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

bool has_colours(int descriptor) {
  const char* refused = std::getenv("NO_COLOR");
  return (refused == nullptr || *refused == '\0') && is_terminal(descriptor);
}

std::string styled(int descriptor, Style style, std::string_view text) {
  if (!has_colours(descriptor)) return std::string(text);
  const std::string_view code = style == Style::bold ? "\x1b[1m" : style == Style::cyan ? "\x1b[36m" : "\x1b[1;31m";
  return std::string(code).append(text).append("\x1b[0m");
}

}  // namespace ppgnn::app
