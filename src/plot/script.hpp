#pragma once

#include <string>

// What scripts of figures share.
namespace ppgnn::plot {

/// Points of a letter in print.
inline constexpr double kFont = 7;

/// gnuplot's single quotes: nothing inside is expanded or run.
[[nodiscard]] std::string in_quotes(const std::string& text);

}  // namespace ppgnn::plot
