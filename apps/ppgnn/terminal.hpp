#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// What the command knows of the terminal that it writes to.
namespace ppgnn::app {

/// Columns of a line: of COLUMNS, else of the terminal behind stdout, else 80; from 40 to 100.
[[nodiscard]] std::size_t line_width();

/// Whether `descriptor` is a terminal that can move its cursor.
[[nodiscard]] bool is_terminal(int descriptor);

/// Whether colours are wanted there: a terminal, and NO_COLOR is not set (no-color.org).
[[nodiscard]] bool has_colours(int descriptor);

/// `text` in bold, cyan or red, where colours are wanted.
enum class Style { bold, cyan, red };
[[nodiscard]] std::string styled(int descriptor, Style style, std::string_view text);

}  // namespace ppgnn::app
