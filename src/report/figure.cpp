#include "ppgnn/report/figure.hpp"

#include <algorithm>
#include <cmath>

#include "ppgnn/core/names.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/report/table.hpp"

namespace ppgnn::report {

namespace {

using plot::kStyles;
using plot::Style;

constexpr Style kControl{"#000000", 2, 0};
constexpr Style kClean{"#7f7f7f", 1, 0};

}  // namespace

Style method_style(std::string_view value) {
  const study::MethodEntry* method = study::method_named(value);
  if (method == nullptr || method->is_control()) return kControl;
  if (method->mechanism.empty() && method->budgets == study::MethodEntry::Budgets::none) return kClean;
  Style style = kStyles[method->style % kStyles.size()];
  if (value != method->name) {
    style.dash = 5;
    --style.mark;  // the same shape, open
  }
  return style;
}

namespace {

Style style_of(const std::string& factor, const std::string& value, std::size_t index) {
  return factor == "method" ? method_style(value) : kStyles[index % kStyles.size()];
}

struct Point : plot::Place {
  double budget = 0;
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
  return least != points.end() && least->budget > 0 && most->budget > 1.01 * least->budget;
}

// Whether the values of a factor have an order, so that a line may lead from one to the next.
bool has_order(const std::string& factor, const std::vector<std::string>& values) {
  return factor != "data" && std::all_of(values.begin(), values.end(),
                                         [](const std::string& value) { return parse_number(value).has_value(); });
}

// Reads the panels of one figure.
class FigureReader {
 public:
  FigureReader(const EvaluatedStudy& study, const study::FigureView& view, Against against)
      : study_(study), view_(view), against_(against), where_(study.met(view.where)) {
    lines_ = study.values_of_factor(view.lines, where_);
    xs_ = study.values_of_factor(view.x, where_);
    // What varies beyond the view, because somebody asked for more, gets panels too.
    std::vector<std::string> listed = view.panels;
    listed.insert(listed.end(), {view.x, view.lines});
    panel_factors_ = study.others(listed, where_);
    panel_factors_.insert(panel_factors_.end(), view.panels.begin(), view.panels.end());
    // What is the same in all panels need not be said above each; the caption says it.
    std::erase_if(panel_factors_,
                  [&](const std::string& factor) { return study.values_of_factor(factor, where_).size() < 2; });
  }

  Figure read() {
    plot::Panels figure;
    figure.name = view_.name;
    figure.title = view_.title;
    const std::vector<study::Match> matches = study_.combinations(panel_factors_, where_);
    std::vector<Series> panels;
    for (const study::Match& match : matches) panels.push_back(read_panel(match));
    // Where no line's budget changes along x, there is nothing to draw against it.
    const bool numeric =
        against_ != Against::epsilon && std::any_of(panels.begin(), panels.end(), [](const auto& panel) {
          return std::any_of(panel.begin(), panel.end(), changes_budget);
        });
    if (numeric) {
      for (Series& panel : panels) put_against_budgets(panel);
      const bool wide = most_ > 10 * least_;
      figure.x = {axis_title(view_.x, against_), {}, least_, most_, wide};
    } else {
      figure.x.title = axis_title(view_.x, Against::epsilon);
      for (const std::string& x : xs_) figure.x.names.push_back(show_value(view_.x, x));
    }
    figure.y_title = metric_title(view_.metric);
    figure.joined = numeric || has_order(view_.x, xs_);
    std::vector<std::size_t> drawn;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      const bool any = std::any_of(panels.begin(), panels.end(), [&](const Series& one) { return !one[line].empty(); });
      if (any) drawn.push_back(line);
    }
    for (const std::size_t line : drawn) {
      figure.lines.push_back({show_value(view_.lines, lines_[line]), style_of(view_.lines, lines_[line], line)});
    }
    for (std::size_t i = 0; i < panels.size(); ++i) {
      plot::Panel& panel = figure.panels.emplace_back();
      panel.title = title_of(matches[i]);
      for (const std::size_t line : drawn) panel.lines.emplace_back(panels[i][line].begin(), panels[i][line].end());
    }
    if (study_.declaration.quick) figure.foot = "Quick: fewer runs and points than declared";
    figure.note = note(figure.joined, drawn.empty());
    return plot::make_panels(figure);
  }

 private:
  using Series = std::vector<std::vector<Point>>;  // a line each

  [[nodiscard]] Series read_panel(const study::Match& panel) {
    const double factor = is_percentage(view_.metric) ? 100 : 1;
    Series series(lines_.size());
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      for (std::size_t at = 0; at < xs_.size(); ++at) {
        const EvaluatedCell* cell = study_.find(panel.with({{{view_.lines, {lines_[line]}}, {view_.x, {xs_[at]}}}}));
        const auto interval = cell == nullptr ? std::nullopt : cell->interval(view_.metric);
        if (!interval) continue;
        const auto spent = cell->interval(against_ == Against::mean ? "privacy_mean" : "privacy_max");
        Point point{{static_cast<double>(at), factor * interval->mean, factor * interval->low, factor * interval->high},
                    spent ? spent->mean : 0};
        if (point.budget > 0) {
          least_ = most_ > 0 ? std::min(least_, point.budget) : point.budget;
          most_ = std::max(most_, point.budget);
        }
        series[line].push_back(point);
      }
    }
    return series;
  }

  // Moves every point to its budget.
  void put_against_budgets(Series& panel) {
    for (std::vector<Point>& points : panel) {
      if (points.empty()) continue;
      for (Point& point : points) point.x = point.budget;
      std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
      if (points.front().x > 0) continue;
      averaged_ = true;
      // The control spends nothing and clean features have no budget: a line from end to end, their mean over x.
      Point mean{{least_, 0, 0, 0}, 0};
      for (const Point& point : points) {
        mean.value += point.value / static_cast<double>(points.size());
        mean.low += point.low / static_cast<double>(points.size());
        mean.high += point.high / static_cast<double>(points.size());
      }
      points = {mean, mean};
      points.back().x = most_;
    }
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

  // What is drawn, and of how many runs.
  [[nodiscard]] std::string note(bool joined, bool nothing) const {
    if (nothing) return "Nothing of it was run yet.";
    std::string text = study_.made_of(where_, view_.metric) + " " + (joined ? "Bands" : "Bars") + ": 95% t intervals.";
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
  study::Match where_;
  std::vector<std::string> lines_, xs_, panel_factors_;
  double least_ = 0, most_ = 0;  // budgets spent
  bool averaged_ = false;
};

}  // namespace

Figure make_figure(const EvaluatedStudy& study, const study::FigureView& view, Against against) {
  return FigureReader(study, view, against).read();
}

}  // namespace ppgnn::report
