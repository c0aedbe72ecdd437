#pragma once

#include "ppgnn/plot/plot.hpp"
#include "ppgnn/report/summary.hpp"

namespace ppgnn::report {

/// What stands on the horizontal axis where a figure is drawn against epsilon, the strictest person's budget.
enum class Against { epsilon, mean, max };

/// A method looks the same in every figure; at the mean budget it keeps its colour, with a dash and a mark of that kind.
[[nodiscard]] plot::Style method_style(std::string_view method);

using plot::Figure;

/// One panel per combination of the panel factors, one line per value of the line factor.
[[nodiscard]] Figure make_figure(const EvaluatedStudy& study, const study::FigureView& view, Against against);

}  // namespace ppgnn::report
